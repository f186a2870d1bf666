// SPDX-License-Identifier: MIT
// Topics: what browsers watch. Those that ask for the same share one, which a machine's thread
// works out once. Only the net thread knows them.
#ifndef KOV_TOPICS_H
#define KOV_TOPICS_H

#include <messages.h>

struct topic {
    u64 number; // never used again
    u32 machine;
    enum watched_kind kind;
    char *key; // machine, kind and parameters: what makes two the same
    u32 watchers;
    struct topic *next;
};

struct topics {
    struct topic *first;
    u64 last_number;
};

// The topic of a checked message `watch`; *fresh: nobody has watched it before. It has one watcher
// more.
struct topic *topics_watch(struct topics *topics, u32 machine, enum watched_kind kind,
                           const json_t *watch, bool *fresh);
// One watcher less; true: that was the last, and the topic is gone.
bool topics_unwatch(struct topics *topics, struct topic *topic);
struct topic *topics_find(const struct topics *topics, u64 number); // or NULL: gone

#endif

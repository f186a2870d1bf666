// SPDX-License-Identifier: MIT
// Topics: what browsers watch. Browsers that ask for the same share a topic, and a machine's thread
// computes it once. Only the net thread uses them.
#ifndef KOV_TOPICS_H
#define KOV_TOPICS_H

#include <messages.h>

struct topic {
    u64 number; // never used again
    u32 machine;
    enum watched_kind kind;
    char *key; // machine, kind and parameters, by which two are the same
    u32 watchers;
    struct topic *next;
};

struct topics {
    struct topic *first;
    u64 last_number;
};

// Adds a watcher to the topic of a checked message `watch`. *fresh: nobody watched it before.
struct topic *topics_watch(struct topics *topics, u32 machine, enum watched_kind kind,
                           const json_t *watch, bool *fresh);
// Removes a watcher. Returns true if it was the last one; the topic is then gone.
bool topics_unwatch(struct topics *topics, struct topic *topic);
struct topic *topics_find(const struct topics *topics, u64 number); // NULL: it is gone

#endif

// SPDX-License-Identifier: MIT
// One machine of the gateway: a thread of its own with a connection of its own. It keeps trying to
// connect, samples and scans all the time (the standing set), and works out the topics that
// browsers watch.
#ifndef KOV_GATEWAY_MACHINE_H
#define KOV_GATEWAY_MACHINE_H

#include "gateway/posts.h"

struct machine;

struct machine_settings {
    char *name; // as browsers call it
    char *host;
    u64 port;
    char *tape;   // a recording that is played in place of a machine; NULL: none
    char *record; // the file to record to; NULL: none
    char *token;  // NULL: what wire/token.h finds
    size_t history_bytes;
};

// number: its place in the hub. posts: where it says what it has to say. Settings are copied. The
// thread runs until machine_end.
// NULL: a message tells why not.
struct machine *machine_start(u32 number, const struct machine_settings *settings,
                              struct post_queue *posts);
const char *machine_name(const struct machine *machine);
// Does it take another wish of this browser, or has it too many that it could not grant yet?
bool machine_takes_wish(struct machine *machine, u64 browser);
// From any thread: a WISH_…, which the machine owns from here on.
void machine_wish(struct machine *machine, const struct post *wish);
// Ends the thread, waits for it, and frees all.
void machine_end(struct machine *machine);

#endif

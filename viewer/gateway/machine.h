// SPDX-License-Identifier: MIT
// One machine of the gateway. It has a thread and a connection of its own. It keeps trying to
// connect, it always samples (the standing set) and scans, and it computes the topics that browsers
// watch.
#ifndef KOV_GATEWAY_MACHINE_H
#define KOV_GATEWAY_MACHINE_H

#include "gateway/exposition.h"
#include "gateway/posts.h"

struct machine;

struct machine_settings {
    char *name; // browsers' name for it
    char *host;
    u64 port;
    char *tape;    // recording to play in place of a machine; NULL: none
    char *folder;  // trace folder to show in place of a machine; NULL: none
    char *samples; // recording of `kov record` to show in place of a machine; NULL: none
    char *record;  // the file to record to; NULL: none
    char *console; // the file of its emulator's output; NULL: none is known
    char *token;   // NULL: wire/token.h finds one
    char *of;      // of machine_start_past: the machine whose boot before it is
    size_t history_bytes;
    bool exposed; // metrics for OpenMetrics; not of a tape, a folder or samples
};

// Starts a machine. `number` is its place in the hub. It posts to `posts`. Settings are copied. The
// thread runs until machine_end. Returns NULL with a message if it cannot start.
struct machine *machine_start(u32 number, const struct machine_settings *settings,
                              struct post_queue *posts);
// Starts a machine that shows the boot of `of` before its present one, once there is one: what was
// known of it when it ended. It has no connection. It must end after `of`.
struct machine *machine_start_past(u32 number, struct machine *of, struct post_queue *posts);
const char *machine_name(const struct machine *machine);
// Returns what it exposes, or NULL. It is valid until machine_end.
struct exposition *machine_exposition(const struct machine *machine);
// Returns whether it takes another request of this browser, or has too many that it could not grant
// yet.
bool machine_takes_request(struct machine *machine, u64 browser);
// Sends a REQUEST_… and gives it to the machine. Any thread may call it.
void machine_request(struct machine *machine, const struct post *request);
// Ends the thread, waits for it, and frees all.
void machine_end(struct machine *machine);

#endif

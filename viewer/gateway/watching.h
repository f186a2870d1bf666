// SPDX-License-Identifier: MIT
// What watching costs the machine: the monitor's own processes, and how much they and the idle loop
// execute. It is computed from the samples that are there, so to know it costs the machine nothing.
#ifndef KOV_GATEWAY_WATCHING_H
#define KOV_GATEWAY_WATCHING_H

#include "gateway/history.h"
#include "machine/snapshot.h"

#include <jansson.h>

#define WATCHING_MAX 16      // processes of the monitor that are remembered, of a boot
#define WATCHING_SECONDS 10. // of samples

struct watching_program {
    u32 pid;
    bool ended;
    char name[16];
};

// The monitor's own processes of a boot, those that have ended too: samples have their numbers.
struct watching {
    struct watching_program programs[WATCHING_MAX];
    u32 count;
};

// Takes a scan. The monitor's own are the DCI server and the network's, as init has started them:
// a program that is called as they are is none. With too many, the oldest is forgotten.
void watching_take(struct watching *watching, const struct snapshot *snapshot);
// Returns whether a process is one of the monitor's.
bool watching_has(const struct watching *watching, u32 pid);
// Adds what `watching` of messages.def says: of the seconds up to `now` (ns since boot).
// `history` may be NULL. hertz: of the time base.
void watching_put(const struct watching *watching, const struct history *history,
                  const struct snapshot *snapshot, double now, u64 hertz, json_t *data);

#endif

// SPDX-License-Identifier: MIT
// Programs that somebody has started on the running machine, from when to when each ran: by
// `kov run`, by the shell, by another program. Scans tell them, so one that comes and goes between
// two scans is not seen, and an end is known to a scan.
#ifndef KOV_GATEWAY_OWN_PROGRAMS_H
#define KOV_GATEWAY_OWN_PROGRAMS_H

#include "machine/snapshot.h"

#include <jansson.h>

#define OWN_PROGRAMS_MAX 64 // that are remembered
#define OWN_PROGRAM_BYTES 64

struct own_program {
    u32 pid;
    u64 begin, end; // ticks; end 0: it runs
    char name[OWN_PROGRAM_BYTES];
};

struct own_programs {
    struct own_program programs[OWN_PROGRAMS_MAX]; // by the time at which they were first seen
    u32 count;
};

// Returns whether a process is no part of the system: not the kernel, not init, nor what init
// started or took over.
bool is_own_program(const struct snapshot *snapshot, u32 pid);
// Takes a scan. What is not in it has ended. With too many, the oldest is forgotten.
void own_programs_take(struct own_programs *programs, const struct snapshot *snapshot);
// Asks the machine for its processes alone, and takes them. Returns an exit code.
int own_programs_find(struct own_programs *programs);

struct machine;
// Adds a mark of each to the list.
void own_programs_marks(const struct own_programs *programs, const struct machine *machine,
                        json_t *list);

#endif

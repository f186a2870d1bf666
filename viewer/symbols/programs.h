// SPDX-License-Identifier: MIT
// Names for addresses of processes: their programs' ELF files, found by the process's name.
#ifndef KOV_PROGRAMS_H
#define KOV_PROGRAMS_H

#include "machine/snapshot.h"
#include "symbols/symbols.h"

struct program {
    char *name;
    struct symbols *symbols; // NULL: there are none
};

// Programs whose symbols were wanted. All zero at first.
struct programs {
    struct program *programs;
    size_t count, capacity;
};

// The symbols of a process's program, from settings.programs; NULL when there is no such file. That
// is said once a program.
struct symbols *program_symbols(struct programs *programs, const struct snapshot *snapshot,
                                u32 pid);
void programs_close(struct programs *programs);

#endif

// SPDX-License-Identifier: MIT
// Names for addresses of processes, from their programs' ELF files. A process's name tells which
// file.
#ifndef KOV_PROGRAMS_H
#define KOV_PROGRAMS_H

#include "machine/snapshot.h"
#include "symbols/symbols.h"

struct program {
    char *name;
    struct symbols *symbols; // NULL: it has none
};

// The programs whose symbols were wanted. All zero at first.
struct programs {
    struct program *programs;
    size_t count, capacity;
    bool quiet; // does not warn
};

// Returns the symbols of a process's program, from settings.programs. Returns NULL when there is no
// such file, and warns once for each program.
struct symbols *program_symbols(struct programs *programs, const struct snapshot *snapshot,
                                u32 pid);
// The same by the program's name.
struct symbols *program_symbols_named(struct programs *programs, const char *name);
void programs_close(struct programs *programs);

#endif

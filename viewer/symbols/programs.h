// SPDX-License-Identifier: MIT
// Names for addresses of processes: their programs' ELF files, found by the process's name.
#ifndef KOV_PROGRAMS_H
#define KOV_PROGRAMS_H

#include "machine/snapshot.h"
#include "symbols/symbols.h"

// The symbols of a process's program, from settings.programs; NULL when there is no such file. That
// is said once a program.
struct symbols *program_symbols(const struct snapshot *snapshot, u32 pid);
void programs_close(void);

#endif

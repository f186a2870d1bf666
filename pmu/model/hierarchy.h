// SPDX-License-Identifier: MIT
// Sends memory accesses through the models of TLB and caches. All addresses are effective ones:
// lines of different spaces, and of the kernel, are different lines, and a line that is mapped
// twice counts as two.
#ifndef MODEL_HIERARCHY_H
#define MODEL_HIERARCHY_H

#include "qemu_plugin.h"

#define PLACE_TRANSLATED 1UL // beside PENDING_USER, in callback data

// Counts a data access, after it. data: place(the instruction, bits).
void hierarchy_data(unsigned cpu, qemu_plugin_meminfo_t info, u64 address, void *data);

// Do as hierarchy_data for the TLB only, and for the caches only.
void hierarchy_data_tlb(unsigned cpu, qemu_plugin_meminfo_t info, u64 address, void *data);
void hierarchy_data_cache(unsigned cpu, qemu_plugin_meminfo_t info, u64 address, void *data);

// Counts an instruction of another line than the last one, before it. data: place(the instruction,
// bits).
void hierarchy_fetch(unsigned cpu, void *data);

// After a data access whose address a record may need. data: nothing.
void hierarchy_address(unsigned cpu, qemu_plugin_meminfo_t info, u64 address, void *data);

// Before a tlbie or tlbiel. data: rB | rS << 5 | HIERARCHY_LOCAL.
#define HIERARCHY_LOCAL (1UL << 10)
void hierarchy_invalidate(unsigned cpu, void *data);

#endif

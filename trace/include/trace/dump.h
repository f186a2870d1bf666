// SPDX-License-Identifier: MIT
// Shows kov (viewer/trace/engine/dump.c) the trace buffers in a memory dump. kov recognises the
// descriptor by its magic and its own physical address. All addresses are physical.
#ifndef TRACE_DUMP_H
#define TRACE_DUMP_H

#include <trace/cpu.h>

#define TRACE_DESCRIPTOR_MAGIC "ORRERY-TRACE-1\0" // 16 bytes with the last NUL

struct trace_descriptor {
    char magic[16];
    u64 self; // physical address of this struct
    u32 cpu_count;
    u32 subbuffer_size;
    // the linear map's address of physical 0, for the pointers in struct trace_cpu
    u64 linear_base;
    u64 preamble, events;      // metadata text, two NUL-terminated strings
    u64 cpus[ORRERY_MAX_CPUS]; // struct trace_cpu (trace/cpu.h); 0: has no buffers
};

_Static_assert(sizeof(struct trace_descriptor) == 120, "known to readers of dumps");

// Adds a CPU with buffers to the descriptor. Not concurrently.
void trace_dump_add(u32 number, const struct trace_cpu *cpu);

#endif

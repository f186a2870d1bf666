// SPDX-License-Identifier: MIT
// Keeping the descriptor for dump readers (trace/dump.h).
#ifndef TRACE_SRC_DUMP_H
#define TRACE_SRC_DUMP_H

#include <trace/cpu.h>

// Adds a CPU that has its buffers. Not concurrently.
void trace_dump_add(u32 number, const struct trace_cpu *cpu);

#endif

// SPDX-License-Identifier: MIT
// Mask, modes and reading, over all CPUs. Thread context, no lock held.
#ifndef TRACE_CONTROL_H
#define TRACE_CONTROL_H

#include <orrery/sys.h>
#include <trace/cpu.h>

// Contracts: sys_trace_set_mode, _stat and _read.
s64 trace_set_mode(enum sys_trace_mode mode);
// As trace_set_mode, but keeps what the buffers hold, their counts and the numbers of their
// packets: for a reader that ends in between, so that the next one can go on.
s64 trace_change_mode(enum sys_trace_mode mode);
s64 trace_stat(u32 cpu, struct sys_trace_stat *stat);
s64 trace_read(u32 cpu, bool flush, void *buffer, u64 bytes);

// Sets the heartbeat of this CPU: on while anything is enabled. For a CPU that begins after the
// mask was set; a function for trace_platform_on_cpu.
void trace_heartbeat_set(struct trace_cpu *cpu, void *argument);
// The platform calls this every period given to trace_platform_heartbeat. Interrupt context.
void trace_heartbeat_tick(void);

#endif

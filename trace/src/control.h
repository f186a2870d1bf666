// SPDX-License-Identifier: MIT
// Mask, modes, and reading, over all CPUs. Thread context, no lock held.
#ifndef TRACE_CONTROL_H
#define TRACE_CONTROL_H

#include <orrery/sys.h>

// The contracts are those of sys_trace_set_mode, _stat and _read.
s64 trace_set_mode(enum sys_trace_mode mode);
s64 trace_stat(u32 cpu, struct sys_trace_stat *stat);
s64 trace_read(u32 cpu, bool flush, void *buffer, u64 bytes);

// Called by the platform every period that trace_platform_heartbeat was given. Interrupt context.
void trace_heartbeat_tick(void);

#endif

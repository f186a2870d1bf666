// SPDX-License-Identifier: MIT
// The kernel's part in the tracing of processes: what they leave behind, and how it is read.
#ifndef KERNEL_TRACE_PROCESSES_H
#define KERNEL_TRACE_PROCESSES_H

#include <orrery/sys.h>

struct process;

// Is what a process has handed out as a packet of its CPU's one? bytes when it is, else E_PROTO,
// or E_PEER when the process has ended; E_NOMEM. The buffer is the caller's own. Thread context, no
// lock held.
s64 trace_process_check(struct process *process, u64 cpu, void *buffer, u64 bytes);

// A live process has set a mode, and with it begun to number its packets and to count anew.
// Thread context.
void trace_process_renewed(u32 pid);

// What processes enable as they start. E_INVAL. Any thread.
s64 trace_set_process_mask(u64 mask);
u64 trace_process_mask(void);

// Behind sys_trace_process_list and sys_trace_read_process; thread context, no lock held.
s64 trace_process_list(u64 *cursor, void *buffer, u64 bytes);
s64 trace_process_read(u32 pid, u32 cpu, bool flush, void *buffer, u64 bytes);

#endif

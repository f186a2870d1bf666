// SPDX-License-Identifier: MIT
// The kernel's part in tracing processes: keeps what they leave behind, and reads it.
#ifndef KERNEL_TRACE_PROCESSES_H
#define KERNEL_TRACE_PROCESSES_H

#include <orrery/sys.h>

struct process;

// Checks that what a process has handed out is a packet of its CPU's. Returns bytes if it is, else
// E_PROTO; E_PEER: the process has ended; E_NOMEM. The buffer is the caller's own. Thread context,
// no lock held.
s64 trace_process_check(struct process *process, u64 cpu, void *buffer, u64 bytes);

// Notes that a live process has set a mode: it numbers its packets and counts anew. Thread context.
void trace_process_renewed(u32 pid);

// Sets the majors that processes enable as they start. E_INVAL. Any thread.
s64 trace_set_process_mask(u64 mask);
u64 trace_process_mask(void);

// The functions behind sys_trace_process_list and sys_trace_read_process; thread context, no lock
// held.
s64 trace_process_list(u64 *cursor, void *buffer, u64 bytes);
s64 trace_process_read(u32 pid, u32 cpu, bool flush, void *buffer, u64 bytes);

#endif

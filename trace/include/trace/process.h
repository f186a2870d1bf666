// SPDX-License-Identifier: MIT
// The kernel's part in the tracing of processes: what they leave behind, and how it is read.
#ifndef TRACE_PROCESS_H
#define TRACE_PROCESS_H

#include <orrery/sys.h>

struct process;

// Takes over the unread packets of a process that ends. Its dispatchers have stopped for good, its
// address space is still there. name: PROCESS_NAME_MAX bytes. Thread context, no lock held. Out of
// memory: packets are lost, and counted.
void trace_process_ends(struct process *process, const char *name);

// Is what a process has handed out as a packet of its CPU's one? bytes when it is, else E_PROTO; E_NOMEM. The buffer is
// the caller's own. Thread context, no lock held.
s64 trace_process_check(struct process *process, u64 cpu, void *buffer, u64 bytes);

// A live process has set a mode, and with it begun to number its packets and to count anew. Thread context.
void trace_process_renewed(u32 pid);

// What processes enable as they start. E_INVAL. Any thread.
s64 trace_set_process_mask(u64 mask);
u64 trace_process_mask(void);

// Behind sys_trace_process_list and sys_trace_read_process; thread context, no lock held.
s64 trace_process_list(u64 *cursor, void *buffer, u64 bytes);
s64 trace_process_read(u32 pid, u32 cpu, bool flush, void *buffer, u64 bytes);

#endif

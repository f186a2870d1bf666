// SPDX-License-Identifier: MIT
// The kernel's part in tracing processes: keeps what they leave behind, and reads it.
#ifndef KERNEL_TRACE_PROCESSES_H
#define KERNEL_TRACE_PROCESSES_H

#include <orrery/sys.h>

struct process;

// Checks that what a process has handed out is a packet of its CPU's. The buffer is the caller's
// own. Returns bytes if it is; else E_PROTO, E_PEER if the process has ended, or E_NOMEM. Thread
// context, no lock held.
s64 trace_process_check(struct process *process, u64 cpu, void *buffer, u64 bytes);

// Notes that a live process has set a mode: it numbers its packets and counts anew. Thread context.
void trace_process_renewed(u32 pid);

// Returns the majors that processes enable as they start. Any context.
u64 trace_process_mask(void);

#endif

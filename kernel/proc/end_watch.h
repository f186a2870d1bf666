// SPDX-License-Identifier: MIT
// Servers that want to be told when a process has ended (sys_process_await_end).
#ifndef KERNEL_PROC_END_WATCH_H
#define KERNEL_PROC_END_WATCH_H

struct process;

// Tells whoever waits for the end of a process, which has ended and left the list of processes. The
// process itself waits no more. Thread context, no lock held.
void end_watch_process_ended(const struct process *process);

#endif

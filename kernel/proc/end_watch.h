// SPDX-License-Identifier: MIT
// Servers that want to be told when a process has ended (sys_process_await_end).
#ifndef KERNEL_PROC_END_WATCH_H
#define KERNEL_PROC_END_WATCH_H

struct process;

// A process has ended and left the list of processes: whoever waits for that is told.
// It waits itself no more.
// Thread context, no lock held.
void end_watch_process_ended(const struct process *process);

#endif

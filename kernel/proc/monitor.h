// SPDX-License-Identifier: MIT
// The monitor's questions to the library of a process: one at a time, each answered or given up after 1 s.
#ifndef KERNEL_PROC_MONITOR_H
#define KERNEL_PROC_MONITOR_H

#include <kernel/process.h>
#include <kernel/spinlock.h>

struct thread;

struct process_monitor {
    struct spinlock lock; // RANK_OBJECT; guards all of it
    void *buffer;         // USER_MONITOR as the kernel sees it, once there
    struct thread *asker; // NULL: no question is open
    u64 question;         // number of the open question, or of the last one
    bool queued;          // `posted` is in a dispatcher's queue
    bool answered;
    bool ended; // the process does not answer any more
    s64 result;
    u64 results[2];
    struct posted_event posted;
};

void process_monitor_init(struct process_monitor *monitor);
// Whoever asks gets E_PEER, now and later. Thread context.
void process_monitor_end(struct process *process);

#endif

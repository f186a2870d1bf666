// SPDX-License-Identifier: MIT
// The inspection's questions to the library of a process: one at a time,
// each answered within its time or never.
#ifndef KERNEL_PROC_INSPECT_H
#define KERNEL_PROC_INSPECT_H

#include <kernel/process.h>
#include <kernel/wait.h>

// Who asked is known by numbers alone, so that nobody's end has to be waited for: an asker that has
// ended has no open question any more (inspect.c).
struct inspection {
    struct spinlock lock; // RANK_OBJECT; guards all of it but buffer, which is its asker's to make
    void *buffer;         // USER_INSPECT as the kernel sees it, once there
    u64 question;         // number of the open question, or of the last one
    u32 asker;            // pid of who asked; 0: no question is open
    u32 operation;        // INSPECT_* of the open question
    u64 arguments[2];     // the first ones
    u64 deadline;         // an answer after it is none
    bool queued;          // `posted` is in a dispatcher's queue
    bool answered;
    bool ended; // the process does not answer any more
    struct sys_inspect_answer answer;
    u32 kick_cpu; // the asker's dispatcher that is told, and how; bits 0: nobody
    u64 kick_bits;
    struct wait_queue waiters; // of sys_process_inspect: for their turn, or for the answer
    struct posted_event posted;
};

void inspection_init(struct inspection *monitor);
// Ends questions to a process: whoever asks gets E_PEER, now and later. Thread context.
void inspection_end(struct process *process);

#endif

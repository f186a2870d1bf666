// SPDX-License-Identifier: MIT
// A thread as the state machine of activities knows it. Only the files of that machine use it.
#ifndef KOV_ACTIVITY_THREAD_H
#define KOV_ACTIVITY_THREAD_H

#include "trace/activity.h"

#define MAX_DEPTH 8
#define VECTOR_EXTERNAL 0x500
#define VECTOR_DECREMENTER 0x900
#define VECTOR_SYSTEM_CALL 0xc00 // only special calls; plain ones are no exceptions of the trace
#define OPEN_IRQ 0               // opened by irq_enter, in place of a vector
#define OPEN_CALL 0x10000        // opened by a system call, plus its number

struct activity_thread {
    struct id_row row; // its id
    u64 pid;
    u32 cpu;
    bool lives; // if not, it is one that the machine knows no more
    bool idle, ended;
    bool kernel;   // it is known to be a kernel thread
    bool left_out; // the recording does not have what it does
    bool settled;  // only what is in `open` is open
    bool returned; // it has just got its CPU back; at most one exception is open
    u32 depth;
    u32 open[MAX_DEPTH]; // vectors, OPEN_IRQ, OPEN_CALL + number; innermost last
};

// Notes that nobody knows what is open.
void thread_mark_unknown(struct activity_thread *thread);
// Notes that nothing is open: the thread is in user mode, or is a kernel thread in its own code.
void thread_mark_idle(struct activity_thread *thread);
void thread_enter(struct activity_thread *thread, u32 what);
void thread_leave(struct activity_thread *thread, u32 what);
// Returns what was entered last; UINT32_MAX: nothing is open.
u32 thread_innermost(const struct activity_thread *thread);
bool opened_by_interrupt(u32 what);
// Notes that a handler runs. Interrupts nest, but handlers run and threads are switched only in the
// outermost one. An inner one is left pending. A kernel thread enters nothing but interrupts, so
// this tells what it has open.
void thread_note_handler(struct activity_thread *thread);

#endif

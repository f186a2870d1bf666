// SPDX-License-Identifier: MIT
// Scheduler, for exception handling and set-up.
#ifndef KERNEL_PROC_SCHEDULER_H
#define KERNEL_PROC_SCHEDULER_H

#include <orrery/types.h>

struct thread;
struct timer;

// Switches to the most urgent runnable thread of this CPU. reason: why it may have to, of
// trace/reasons.h. Soft-masked, no lock held, MSR[EE] on.
void schedule(u32 reason);
// Acts on an interrupt by another CPU. That has made a thread of this CPU runnable, or wants it to
// pass a quiescent point. Interrupt context.
void scheduler_poked(void);
// Makes the code that runs now on this CPU thread `first`.
void scheduler_start_cpu(struct thread *first);
// Runs an idle thread for ever. idle is the calling thread.
void thread_idle_loop(struct thread *idle) __attribute__((noreturn));
// Fires at a parked thread's deadline.
void thread_deadline(struct timer *timer);
// Handles the decrementer: fires due timers. Interrupt context.
void timer_interrupt(void);

// Accounts for a switch on the fast path of calls, and tells of it, while services are logged
// (log/fast.S). The CPU has gone from one thread to the other. EE off.
void scheduler_tell_service(struct thread *from, struct thread *to);

#endif

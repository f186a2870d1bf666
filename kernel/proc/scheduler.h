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

// Charges the time up to now to a thread that this CPU has left by the fast path of calls, which
// leaves that to the next switch. Returns the time. EE off.
u64 scheduler_charge_here(struct thread *from);

#endif

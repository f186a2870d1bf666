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
// Another CPU made a thread of this CPU runnable, or wants it to pass a quiescent point. Interrupt
// context.
void scheduler_poked(void);
// The code that runs now on this CPU becomes thread first.
void scheduler_start_cpu(struct thread *first);
// What an idle thread does for ever; idle is the calling thread.
void thread_idle_loop(struct thread *idle) __attribute__((noreturn));
// Fires at a parked thread's deadline.
void thread_deadline(struct timer *timer);
// Decrementer: fires due timers. Interrupt context.
void timer_interrupt(void);

// What a switch on the fast path of calls has to account and tell while services are logged
// (log/fast.S). EE off; the CPU has gone from one to the other.
void scheduler_tell_service(struct thread *from, struct thread *to);

#endif

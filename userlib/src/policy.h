// SPDX-License-Identifier: MIT
// A policy of a scheduler: an object with its own methods (`scheduler_policy`).
// Without one it does as this library's own code says: slices of one length, each thread's priority
// its own. Methods run inside of user_disable, on the scheduler's CPU.
#ifndef USERLIB_POLICY_H
#define USERLIB_POLICY_H

#include <orrery/types.h>

#define POLICY_SLICE_US 10000 // fixed; where a growing one begins

struct scheduler;
struct thread;

struct scheduler_policy {
    // Returns the priority of a thread that becomes ready or would keep its CPU. It wants `wanted`.
    u32 (*priority)(struct thread *thread, u32 wanted);
    // A thread that is not the current one has become ready.
    void (*joined)(struct scheduler *scheduler);
    // The best one of the ready threads is about to be chosen.
    void (*choosing)(struct scheduler *scheduler);
    // A thread has got its CPU.
    void (*chosen)(struct scheduler *scheduler, struct thread *thread);
    // The current slice is over.
    void (*slice_over)(struct scheduler *scheduler);
};

#endif

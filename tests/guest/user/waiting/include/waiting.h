// SPDX-License-Identifier: MIT
// Waiting for what must come. How long that takes is the host's affair: the limit
// only ends what hangs. Any thread.
#ifndef TESTS_WAITING_H
#define TESTS_WAITING_H

#include <orrery/types.h>

// The time at which whoever has waited since now gives up: a deadline.
u64 patience(void);
// Sleeps a little between two looks; false once the deadline is over.
bool wait_more(u64 deadline);

// What is waited for, often: the kernel's objects of a class, of all its implementations.
// Without RIGHT_MONITOR there are none.
u32 live_objects(const char *class_name);

// Looks until the condition holds, or patience is over: whether it does.
#define WAIT_FOR(condition)                                                                        \
    ({                                                                                             \
        u64 deadline_ = patience();                                                                \
        bool holds_;                                                                               \
        while (!(holds_ = (condition)) && wait_more(deadline_))                                    \
            ;                                                                                      \
        holds_;                                                                                    \
    })

#endif

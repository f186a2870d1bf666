// SPDX-License-Identifier: MIT
// What the logs want of what happens in the kernel (kernel/points.h).
#ifndef KERNEL_LOG_POINTS_H
#define KERNEL_LOG_POINTS_H

#include <kernel/points.h>
#include <orrery/log.h>

#define LOG_BIT(characteristic) (1u << (characteristic))
// What log_observer wants besides: none of enum log_characteristic.
#define LOG_MAKING LOG_BIT(LOG_CHARACTERISTICS)      // the code of fast.S is being changed
#define LOG_CALLS LOG_BIT(LOG_CHARACTERISTICS + 1)   // some side of calls has a selector
#define LOG_ANSWERS LOG_BIT(LOG_CHARACTERISTICS + 2) // … of answers
extern struct observer log_observer;
// Switches the points of these characteristics on (bit n: that of enum log_characteristic), all
// others off. On return nothing is told any more of what has been switched off. Thread context, no
// spin lock held; one at a time.
void log_points_set(u32 characteristics);
// Looks again which sides of calls have selectors, while calls are on. Same context.
void log_points_refresh(void);
bool log_is_on(u32 characteristic);
// Returns whether a domain had a selector for a side of calls or answers when this was last looked
// at. Any context.
bool log_has_selector(u32 event);

// Tells, on this CPU and with EE off, that a call, an answer or a message passes between two
// domains.
void log_tell_here(u32 event, u32 current, u32 correspondent);
// Tells that the CPU has gone from a thread to another by the fast path of calls. EE off.
void log_tell_service(struct thread *from, struct thread *to);

#endif

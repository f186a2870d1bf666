// SPDX-License-Identifier: MIT
// Where the kernel tells of what the logs may be about. While a characteristic is off the kernel
// asks no question. Its points are nops, or branches that are there for something else
// (ipc/fast_path.S), which are patched to branches while it is on.
#ifndef KERNEL_LOG_POINTS_H
#define KERNEL_LOG_POINTS_H

#include <orrery/log.h>

#define LOG_BIT(characteristic) (1u << (characteristic))
// None of enum log_characteristic: what is told on the fast path of calls is being changed.
#define LOG_MAKING LOG_CHARACTERISTICS
// While these are on the fast path of calls gives way: it tells of calls and services alone.
#define LOG_SLOW_CALLS (LOG_BIT(LOG_OF_HARDWARE) | LOG_BIT(LOG_MAKING))
// The same of the fast paths of answers, and of waiting, which tell of nothing.
#define LOG_ANY_CALLS (LOG_BIT(LOG_OF_CALLS) | LOG_BIT(LOG_MAKING))
#define LOG_ANY_SWITCHES (LOG_SLOW_CALLS | LOG_BIT(LOG_OF_SERVICE))
// A dispatcher without a domain has the descriptor of this number, in the page behind a CPU's first
// area, where everything is 0 (areas.c).
#define LOG_NOBODY 0x210u

// One nop, patched to a branch to label while one of these characteristics (bits) is on.
// .log_points tells where.
#define LOG_POINT(characteristics, label)                                                          \
    __asm__ goto("1: nop\n"                                                                        \
                 ".pushsection .log_points,\"a\",@progbits\n"                                      \
                 ".balign 8\n"                                                                     \
                 ".quad 1b, %l[" #label "], %c0\n"                                                 \
                 ".popsection"                                                                     \
                 :                                                                                 \
                 : "i"(characteristics)                                                            \
                 :                                                                                 \
                 : label)

// Switches the points of these characteristics on (bit n: that of enum log_characteristic), all
// others off. On return nothing is told any more of what has been switched off. Thread context, no
// spin lock held; one at a time.
void log_points_set(u32 characteristics);
// Looks again which sides of calls have selectors, while calls are on. Same context.
void log_points_look_again(void);
bool log_is_on(u32 characteristic);
// Returns whether a domain had a selector for a side of calls or answers when this was last looked
// at. Any context.
bool log_looks_at(u32 event);

// Behind points, about this CPU. Any context but PMI.
// Tells that a call, an answer or a message passes between two domains.
void log_tell(u32 event, u32 current, u32 correspondent);
// Does as log_tell, with EE off.
void log_tell_here(u32 event, u32 current, u32 correspondent);
// Tells that a page frame was charged to a domain (1), or given back (-1).
void log_tell_page(u32 domain, s32 change);
// The next three are called soft-masked; now: of the time base.
// Tells that the CPU goes to a thread of a domain.
void log_tell_switch(u32 domain, u64 now);
// At a tick: tells the run queue's length, and what has lasted long.
void log_tell_tick(u32 length, u64 now);
void log_tell_run_queue(u32 length);

#endif

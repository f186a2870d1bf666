// SPDX-License-Identifier: MIT
// Where the kernel tells of what the logs may be about. It asks no question while a characteristic
// is off: its points are nops, or branches that are there for something else (ipc/fast_path.S), and
// are patched to branches meanwhile.
#ifndef KERNEL_LOG_POINTS_H
#define KERNEL_LOG_POINTS_H

#include <orrery/log.h>

// One nop, patched to a branch to label while a characteristic is on. .log_points tells where.
#define LOG_POINT(characteristic, label)                                                           \
    __asm__ goto("1: nop\n"                                                                        \
                 ".pushsection .log_points,\"a\",@progbits\n"                                      \
                 ".balign 8\n"                                                                     \
                 ".quad 1b, %l[" #label "], %c0\n"                                                 \
                 ".popsection"                                                                     \
                 :                                                                                 \
                 : "i"(characteristic)                                                             \
                 :                                                                                 \
                 : label)

// The points of these characteristics (bit n: that of enum log_characteristic) are on, all others
// off. On return no CPU is behind one that has been switched off. Thread context, no spin lock
// held; one at a time.
void log_points_set(u32 characteristics);

// Behind a point; soft-masked. As log_event and log_run_queue of handler.h, on this CPU.
void log_tell(u32 event, u32 current, u32 correspondent, u32 counter);
void log_tell_run_queue(u32 length);

#endif

// SPDX-License-Identifier: MIT
// Where the scheduler tells others that a CPU goes from one thread to another, and others tell
// monitors what else happens to a thread. Nothing is asked while nobody wants to know: the points
// are nops, or branches that are there for something else, and are patched to branches meanwhile.
// Assembler reads this, too.
#ifndef KERNEL_PROC_SWITCH_POINTS_H
#define KERNEL_PROC_SWITCH_POINTS_H

// Who wants to know. A place goes to the first of its targets that somebody wants.
#define SWITCHES_COUNTED 0   // events are counted by task (pmu/task_points.h)
#define SWITCHES_MONITORED 1 // a monitor records them (monitors/sensor.h)
#define EVENTS_MONITORED 2   // … or something else: calls can keep their fast path
#define CALLS_MONITORED 3    // … or calls, which then leave it
#define CALLS_LOGGED 4       // the fast path of calls tells the logs of them (log/fast.S)
#define ANSWERS_LOGGED 5     // … and of answers
#define SERVICES_LOGGED 6    // … and of service times
#define TRACE_LEAVES_OUT 7   // the trace leaves out processes (trace/left_out.c)
#define CALLS_UNTRACED 8     // … and has no switches: calls must leave their fast path

#ifndef __ASSEMBLER__
#include <orrery/types.h>
#include <stdbool.h>

#define SWITCH_TARGET(label, user) ".quad 1b, %l[" #label "], " #user "\n"
// Without sensors (kernel/module.mk) nobody goes to the label of monitors.
#ifdef WITHOUT_SENSORS
#define SWITCH_TARGET_MONITORED(label)
#else
#define SWITCH_TARGET_MONITORED(label) SWITCH_TARGET(label, 1)
#endif

// One nop. What follows the label of those who count has to go on to the label of monitors.
#define SWITCH_POINT(counted, monitored)                                                           \
    __asm__ goto("1: nop\n"                                                                        \
                 ".pushsection .switch_points,\"a\",@progbits\n"                                   \
                 ".balign 8\n" SWITCH_TARGET(counted, 0) SWITCH_TARGET(counted, 7)                 \
                     SWITCH_TARGET_MONITORED(monitored) ".popsection"                              \
                 :                                                                                 \
                 :                                                                                 \
                 :                                                                                 \
                 : counted, monitored)
// The same where monitors alone want to know: of switches, and of anything else.
#ifdef WITHOUT_SENSORS
#define SWITCH_POINT_OF(user, monitored)                                                           \
    do {                                                                                           \
        if (false)                                                                                 \
            goto monitored;                                                                        \
    } while (0)
#else
#define SWITCH_POINT_OF(user, monitored)                                                           \
    __asm__ goto("1: nop\n"                                                                        \
                 ".pushsection .switch_points,\"a\",@progbits\n"                                   \
                 ".balign 8\n" SWITCH_TARGET(monitored, user) ".popsection"                        \
                 :                                                                                 \
                 :                                                                                 \
                 :                                                                                 \
                 : monitored)
#endif
#define SWITCH_POINT_MONITORED(monitored) SWITCH_POINT_OF(1, monitored)
#define EVENT_POINT_MONITORED(monitored) SWITCH_POINT_OF(2, monitored)

// Says whether one of the users wants to know of switches. Each call changes that. On return every
// CPU acts by it. Thread context, no spin lock held.
void switch_points_set(u32 user, bool on);
#endif

#endif

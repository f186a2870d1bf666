// SPDX-License-Identifier: MIT
// The log handler (S004 §4.3.3): puts rows into a CPU's areas as the scheduler's descriptors and
// registers tell. What stands there is not trusted: whatever it is, nothing is written outside of
// the areas but the first LOG_OVERRUN bytes behind each.
// All functions: on the CPU that the areas are for, one at a time (in the kernel soft-masked, in a
// process inside of user_disable). Each does a bounded number of steps.
#ifndef LOG_HANDLER_H
#define LOG_HANDLER_H

#include <orrery/log.h>

// A row that begins with the last entry of an area ends this many bytes behind it.
#define LOG_OVERRUN 28

struct log_cpu {
    u8 *areas[LOG_AREAS]; // NULL: not there
    u32 virtual_time;     // the last virtual stamp
};

// The host's: the time base.
u64 log_timebase(void);

// Domain `current` is the one that did it. Nothing is logged of domain 0, and nothing that happens
// within a domain. Without a selector the threshold stays as it is.
void log_happens(struct log_cpu *cpu, u32 event, u32 current, u32 correspondent, u32 counter);
// The run queue has this length.
void log_run_queue(struct log_cpu *cpu, u32 length);
// Events that begin and end (S004 §4.3.5). At the beginning: will this one be logged?
bool log_enters(struct log_cpu *cpu, u32 event, u32 current);
// At its end: logs it if so.
void log_leaves(struct log_cpu *cpu, u32 event, u32 current, u32 counter);

#endif

// SPDX-License-Identifier: MIT
// The log handler (S004 §4.3.3) writes rows into a CPU's areas, as the scheduler's descriptors and
// registers say. It does not trust them: whatever they hold, it writes only into the areas and the
// first LOG_OVERRUN bytes behind each.
// All functions: on the areas' CPU, one at a time (in the kernel soft-masked, in a process inside
// of user_disable). Each takes a bounded number of steps.
// process inside of user_disable). Each does a bounded number of steps.
#ifndef LOG_HANDLER_H
#define LOG_HANDLER_H

#include <orrery/log.h>

// A row that begins with the last entry of an area ends this many bytes behind it.
#define LOG_OVERRUN 28

struct log_cpu {
    u8 *areas[LOG_AREAS]; // NULL: none
    u32 virtual_time;     // the last virtual stamp
};

// Returns the time base; the host supplies it.
u64 log_timebase(void);

// Logs an event of domain `current`. Nothing of domain 0 is logged, and nothing within a domain.
// Without a selector the threshold does not change.
void log_happens(struct log_cpu *cpu, u32 event, u32 current, u32 correspondent, u32 counter);
// Logs the run queue's length.
void log_run_queue(struct log_cpu *cpu, u32 length);
// Events that begin and end (S004 §4.3.5). At the beginning: returns whether to log this one.
bool log_enters(struct log_cpu *cpu, u32 event, u32 current);
// At its end: logs it if log_enters said so.
void log_leaves(struct log_cpu *cpu, u32 event, u32 current, u32 counter);

#endif

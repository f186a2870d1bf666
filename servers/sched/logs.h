// SPDX-License-Identifier: MIT
// The logs of the kernel (orrery/log.h) as the scheduler's input: an area on each CPU, with a file
// of the run queue's lengths and one of calls. While they are open this process owns them.
#ifndef SCHED_LOGS_H
#define SCHED_LOGS_H

#include <orrery/log.h>
#include <orrery/sched.h>

// A row of the file of calls.
struct logs_call {
    u32 event; // LOG_CALL_SENT, LOG_CALL_TAKEN
    u32 current, correspondent;
    u32 stamp; // LOG_STAMP_HARDWARE
};

// Takes the logs: an area on each of the machine's CPUs. E_BUSY: another process owns them.
// E_NOMEM.
s64 logs_open(u32 cpus);
void logs_close(void);
// Has calls logged, or no more.
s64 logs_calls(bool on);
// Stores the latest length of each CPU's queue. Returns 0, or the error of a reading; what is not
// told newly stays as it was.
s64 logs_read_queues(u8 lengths[SCHED_CPUS]);
// Reads the new rows of a CPU's calls, which stay until the next reading. *lost: older ones were
// overwritten before this. Returns how many, or an error.
s64 logs_read_calls(u32 cpu, const struct logs_call **rows, bool *lost);
// Returns the time (time base) of a stamp that is not older than 4 minutes, nor later than now.
u64 logs_time(u32 stamp, u64 now);

#endif

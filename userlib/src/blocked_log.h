// SPDX-License-Identifier: MIT
// The log of a BlockedThreadQueues object (S000 "Software Instrumentation"): a buffer that is there
// while the object is logged, of 8 KB at first. When records were lost, the reader exchanges it for
// one that is larger by steps of 4 KB. Many writers, under a spin lock; one reader. Everything here
// runs inside of user_disable unless said otherwise.
#ifndef USERLIB_BLOCKED_LOG_H
#define USERLIB_BLOCKED_LOG_H

#include <orrery/inspect.h>
#include <user/scheduler.h>

#define BLOCKED_LOG_START 0x2000
#define BLOCKED_LOG_STEP 0x1000
#define BLOCKED_LOG_MAX 0x100000

struct blocked_log {
    struct user_spin lock;              // of all here
    struct sys_blocked_record *records; // a ring; NULL: nothing is logged
    u64 bytes;
    u64 first, count;
    u64 logged, lost, lost_seen; // seen: made up for by the last growth
    u32 gap;                     // records lost since the last one that was not
};

static inline bool blocked_log_on(const struct blocked_log *log)
{
    return log->records != NULL;
}

// Writes a record. Fills in its time and what was lost before it.
void blocked_log_write(struct blocked_log *log, const struct sys_blocked_record *record);

// Returns memory for blocked_log_begin; NULL: none. Enabled, in a thread.
struct sys_blocked_record *blocked_log_memory(u64 bytes);
// Begins an empty log of BLOCKED_LOG_START bytes of memory.
void blocked_log_begin(struct blocked_log *log, struct sys_blocked_record *memory);

// These: enabled, in a thread, one at a time. At the end nobody writes any more.
void blocked_log_end(struct blocked_log *log);
// Takes at most max of the oldest records, and returns how many. Fills in the counts of *head.
// Makes the buffer larger if records were lost.
u32 blocked_log_read(struct blocked_log *log, struct sys_blocked_record *records, u32 max,
                     struct sys_blocked_log *head);

#endif

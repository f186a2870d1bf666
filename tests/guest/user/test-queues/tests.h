// SPDX-License-Identifier: MIT
// The parts of test-queues, and what they share: threads that wait when they are told to,
// and the log as it was read.
#ifndef TEST_QUEUES_TESTS_H
#define TEST_QUEUES_TESTS_H

#include <expect.h>
#include <user/blocked_threads.h>
#include <user/scheduler.h>
#include <user/time.h>

void test_order(void);
void test_logging(void);
void test_churn(void);
// For a viewer: does known things once it is logged, and tells what it did.
// flooding: too much for its buffer.
void run_known(bool flooding);

u32 random_below(u32 end);

// ---- agents.c -----------------------------------------------------------------------------------

// A thread that waits in `queues` for `word` each time that it is told to.
struct agent {
    struct thread *thread;
    struct semaphore go;
    coid_t queues;
    const u64 *word; // NULL: it ends
    u64 deadline;
    s64 result;
    bool busy;
};
// Agents on all CPUs in turn.
void agents_start(struct agent *agents, u32 count, coid_t queues);
void agents_end(struct agent *agents, u32 count);
// Returns when the agent waits, or, with a deadline that is over, has waited.
void agent_wait(struct agent *agent, const u64 *word, u64 deadline);
// Until what it has waited for has come.
void agent_join(const struct agent *agent);

// Threads that wait for word, by the list of the inspection channel.
u64 queue_length(coid_t queues, const u64 *word);
// Size of an object's buffer; 0: it is not logged.
u64 buffer_bytes(coid_t queues);

// What has been read of an object's log.
#define LOG_MAX 65536
struct log {
    struct sys_blocked_record records[LOG_MAX];
    u32 count;
    u64 logged, lost;
    u32 buffer_bytes;
    u32 objects; // that were seen in the last reading
};
void log_read(struct log *log, coid_t queues);

#endif

// SPDX-License-Identifier: MIT
// Threads on all CPUs wait, time out and wake each other as they like. Every change is logged or
// counted as lost. A log without loss, replayed, is a history that queues of first come, first
// served can have.
#include "tests.h"

#include <rows.h>
#include <stdio.h>

#define THREADS 8
#define WORDS 3
#define ROUNDS 1500
#define PASSES 8

static u64 words[WORDS];
static coid_t queues;
static struct log log;
static u32 running; // atomic

static struct worker {
    u32 id;
    u64 waits, time_outs;
    u64 woke; // others
} workers[THREADS];

static s64 churn(void *argument)
{
    struct worker *worker = argument;
    worker->id = thread_id(thread_current());
    for (u32 i = 0; i < ROUNDS; i++) {
        const u64 *word = &words[random_below(WORDS)];
        if (random_below(3) == 0) {
            worker->woke += (u64)blocked_threads_wake_in(queues, word, 1 + random_below(3));
            continue;
        }
        u64 deadline = time_after_us(random_below(100));
        s64 result = blocked_threads_wait_in(queues, word, 0, deadline);
        EXPECT(result == 0 || result == E_TIMEOUT);
        worker->waits++;
        worker->time_outs += result == E_TIMEOUT;
    }
    __atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
    return 0;
}

// ---- replay -------------------------------------------------------------------------------------

struct line {
    u32 threads[THREADS];
    u32 count;
};

static u32 place_of(const struct line *line, u32 thread)
{
    u32 i = 0;
    while (i < line->count && line->threads[i] != thread)
        i++;
    return i;
}

static void replay_one(struct line *line, const struct sys_blocked_record *record)
{
    u32 place = place_of(line, record->thread);
    if (record->operation == SYS_BLOCKED_ENQUEUE) {
        EXPECT(place == line->count && line->count < THREADS);
        line->threads[line->count++] = record->thread;
    } else {
        bool woken = record->operation == SYS_BLOCKED_WAKEUP;
        EXPECT(place < line->count && (!woken || place == 0));
        EXPECT(woken || record->operation == SYS_BLOCKED_DEQUEUE);
        if (place >= line->count)
            return;
        line->count--;
        for (u32 i = place; i < line->count; i++)
            line->threads[i] = line->threads[i + 1];
    }
    EXPECT(record->length == line->count);
}

static void replay(void)
{
    struct line lines[WORDS] = {0};
    u64 before = 0;
    for (u32 i = 0; i < log.count; i++) {
        u64 word = (log.records[i].queue - (u64)words) / sizeof(words[0]);
        EXPECT(word < WORDS && log.records[i].time >= before);
        before = log.records[i].time;
        if (word < WORDS)
            replay_one(&lines[word], &log.records[i]);
    }
    for (u32 i = 0; i < WORDS; i++)
        EXPECT(lines[i].count == 0);
}

static u64 count_of(u32 operation, u32 thread)
{
    u64 count = 0;
    for (u32 i = 0; i < log.count; i++)
        count += log.records[i].operation == operation && log.records[i].thread == thread;
    return count;
}

// ---- a pass -------------------------------------------------------------------------------------

// Runs the workers while the log is read. Changes of queues by their own account.
static u64 run_workers(void)
{
    struct thread *threads[THREADS];
    u64 changes = 0;
    __atomic_store_n(&running, THREADS, __ATOMIC_RELAXED);
    for (u32 i = 0; i < THREADS; i++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = i % user_cpu_count();
        workers[i] = (struct worker){0};
        EXPECT(thread_create(&threads[i], &attributes, churn, &workers[i]) == 0);
    }
    while (__atomic_load_n(&running, __ATOMIC_ACQUIRE)) {
        thread_sleep_us(2000);
        log_read(&log, queues);
    }
    for (u32 i = 0; i < THREADS; i++) {
        EXPECT(thread_join(threads[i], NULL) == 0);
        changes += workers[i].waits + workers[i].time_outs + workers[i].woke;
    }
    log_read(&log, queues);
    return changes;
}

static void check_workers(void)
{
    struct row_tally waits = {0}, time_outs = {0}, wake_ups = {0};
    u64 woken = 0, woke = 0;
    for (u32 i = 0; i < THREADS; i++) {
        const struct worker *worker = &workers[i];
        u64 answered = worker->waits - worker->time_outs;
        row_compare(&waits, worker->waits, worker->waits,
                    count_of(SYS_BLOCKED_ENQUEUE, worker->id));
        row_compare(&time_outs, worker->time_outs, worker->time_outs,
                    count_of(SYS_BLOCKED_DEQUEUE, worker->id));
        row_compare(&wake_ups, answered, answered, count_of(SYS_BLOCKED_WAKEUP, worker->id));
        woken += worker->waits - worker->time_outs;
        woke += worker->woke;
    }
    EXPECT(woken == woke);
    row_of(&waits, "  enqueues, thread by thread");
    row_of(&time_outs, "  dequeues, their time over");
    row_of(&wake_ups, "  wake-ups");
}

// What happened in it, whether or not some of it was lost, adds up exactly; without loss it is
// checked entry by entry. Each loss makes the buffer larger, so that sooner or later there is none.
void test_churn(void)
{
    bool whole = false;
    u64 changes = 0, lost = 0;
    queues = (coid_t)blocked_threads_create();
    EXPECT(blocked_threads_log(queues, SYS_BLOCKED_FRESH) == 1);
    for (u32 pass = 0; pass < PASSES && !whole; pass++) {
        log.count = 0;
        changes += run_workers();
        EXPECT(log.logged + log.lost == changes);
        whole = log.lost == lost;
        lost = log.lost;
    }
    EXPECT(whole);
    row_exact(changes, log.logged + log.lost, "%u threads at will: changes, logged or lost",
              THREADS);
    if (whole) {
        replay();
        check_workers();
    }
    printf("churn: %lu changes, %lu lost, buffer of %u bytes\n", changes, lost,
           (unsigned)log.buffer_bytes);
    EXPECT(blocked_threads_destroy(queues) == 0);
}

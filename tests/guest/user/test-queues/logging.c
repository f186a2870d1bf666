// SPDX-License-Identifier: MIT
// Logs of objects: on and off one by one, exact loss, growth, threads that are there already;
// locks on such objects.
#include "tests.h"

#define SOME 4
#define TOO_MANY 400
#define ROUNDS 500

static u64 word;
static struct agent agents[SOME];
static struct log log;

static coid_t create(void)
{
    s64 queues = blocked_threads_create();
    EXPECT(queues > 0);
    return (coid_t)queues;
}

static void time_out_often(coid_t queues, u32 times)
{
    for (u32 i = 0; i < times; i++)
        EXPECT(blocked_threads_wait_in(queues, &word, 0, 0) == E_TIMEOUT);
}

static void only_what_is_on_is_logged(void)
{
    coid_t first = create(), second = create();
    EXPECT(blocked_threads_log(first, SYS_BLOCKED_ON) == 1);
    time_out_often(first, 3);
    time_out_often(second, 5);
    log.count = 0;
    log_read(&log, first);
    EXPECT(log.objects == 1 && log.count == 6 && log.logged == 6);
    EXPECT(buffer_bytes(first) == 0x2000 && buffer_bytes(second) == 0);
    EXPECT(blocked_threads_log(first, SYS_BLOCKED_ON) == 1); // goes on
    time_out_often(first, 1);
    EXPECT(blocked_threads_log(first, SYS_BLOCKED_OFF) == 1);
    EXPECT(buffer_bytes(first) == 0);
    log_read(&log, first);
    EXPECT(log.objects == 0);
    EXPECT(blocked_threads_destroy(first) == 0 && blocked_threads_destroy(first) == E_NOENT);
    EXPECT(blocked_threads_log(first, SYS_BLOCKED_ON) == E_NOENT);
    EXPECT(blocked_threads_log(second, 3) == E_INVAL);
    EXPECT(blocked_threads_destroy(second) == 0);
}

// 256 records fit at first.
static void what_is_lost_is_counted_and_made_up_for(void)
{
    coid_t queues = create();
    EXPECT(blocked_threads_log(queues, SYS_BLOCKED_FRESH) == 1);
    time_out_often(queues, TOO_MANY);
    log.count = 0;
    log_read(&log, queues);
    EXPECT(log.count == 256 && log.logged == 256 && log.lost == 2 * TOO_MANY - 256);
    u64 wanted = 0x2000 + ALIGN_UP((2 * TOO_MANY - 256) * sizeof(log.records[0]), 0x1000ul);
    EXPECT(log.buffer_bytes == wanted);
    time_out_often(queues, TOO_MANY);
    log_read(&log, queues);
    EXPECT(log.count == 256 + 2 * TOO_MANY && log.lost == 2 * TOO_MANY - 256);
    EXPECT(log.records[256].lost == 2 * TOO_MANY - 256 && log.records[257].lost == 0);
    EXPECT(blocked_threads_log(queues, SYS_BLOCKED_FRESH) == 1);
    log.count = 0;
    log_read(&log, queues);
    EXPECT(log.count == 0 && log.logged == 0 && log.lost == 0 && log.buffer_bytes == 0x2000);
    u64 cursor = 0;
    EXPECT(blocked_threads_read(&cursor, log.records, 32) == E_INVAL);
    EXPECT(blocked_threads_destroy(queues) == 0);
}

static void those_who_wait_already_come_first(void)
{
    coid_t queues = create();
    agents_start(agents, SOME, queues);
    for (u32 i = 0; i < SOME; i++)
        agent_wait(&agents[i], &word, THREAD_FOREVER);
    EXPECT(blocked_threads_destroy(queues) == E_BUSY);
    EXPECT(blocked_threads_log(queues, SYS_BLOCKED_FRESH) == 1);
    EXPECT(blocked_threads_wake_in(queues, &word, 1) == 1);
    agent_join(&agents[0]);
    log.count = 0;
    log_read(&log, queues);
    EXPECT(log.count == SOME + 1);
    for (u32 i = 0; i < SOME; i++)
        EXPECT(log.records[i].operation == SYS_BLOCKED_PRESENT && log.records[i].length == i + 1 &&
               log.records[i].thread == thread_id(agents[i].thread));
    EXPECT(log.records[SOME].operation == SYS_BLOCKED_WAKEUP);
    EXPECT(log.records[SOME].length == SOME - 1);
    EXPECT(blocked_threads_wake_in(queues, &word, SOME) == SOME - 1);
    agents_end(agents, SOME);
    EXPECT(blocked_threads_destroy(queues) == 0);
}

static void all_means_those_to_come(void)
{
    EXPECT(blocked_threads_log(0, SYS_BLOCKED_FRESH) == 1); // the process's own
    coid_t later = create();
    EXPECT(buffer_bytes(later) == 0x2000);
    EXPECT(blocked_threads_log(0, SYS_BLOCKED_OFF) == 2);
    coid_t last = create();
    EXPECT(buffer_bytes(last) == 0 && buffer_bytes(later) == 0);
    EXPECT(blocked_threads_destroy(later) == 0 && blocked_threads_destroy(last) == 0);
}

// ---- a lock on an object of its own -------------------------------------------------------------

static struct queued_mutex mutex;
static u64 counter;

static s64 count_up(void *argument)
{
    (void)argument;
    for (u32 i = 0; i < ROUNDS; i++) {
        queued_mutex_lock(&mutex);
        u64 seen = counter;
        if (i % 64 == 0)
            thread_sleep_us(200); // the others run into the lock
        counter = seen + 1;
        queued_mutex_unlock(&mutex);
    }
    return 0;
}

static void a_mutex_waits_in_its_own_object(void)
{
    struct thread *threads[SOME];
    mutex = QUEUED_MUTEX(create());
    EXPECT(blocked_threads_log(mutex.queues, SYS_BLOCKED_FRESH) == 1);
    for (u32 i = 0; i < SOME; i++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = i % user_cpu_count();
        EXPECT(thread_create(&threads[i], &attributes, count_up, NULL) == 0);
    }
    for (u32 i = 0; i < SOME; i++)
        EXPECT(thread_join(threads[i], NULL) == 0);
    EXPECT(counter == SOME * ROUNDS && mutex.mutex.word == 0);
    queued_mutex_lock(&mutex);
    EXPECT(mutex_held(&mutex.mutex));
    queued_mutex_unlock(&mutex);
    log.count = 0;
    log_read(&log, mutex.queues);
    EXPECT(log.count > 0);
    for (u32 i = 0; i < log.count; i++)
        EXPECT(log.records[i].queue == (u64)&mutex.mutex.word);
    EXPECT(blocked_threads_destroy(mutex.queues) == 0);
    EXPECT(blocked_threads_wait_in(mutex.queues, &word, 0, 0) == E_STALE);
}

void test_logging(void)
{
    only_what_is_on_is_logged();
    what_is_lost_is_counted_and_made_up_for();
    those_who_wait_already_come_first();
    all_means_those_to_come();
    a_mutex_waits_in_its_own_object();
}

// SPDX-License-Identifier: MIT
// Threads that wait when they are told to, and looks at the queues through the inspection channel.
#include "tests.h"

#include <stdio.h>
#include <string.h>

static u64 buffer[INSPECT_BYTES / 8];

static s64 act(void *argument)
{
    struct agent *agent = argument;
    for (;;) {
        semaphore_down(&agent->go);
        if (!agent->word)
            return 0;
        agent->result = blocked_threads_wait_in(agent->queues, agent->word, 0, agent->deadline);
        __atomic_store_n(&agent->busy, false, __ATOMIC_RELEASE);
    }
}

void agents_start(struct agent *agents, u32 count, coid_t queues)
{
    for (u32 i = 0; i < count; i++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = i % user_cpu_count();
        agents[i] = (struct agent){.queues = queues};
        EXPECT(thread_create(&agents[i].thread, &attributes, act, &agents[i]) == 0);
    }
}

void agents_end(struct agent *agents, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        agents[i].word = NULL;
        semaphore_up(&agents[i].go);
        EXPECT(thread_join(agents[i].thread, NULL) == 0);
    }
}

void agent_join(const struct agent *agent)
{
    while (__atomic_load_n(&agent->busy, __ATOMIC_ACQUIRE))
        thread_sleep_us(50);
}

void agent_wait(struct agent *agent, const u64 *word, u64 deadline)
{
    u64 before = queue_length(agent->queues, word);
    agent->word = word;
    agent->deadline = deadline;
    agent->busy = true;
    semaphore_up(&agent->go);
    if (deadline <= time_now()) {
        agent_join(agent);
        return;
    }
    // A short wait may be over before anybody has seen it.
    while (__atomic_load_n(&agent->busy, __ATOMIC_ACQUIRE) &&
           queue_length(agent->queues, word) == before)
        thread_sleep_us(50);
}

static const struct sys_blocked_object *find_object(coid_t queues)
{
    u64 cursor = 0;
    s64 bytes;
    while ((bytes = blocked_threads_list(&cursor, buffer, sizeof(buffer))) > 0)
        for (const char *at = (const char *)buffer; at < (const char *)buffer + bytes;) {
            const struct sys_blocked_object *object = (const void *)at;
            if (object->coid == queues)
                return object;
            at += object->record_bytes;
        }
    return NULL;
}

u64 queue_length(coid_t queues, const u64 *word)
{
    const struct sys_blocked_object *object = find_object(queues);
    for (u32 i = 0; object && i < object->queue_count; i++)
        if (object->queues[i].queue == (u64)word)
            return object->queues[i].length;
    return 0;
}

u64 buffer_bytes(coid_t queues)
{
    const struct sys_blocked_object *object = find_object(queues);
    return object ? object->buffer_bytes : 0;
}

static void take(struct log *log, const struct sys_blocked_log *head)
{
    const struct sys_blocked_record *records = (const void *)(head + 1);
    for (u32 i = 0; i < head->count && log->count < LOG_MAX; i++)
        log->records[log->count++] = records[i];
    log->logged = head->logged;
    log->lost = head->lost;
    log->buffer_bytes = head->buffer_bytes;
}

void log_read(struct log *log, coid_t queues)
{
    static u64 bytes_read[INSPECT_BYTES / 8];
    u64 cursor = 0;
    s64 bytes;
    log->objects = 0;
    while ((bytes = blocked_threads_read(&cursor, bytes_read, sizeof(bytes_read))) > 0)
        for (const char *at = (const char *)bytes_read; at < (const char *)bytes_read + bytes;) {
            const struct sys_blocked_log *head = (const void *)at;
            log->objects++;
            if (head->coid == queues)
                take(log, head);
            at += sizeof(*head) + head->count * sizeof(struct sys_blocked_record);
        }
    EXPECT(bytes == 0);
}

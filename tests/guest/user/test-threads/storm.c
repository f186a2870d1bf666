// SPDX-License-Identifier: MIT
// Everything at once: threads come and go on all CPUs, move, fault pages in, lock,
// sleep and wake each other.
#include "tests.h"

#include <stdlib.h>
#include <string.h>

#define WORKERS 12
#define ROUNDS 60
#define CHILDREN 300

static struct mutex mutex;
static u64 total, lost;

static u32 next(u32 *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

static s64 work(void *argument)
{
    u32 seed = (u32)(u64)argument + 1;
    for (u32 round = 0; round < ROUNDS; round++) {
        u32 cpus = user_cpu_count();
        switch (next(&seed) % 5) {
        case 0:
            thread_move(thread_current(), next(&seed) % cpus);
            break;
        case 1: {
            u64 bytes = (next(&seed) % 64 + 1) * 4096;
            u8 *pages = user_pages(0, bytes);
            for (u64 i = 0; pages && i < bytes; i += 4096)
                pages[i] = (u8)(i >> 12);
            for (u64 i = 0; pages && i < bytes; i += 4096)
                lost += pages[i] != (u8)(i >> 12);
            user_pages_free(pages, bytes);
            break;
        }
        case 2:
            thread_sleep_us(next(&seed) % 300);
            break;
        case 3: {
            char *text = malloc(next(&seed) % 3000 + 1);
            thread_yield();
            free(text);
            break;
        }
        default:
            break;
        }
        mutex_lock(&mutex);
        total++;
        mutex_unlock(&mutex);
    }
    return 0;
}

static s64 nothing(void *argument)
{
    (void)argument;
    return 7;
}

static s64 children(void *argument)
{
    u32 seed = (u32)(u64)argument + 100;
    s64 wrong = 0;
    for (u32 i = 0; i < CHILDREN; i++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        struct thread *thread;
        s64 result = 0;
        attributes.cpu = next(&seed) % user_cpu_count();
        attributes.priority = next(&seed) % THREAD_PRIORITIES;
        wrong += thread_create(&thread, &attributes, nothing, NULL) != 0 ||
                 thread_join(thread, &result) != 0 || result != 7;
    }
    return wrong;
}

void test_storm(void)
{
    struct thread *threads[WORKERS + 4];
    for (u64 i = 0; i < WORKERS + 4; i++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = (u32)i % user_cpu_count();
        attributes.priority = 2 + (u32)i % 3;
        EXPECT(thread_create(&threads[i], &attributes, i < WORKERS ? work : children, (void *)i) ==
               0);
    }
    for (u32 i = 0; i < WORKERS + 4; i++) {
        s64 result = -1;
        EXPECT(thread_join(threads[i], &result) == 0 && result == 0);
    }
    EXPECT(total == WORKERS * ROUNDS && lost == 0);
}

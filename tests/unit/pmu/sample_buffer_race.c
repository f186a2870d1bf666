// SPDX-License-Identifier: MIT
// Sample buffer with its writer and its reader at the same time, under the race detector: every
// sample is either read, once, in order and whole, or counted as lost.
#include "platform.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <pmu/sample_buffer.h>
#include <stdarg.h>

#include <cmocka.h>

#define SAMPLES 300000u
#define CALLERS 3

static struct sample_buffer buffer;
static u32 writer_done;

static void *writer(void *argument)
{
    (void)argument;
    for (u64 number = 1; number <= SAMPLES; number++) {
        struct sample_slot slot;
        if (number % 5000 == 0)
            sched_yield();
        // As the handler does.
        if (sample_buffer_offered(&buffer) ? !sample_buffer_begin(&buffer, &slot)
                                           : !sample_buffer_quick(&buffer, &slot))
            continue;
        *slot.sample = (struct sys_sample){.time = number, .coid = number * 3, .pc = number * 5};
        for (u64 i = 0; i < CALLERS; i++)
            slot.sample->callers[i] = number * (7 + i);
        sample_buffer_commit(&buffer, &slot);
    }
    __atomic_store_n(&writer_done, 1, __ATOMIC_RELEASE);
    return NULL;
}

static u64 read_all(u64 *last)
{
    const struct sys_sample *sample;
    u64 count = 0;
    while ((sample = sample_buffer_peek(&buffer)) != NULL) {
        u64 number = sample->time;
        assert_true(number > *last);
        assert_int_equal(sample->coid, number * 3);
        assert_int_equal(sample->pc, number * 5);
        for (u64 i = 0; i < CALLERS; i++)
            assert_int_equal(sample->callers[i], number * (7 + i));
        *last = number;
        count++;
        sample_buffer_drop(&buffer);
    }
    return count;
}

static void every_sample_is_read_once_or_counted_as_lost(void **state)
{
    (void)state;
    pthread_t thread;
    u64 read = 0;
    u64 last = 0;
    assert_int_equal(sample_buffer_init(&buffer, CALLERS), 0);
    assert_int_equal(pthread_create(&thread, NULL, writer, NULL), 0);
    while (!__atomic_load_n(&writer_done, __ATOMIC_ACQUIRE)) {
        read += read_all(&last);
        sample_buffer_grow(&buffer);
        sched_yield();
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    read += read_all(&last);
    assert_int_equal(buffer.taken, read);
    assert_int_equal(buffer.taken + buffer.lost, SAMPLES);
    print_message("%lu read, %lu lost, %lu KB at the end\n", read, buffer.lost,
                  buffer.bytes / 1024);
    sample_buffer_free(&buffer);
    assert_int_equal(platform_blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sample_is_read_once_or_counted_as_lost),
    };
    return cmocka_run_group_tests_name("pmu_sample_buffer_race", tests, NULL, NULL);
}

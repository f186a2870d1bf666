// SPDX-License-Identifier: MIT
// Writers on two CPUs, readers on none in particular: every emitted event is found once in what was
// read, or in a count. Under ThreadSanitizer; on the host a CPU's interrupt mask is a lock.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include <trace/control.h>
#include <trace/events.h>
#include <trace/trace.h>

#include "host_platform.h"

#define EVENTS 200000

struct count {
    u64 read, torn;
    u64 next[HOST_CPUS]; // payloads rise on a CPU
};

static u32 writing;

static void *write_events(void *argument)
{
    host_cpu = (u32)(u64)argument;
    for (u64 i = 1; i <= EVENTS; i++)
        trace_test2(host_cpu, i);
    __atomic_sub_fetch(&writing, 1, __ATOMIC_RELAXED);
    return NULL;
}

static void count_events(struct count *count, u32 cpu, const struct trace_packet *packet)
{
    const u64 *end = (const u64 *)packet + TRACE_BE64(packet->content_bits) / 64;
    u64 events = 0;
    for (const u64 *event = packet->events; event < end; event += 3, events++) {
        u64 number = TRACE_BE64(event[2]);
        count->torn += trace_event_length(TRACE_BE64(*event)) != 3 || TRACE_BE64(event[1]) != cpu ||
                       number < count->next[cpu];
        count->next[cpu] = number + 1;
    }
    count->torn += events != TRACE_BE32(packet->event_count);
    count->read += events;
}

static void read_all(struct count *count, void *packet)
{
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++) {
        while (trace_read(cpu, true, packet, TRACE_SUBBUFFER_SIZE) > 0)
            count_events(count, cpu, packet);
    }
}

static void nothing_is_lost_uncounted(enum sys_trace_mode mode)
{
    pthread_t writers[HOST_CPUS];
    struct count count = {0};
    void *packet = malloc(TRACE_SUBBUFFER_SIZE);
    host_start(4, mode);
    trace_set_mask(1UL << TRACE_MAJOR_TEST);
    writing = HOST_CPUS;
    for (u64 cpu = 0; cpu < HOST_CPUS; cpu++)
        assert_int_equal(pthread_create(&writers[cpu], NULL, write_events, (void *)cpu), 0);
    while (__atomic_load_n(&writing, __ATOMIC_RELAXED) > 0)
        read_all(&count, packet);
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++)
        pthread_join(writers[cpu], NULL);
    read_all(&count, packet);
    u64 lost = 0;
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++) {
        struct sys_trace_stat stat;
        trace_stat(cpu, &stat);
        assert_int_equal(stat.events + stat.discarded, EVENTS);
        lost += stat.discarded + stat.overwritten;
    }
    print_message("read %lu, lost %lu\n", count.read, lost);
    assert_int_equal(count.torn, 0);
    assert_int_equal(count.read + lost, HOST_CPUS * EVENTS);
    free(packet);
    host_end();
}

static void discarded_and_read_events_are_all_that_were_emitted(void **state)
{
    (void)state;
    nothing_is_lost_uncounted(SYS_TRACE_DISCARD);
}

static void overwritten_and_read_events_are_all_that_were_emitted(void **state)
{
    (void)state;
    nothing_is_lost_uncounted(SYS_TRACE_OVERWRITE);
}

static void *toggle(void *argument)
{
    (void)argument;
    for (u32 i = 0; i < 500; i++)
        trace_set_mask(i % 2 == 0 ? TRACE_ALL_MAJORS : 1UL << TRACE_MAJOR_TEST);
    return NULL;
}

static void masks_set_by_two_at_once_end_up_as_one_of_them(void **state)
{
    (void)state;
    pthread_t threads[2];
    host_start(4, SYS_TRACE_OVERWRITE);
    for (u32 i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, toggle, NULL);
    for (u32 i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (u32 i = 0; i < HOST_POINTS; i++) {
        bool on = trace_mask() >> host_points[i].major & 1;
        assert_int_equal(host_points_on[i], host_points_off[i] + on);
    }
    host_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(discarded_and_read_events_are_all_that_were_emitted),
        cmocka_unit_test(overwritten_and_read_events_are_all_that_were_emitted),
        cmocka_unit_test(masks_set_by_two_at_once_end_up_as_one_of_them),
    };
    return cmocka_run_group_tests_name("trace_concurrent", tests, NULL, NULL);
}

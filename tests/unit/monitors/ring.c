// SPDX-License-Identifier: MIT
// Rings of monitors: order, losses, and readers beside the writer.
#include <observe/monitors/ring.h>

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PAGES 2
#define RECORDS (PAGES * RING_PAGE_RECORDS)
#define MANY 300000
#define LOST_MOST 50000

static struct sys_monitor_position position;
static struct sys_monitor_record *pages[PAGES];
static struct monitor_ring ring;

static int begin(void **state)
{
    (void)state;
    memset(&position, 0, sizeof(position));
    for (u32 i = 0; i < PAGES; i++)
        pages[i] = calloc(RING_PAGE_RECORDS, sizeof(*pages[i]));
    ring = (struct monitor_ring){
        .position = &position, .pages = pages, .records = RECORDS, .running = 1};
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (u32 i = 0; i < PAGES; i++)
        free(pages[i]);
    return 0;
}

static void append(u64 from, u64 count)
{
    for (u64 i = 0; i < count; i++)
        monitor_ring_append(&ring, 7, monitor_what(3, 4, 0), 5, from + i, 6);
}

static u64 take(struct sys_monitor_record *records, u64 most)
{
    u64 first, count = monitor_ring_peek(&ring, records, most, &first);

    assert_true(monitor_ring_take(&ring, first, count));
    return count;
}

static void records_come_in_order_round_after_round(void **state)
{
    struct sys_monitor_record records[RECORDS];
    u64 next = 0;

    (void)state;
    for (u64 round = 0; round < 50; round++) {
        append(next, 37);
        assert_int_equal(take(records, RECORDS), 37);
        for (u64 i = 0; i < 37; i++) {
            const struct sys_monitor_record expected = {5, 7, 3, 4, 0, {next + i, 6}};
            assert_memory_equal(&records[i], &expected, sizeof(expected));
        }
        next += 37;
    }
    assert_int_equal(take(records, RECORDS), 0);
}

static void a_full_ring_loses_the_new_ones_and_tells(void **state)
{
    struct sys_monitor_record records[RECORDS];
    struct sys_monitor_stat stat;

    (void)state;
    append(0, RECORDS + 5);
    monitor_ring_stat(&ring, &stat);
    assert_int_equal(stat.fired, RECORDS + 5);
    assert_int_equal(stat.lost, 5);
    assert_int_equal(stat.unread, RECORDS);
    assert_int_equal(stat.bytes, PAGES * 4096);
    assert_int_equal(take(records, 1), 1);
    assert_int_equal(records[0].word[0], 0);
    append(1000, 1);
    assert_int_equal(take(records, RECORDS), RECORDS);
    assert_int_equal(records[RECORDS - 1].word[0], 1000);
    assert_int_equal(records[RECORDS - 1].lost, 5);
    append(1001, 1);
    assert_int_equal(take(records, 1), 1);
    assert_int_equal(records[0].lost, 0);
}

static void losses_before_a_record_stop_at_what_it_can_tell(void **state)
{
    struct sys_monitor_record records[RECORDS];
    struct sys_monitor_stat stat;

    (void)state;
    append(0, RECORDS + 70000);
    take(records, RECORDS);
    append(1, 1);
    take(records, 1);
    assert_int_equal(records[0].lost, 65535);
    monitor_ring_stat(&ring, &stat);
    assert_int_equal(stat.lost, 70000);
    assert_int_equal(stat.fired, RECORDS + 70001);
}

// A halted ring writes nothing, and goes on where it was.
static void a_ring_that_does_not_run_fires_nothing(void **state)
{
    struct sys_monitor_record records[RECORDS];
    struct sys_monitor_stat stat;

    (void)state;
    for (u64 n = 0; n < 3 * RECORDS / 100; n++) {
        append(100 * n, 100);
        ring.running = 0;
        monitor_ring_halt(&ring);
        append(5000, 3);
        assert_int_equal(take(records, RECORDS), 100);
        for (u64 i = 0; i < 100; i++)
            assert_int_equal(records[i].word[0], 100 * n + i);
        ring.running = 1;
    }
    monitor_ring_stat(&ring, &stat);
    assert_int_equal(stat.fired, 3 * RECORDS / 100 * 100);
    assert_int_equal(stat.lost, 0);
}

static void who_comes_second_takes_nothing(void **state)
{
    struct sys_monitor_record records[4];
    u64 first, unread;

    (void)state;
    append(0, 10);
    assert_int_equal(monitor_ring_peek(&ring, records, 4, &first), 4);
    assert_true(monitor_ring_take(&ring, first, 4));
    assert_false(monitor_ring_take(&ring, first, 4));
    assert_int_equal(monitor_ring_first(&ring, &unread), 4);
    assert_int_equal(unread, 6);
}

static volatile bool written;

static u64 unread(void)
{
    u64 count;

    monitor_ring_first(&ring, &count);
    return count;
}

// A record tells of at most 65,535 lost ones: readers that come late are waited for before that.
static void *write_many(void *unused)
{
    for (u64 i = 0; i < MANY; i++) {
        append(1 + i, 1);
        while (ring.just_lost >= LOST_MOST && unread() == RECORDS)
            sched_yield();
    }
    written = true;
    return unused;
}

// Two readers and a writer: each record comes to one of them, whole, or is counted as lost.
static u64 sums[2];

static void *read_many(void *sum)
{
    struct sys_monitor_record records[16];
    bool last;

    do {
        u64 first, count;
        last = written;
        do
            count = monitor_ring_peek(&ring, records, 16, &first);
        while (!monitor_ring_take(&ring, first, count));
        for (u64 i = 0; i < count; i++)
            *(u64 *)sum += 1 + records[i].lost;
    } while (!last);
    return NULL;
}

static void readers_beside_the_writer_miss_nothing(void **state)
{
    pthread_t threads[3];
    struct sys_monitor_stat stat;
    struct sys_monitor_record rest[RECORDS];

    (void)state;
    written = false;
    sums[0] = sums[1] = 0;
    pthread_create(&threads[0], NULL, read_many, &sums[0]);
    pthread_create(&threads[1], NULL, read_many, &sums[1]);
    pthread_create(&threads[2], NULL, write_many, NULL);
    for (u32 i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    u64 left = take(rest, RECORDS);
    for (u64 i = 0; i < left; i++)
        sums[0] += 1 + rest[i].lost;
    monitor_ring_stat(&ring, &stat);
    assert_int_equal(stat.fired, MANY);
    assert_int_equal(stat.unread, 0);
    // What was lost last nobody has told yet.
    assert_int_equal(sums[0] + sums[1] + ring.just_lost, MANY);
}

static struct monitor_ring *asked;
static u64 asked_at;

static void note(struct monitor_ring *who, u64 time)
{
    asked = who;
    asked_at = time;
}

static void instead_of_a_record_something_is_done(void **state)
{
    struct monitor_ring source = {.running = 1, .instead = note};

    (void)state;
    assert_int_equal(monitor_ring_last(&ring), 0);
    append(41, 1);
    assert_int_equal(monitor_ring_last(&ring), 5);
    monitor_ring_append(&source, 7, monitor_what(3, 4, 0), 99, 1, 2);
    assert_ptr_equal(asked, &source);
    assert_int_equal(asked_at, 99);
    assert_int_equal(source.written, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(instead_of_a_record_something_is_done, begin, end),
        cmocka_unit_test_setup_teardown(records_come_in_order_round_after_round, begin, end),
        cmocka_unit_test_setup_teardown(a_full_ring_loses_the_new_ones_and_tells, begin, end),
        cmocka_unit_test_setup_teardown(losses_before_a_record_stop_at_what_it_can_tell, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_ring_that_does_not_run_fires_nothing, begin, end),
        cmocka_unit_test_setup_teardown(who_comes_second_takes_nothing, begin, end),
        cmocka_unit_test_setup_teardown(readers_beside_the_writer_miss_nothing, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
// The account of sleep locks: hand-made logs, loss,
// and a random history against a plain second account.
#include "unit.h"

#include "locks/sleep_account.h"

#include <string.h>

#define PID 7
#define COID 0x1010
#define WORD 0x10001000

static struct sleep_account account;

static int begin(void **state)
{
    (void)state;
    account = (struct sleep_account){.begin = 100, .keep_changes = true};
    return 0;
}

static int end(void **state)
{
    (void)state;
    sleep_account_free(&account);
    return 0;
}

static void add(u64 time, u64 queue, u32 operation, u32 thread, u32 length, u32 lost)
{
    struct sleep_record record = {time, queue, thread, length, operation, lost};
    assert_true(sleep_account_record(&account, PID, COID, &record));
}

static void waits_are_measured_from_enqueue_to_wake_up_or_time_out(void **state)
{
    (void)state;
    sleep_account_object(&account, PID, COID, 5, 0, 8192);
    add(200, WORD, SLEEP_ENQUEUE, 3, 1, 0);
    add(210, WORD, SLEEP_ENQUEUE, 4, 2, 0);
    add(220, WORD, SLEEP_WAKEUP, 3, 1, 0);
    add(260, WORD, SLEEP_DEQUEUE, 4, 0, 0);
    add(270, WORD, SLEEP_ENQUEUE, 3, 1, 0);
    sleep_account_end(&account, 300);
    assert_int_equal(account.queue_count, 1);
    const struct sleep_queue *queue = &account.queues[0];
    assert_int_equal(queue->operations[SLEEP_ENQUEUE], 3);
    assert_int_equal(queue->operations[SLEEP_WAKEUP], 1);
    assert_int_equal(queue->operations[SLEEP_DEQUEUE], 1);
    assert_int_equal(queue->ticks, 20 + 50 + 30);
    assert_int_equal(queue->waits, 3);
    assert_int_equal(queue->longest, 50);
    assert_int_equal(queue->length_max, 2);
    assert_int_equal(queue->still, 1);
    assert_int_equal(queue->unknown, 0);
    assert_int_equal((u64)queue->length_ticks, 100); // 10 of one, 10 of two, 40 of one, 30 of one
    assert_int_equal(queue->threads[0].thread, 3);
    assert_int_equal(queue->threads[0].ticks, 50);
    assert_int_equal(queue->threads[0].longest, 30);
    assert_int_equal(queue->threads[1].waits, 1);
    assert_int_equal(queue->change_count, 5);
    assert_int_equal(queue->changes[1].count, 2);
    assert_int_equal(queue->change_members[queue->changes[1].first], 3);
    assert_int_equal(queue->change_members[queue->changes[1].first + 1], 4);
    assert_int_equal(queue->changes[3].count, 0);
    assert_int_equal(account.objects[0].ticks, 100);
}

static void who_waits_already_waits_from_the_beginning(void **state)
{
    (void)state;
    add(101, WORD, SLEEP_PRESENT, 1, 1, 0);
    add(101, WORD, SLEEP_PRESENT, 2, 2, 0);
    add(151, WORD, SLEEP_WAKEUP, 1, 1, 0);
    sleep_account_end(&account, 201);
    assert_int_equal(account.queues[0].operations[SLEEP_PRESENT], 2);
    assert_int_equal(account.queues[0].ticks, 50 + 100);
    assert_int_equal(account.queues[0].still, 1);
}

static void a_queue_has_its_length_before_its_first_record(void **state)
{
    (void)state;
    add(200, WORD, SLEEP_WAKEUP, 1, 2, 9); // the beginning was lost
    sleep_account_end(&account, 300);
    assert_int_equal((u64)account.queues[0].length_ticks, 3 * 100 + 2 * 100);
    assert_int_equal(account.queues[0].unknown, 1);
    assert_int_equal(account.queues[0].waits, 0);
}

static void after_loss_nobody_is_known_to_wait(void **state)
{
    (void)state;
    add(110, WORD, SLEEP_ENQUEUE, 1, 1, 0);
    add(110, WORD + 8, SLEEP_ENQUEUE, 2, 1, 0);
    add(120, WORD, SLEEP_ENQUEUE, 3, 4, 6);
    add(130, WORD, SLEEP_WAKEUP, 1, 3, 0); // a wait that the gap may have been in
    add(140, WORD + 8, SLEEP_WAKEUP, 2, 0, 0);
    add(150, WORD, SLEEP_WAKEUP, 3, 2, 0);
    sleep_account_end(&account, 200);
    u64 waits = 0, unknown = 0;
    for (size_t i = 0; i < account.queue_count; i++) {
        waits += account.queues[i].waits;
        unknown += account.queues[i].unknown;
    }
    assert_int_equal(waits, 1); // thread 3
    assert_int_equal(unknown, 2);
    assert_int_equal(account.queues[0].changes[1].lost, 6);
}

static void loss_after_the_last_record_leaves_nobody_waiting(void **state)
{
    (void)state;
    add(110, WORD, SLEEP_ENQUEUE, 1, 1, 2);
    sleep_account_object(&account, PID, COID, 1, 2, 8192);
    sleep_account_end(&account, 200);
    assert_int_equal(account.queues[0].still, 1);
    sleep_account_free(&account);
    account.begin = 100;
    add(110, WORD, SLEEP_ENQUEUE, 1, 1, 2);
    sleep_account_object(&account, PID, COID, 1, 3, 8192);
    sleep_account_end(&account, 200);
    assert_int_equal(account.queues[0].still, 0);
    assert_int_equal(account.queues[0].waits, 0);
}

static void objects_and_processes_have_queues_of_their_own(void **state)
{
    (void)state;
    struct sleep_record record = {200, WORD, 1, 1, SLEEP_ENQUEUE, 0};
    assert_true(sleep_account_record(&account, PID, COID, &record));
    assert_true(sleep_account_record(&account, PID, COID + 16, &record));
    record.time = 150;
    assert_true(sleep_account_record(&account, PID - 1, COID, &record));
    record.lost = 1; // of this object only
    record.thread = 2;
    assert_true(sleep_account_record(&account, PID, COID + 16, &record));
    sleep_account_end(&account, 300);
    assert_int_equal(account.queue_count, 3);
    assert_int_equal(account.queues[0].pid, PID - 1); // the longest time first
    assert_int_equal(account.queues[0].ticks, 150);
    assert_int_equal(account.queues[2].ticks, 100);
}

static void more_than_there_is_room_for_is_refused(void **state)
{
    (void)state;
    struct sleep_record record = {200, WORD, 0, 1, SLEEP_ENQUEUE, 0};
    u64 refused = 0;
    account.keep_changes = false; // of which there are more at once than there is room for
    for (u32 i = 0; i < SLEEP_THREADS_MAX + 2; i++) {
        record.thread = i;
        refused += !sleep_account_record(&account, PID, COID, &record);
    }
    assert_int_equal(refused, 2);
    assert_int_equal(account.queues[0].member_count, SLEEP_THREADS_MAX);
    record.thread = 0;
    for (u32 i = 1; i < SLEEP_OBJECTS_MAX + 3; i++)
        refused += !sleep_account_record(&account, PID + i, COID, &record);
    assert_int_equal(refused, 5);
    assert_int_equal(account.object_count, SLEEP_OBJECTS_MAX);
    sleep_account_end(&account, 300);
}

static void what_cannot_be_is_refused_or_survived(void **state)
{
    (void)state;
    u64 seed = 5;
    struct sleep_record record = {200, WORD, 1, 1, 0, 0};
    assert_false(sleep_account_record(&account, PID, COID, &record));
    record.operation = SLEEP_OPERATIONS;
    assert_false(sleep_account_record(&account, PID, COID, &record));
    assert_int_equal(account.queue_count, 0);
    for (u32 i = 0; i < 20000; i++) {
        struct sleep_record any = {unit_random(&seed),
                                   WORD + unit_random(&seed) % 4,
                                   (u32)(unit_random(&seed) % 8),
                                   (u32)unit_random(&seed),
                                   1 + (u32)(unit_random(&seed) % 4),
                                   unit_random(&seed) % 8 == 0};
        assert_true(sleep_account_record(&account, PID, COID, &any));
    }
    sleep_account_end(&account, 300);
}

// ---- a second account --------------------------------------------------------------------------

#define QUEUES 3
#define THREADS 9

static u64 since[QUEUES][THREADS]; // 0: it does not wait there
static u64 total[QUEUES], lengths[QUEUES], ended[QUEUES];

static void a_random_history_comes_out_as_it_went_in(void **state)
{
    (void)state;
    u64 seed = 3, now = 100;
    for (u32 i = 0; i < 30000; i++) {
        u64 queue = unit_random(&seed) % QUEUES;
        u32 thread = (u32)(unit_random(&seed) % THREADS);
        now += unit_random(&seed) % 10;
        u64 *entered = &since[queue][thread];
        if (*entered == 0) {
            *entered = now;
            add(now, WORD + queue, SLEEP_ENQUEUE, thread, (u32)++lengths[queue], 0);
            continue;
        }
        total[queue] += now - *entered;
        ended[queue]++;
        *entered = 0;
        add(now, WORD + queue, SLEEP_DEQUEUE, thread, (u32)--lengths[queue], 0);
    }
    u64 last = now + 50;
    sleep_account_end(&account, last);
    assert_int_equal(account.queue_count, QUEUES);
    for (size_t i = 0; i < QUEUES; i++) {
        const struct sleep_queue *queue = &account.queues[i];
        u64 place = queue->queue - WORD, expected = total[place];
        for (u32 thread = 0; thread < THREADS; thread++)
            expected += since[place][thread] == 0 ? 0 : last - since[place][thread];
        assert_int_equal(queue->ticks, expected);
        assert_int_equal((u64)queue->length_ticks, expected);
        assert_int_equal(queue->still, lengths[place]);
        assert_int_equal(queue->waits, ended[place] + lengths[place]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(waits_are_measured_from_enqueue_to_wake_up_or_time_out,
                                        begin, end),
        cmocka_unit_test_setup_teardown(who_waits_already_waits_from_the_beginning, begin, end),
        cmocka_unit_test_setup_teardown(a_queue_has_its_length_before_its_first_record, begin, end),
        cmocka_unit_test_setup_teardown(after_loss_nobody_is_known_to_wait, begin, end),
        cmocka_unit_test_setup_teardown(loss_after_the_last_record_leaves_nobody_waiting, begin,
                                        end),
        cmocka_unit_test_setup_teardown(objects_and_processes_have_queues_of_their_own, begin, end),
        cmocka_unit_test_setup_teardown(more_than_there_is_room_for_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(what_cannot_be_is_refused_or_survived, begin, end),
        cmocka_unit_test_setup_teardown(a_random_history_comes_out_as_it_went_in, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
// The decoder of processes' answers. What is sound comes out as it was; for what is not it tells
// why. No bytes whatever make it read beyond them, run for ever, or let through what cannot be.
//
//   FUZZ_ROUNDS=N FUZZ_SEED=S dci_answers      for longer, or the same again
#include <orrery/r13.h>
#include <orrery/types.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <user/answers.h>

#include <cmocka.h>

#define ROOM 57344
#define COID(n) (R13_LTT + (coid_t)(n)*R13_LTT_ENTRY_SIZE)
#define NOW 1000000

static _Alignas(8) u8 bytes[ROOM];
static struct answer_place place;

static int forget(void **state)
{
    (void)state;
    memset(bytes, 0, sizeof(bytes));
    place = (struct answer_place){0};
    return 0;
}

// ---- objects -----------------------------------------------------------------------------------

static u64 put_object(u64 at, coid_t coid, u32 children)
{
    struct sys_object object = {
        .record_bytes = (u32)(sizeof(object) + children * sizeof(coid_t)),
        .class_id = 7,
        .coid = coid,
        .misses = UINT32_MAX,
        .rep_count = 2,
        .child_count = children,
    };
    memcpy(bytes + at, &object, sizeof(object));
    for (u32 i = 0; i < children; i++)
        memcpy(bytes + at + sizeof(object) + i * sizeof(coid_t), &(coid_t){COID(i)},
               sizeof(coid_t));
    return at + object.record_bytes;
}

static struct sys_object *object_at(u64 at)
{
    return (struct sys_object *)(void *)(bytes + at);
}

static enum answer_flaw check_objects(u64 count)
{
    return answer_check_objects(bytes, (s64)count, ROOM, &place);
}

static void sound_objects_come_out_as_they_were(void **state)
{
    struct sys_object object;
    const coid_t *children;
    (void)state;
    u64 end = put_object(put_object(put_object(0, COID(1), 0), COID(2), 3), COID(9), 1);
    assert_int_equal(check_objects(end), ANSWER_SOUND);
    struct answer_bytes answer = {bytes, end};
    assert_true(answer_next_object(&answer, &object, &children));
    assert_int_equal(object.coid, COID(1));
    assert_int_equal(object.misses, UINT32_MAX);
    assert_true(answer_next_object(&answer, &object, &children));
    assert_int_equal(object.child_count, 3);
    assert_int_equal(children[2], COID(2));
    assert_true(answer_next_object(&answer, &object, &children));
    assert_false(answer_next_object(&answer, &object, &children));
    assert_int_equal(answer.left, 0);
    // The list goes on behind them, and never back.
    assert_int_equal(check_objects(put_object(0, COID(10), 0)), ANSWER_SOUND);
    assert_int_equal(check_objects(put_object(0, COID(10), 0)), ANSWER_ORDER);
    assert_int_equal(check_objects(put_object(0, COID(11), 0)), ANSWER_SOUND);
}

static void objects_that_cannot_be_are_told_why(void **state)
{
    (void)state;
    u64 end = put_object(0, COID(1), 2);
    assert_int_equal(check_objects(ROOM + 1), ANSWER_SIZE);
    assert_int_equal(answer_check_objects(bytes, INT64_MAX, ROOM, &place), ANSWER_SIZE);
    assert_int_equal(answer_check_objects(bytes, 0, ROOM, &place), ANSWER_SIZE);
    assert_int_equal(check_objects(end - 8), ANSWER_CUT);
    assert_int_equal(check_objects(8), ANSWER_CUT);
    object_at(0)->child_count = UINT32_MAX;
    assert_int_equal(check_objects(end), ANSWER_LENGTH);
    object_at(0)->record_bytes = (u32)(sizeof(struct sys_object) + UINT32_MAX * sizeof(coid_t));
    assert_int_equal(check_objects(end), ANSWER_LENGTH); // in 32 bits they would be the same
    object_at(0)->record_bytes = 0;
    object_at(0)->child_count = 0;
    assert_int_equal(check_objects(end), ANSWER_LENGTH);
    put_object(0, COID(1), 2);
    memset(bytes + end - 8, 0xff, 8);
    assert_int_equal(check_objects(end), ANSWER_COID); // a child
    put_object(0, COID(1) + 8, 2);
    assert_int_equal(check_objects(end), ANSWER_COID);
    put_object(0, R13_LTT - R13_LTT_ENTRY_SIZE, 2);
    assert_int_equal(check_objects(end), ANSWER_COID);
    put_object(0, R13_COUNTS, 2);
    assert_int_equal(check_objects(end), ANSWER_COID);
    put_object(0, COID(1), 2);
    object_at(0)->rep_count = ORRERY_MAX_CPUS + 1;
    assert_int_equal(check_objects(end), ANSWER_NUMBER);
    put_object(put_object(0, COID(5), 0), COID(5), 0);
    assert_int_equal(check_objects(2 * sizeof(struct sys_object)), ANSWER_ORDER);
    assert_int_equal(place.next, 0); // nothing of all this was taken
}

// ---- classes, counts ---------------------------------------------------------------------------

static u64 put_class(u64 at, u32 id)
{
    struct sys_class one = {.class_id = id, .name = "A\x1b[2J<b>\xff", .live = 3};
    memset(one.implementation, 'x', sizeof(one.implementation)); // without a NUL
    memcpy(bytes + at, &one, sizeof(one));
    return at + sizeof(one);
}

static void texts_of_classes_are_made_printable(void **state)
{
    struct sys_class one;
    (void)state;
    u64 end = put_class(put_class(0, 1), 256);
    assert_int_equal(answer_check_classes(bytes, (s64)end, ROOM, &place), ANSWER_SOUND);
    struct answer_bytes answer = {bytes, end};
    assert_true(answer_next_class(&answer, &one));
    assert_string_equal(one.name, "A?[2J<b>?");
    assert_int_equal(strlen(one.implementation), sizeof(one.implementation) - 1);
    assert_int_equal(one.live, 3);
    assert_true(answer_next_class(&answer, &one));
    assert_false(answer_next_class(&answer, &one));
    put_class(0, 256);
    assert_int_equal(answer_check_classes(bytes, sizeof(one), ROOM, &place), ANSWER_ORDER);
    put_class(0, 257);
    assert_int_equal(answer_check_classes(bytes, sizeof(one), ROOM, &place), ANSWER_NUMBER);
    assert_int_equal(answer_check_classes(bytes, sizeof(one) - 1, ROOM, &place), ANSWER_CUT);
}

static u64 put_count(u64 at, coid_t coid, u32 cpu)
{
    struct sys_dref_count one = {.coid = coid, .cpu = cpu, .invocations = UINT64_MAX};
    memcpy(bytes + at, &one, sizeof(one));
    return at + sizeof(one);
}

static enum answer_flaw check_counts(u64 count)
{
    return answer_check_counts(bytes, (s64)count, ROOM, &place);
}

static void counts_rise_by_object_and_cpu(void **state)
{
    (void)state;
    u64 end = put_count(put_count(put_count(0, COID(1), 0), COID(1), 3), COID(2), 0);
    assert_int_equal(check_counts(end), ANSWER_SOUND);
    u64 one = put_count(0, COID(2), 1); // an object's counts may come in two answers
    assert_int_equal(check_counts(one), ANSWER_SOUND);
    assert_int_equal(check_counts(one), ANSWER_ORDER);
    put_count(0, COID(2), 0);
    assert_int_equal(check_counts(one), ANSWER_ORDER);
    put_count(0, COID(1), 7);
    assert_int_equal(check_counts(one), ANSWER_ORDER);
    put_count(0, COID(3), ORRERY_MAX_CPUS);
    assert_int_equal(check_counts(one), ANSWER_NUMBER);
    put_count(0, UINT64_MAX, 0);
    assert_int_equal(check_counts(one), ANSWER_COID);
    put_count(0, COID(3), 0);
    assert_int_equal(check_counts(one - 1), ANSWER_CUT);
    assert_int_equal(check_counts(one), ANSWER_SOUND);
}

// ---- logs, the trace's counts -------------------------------------------------------------------

static u64 put_log(u64 at, u32 count, u64 time)
{
    struct sys_blocked_log log = {.coid = COID(4), .count = count, .lost = UINT64_MAX};
    memcpy(bytes + at, &log, sizeof(log));
    at += sizeof(log);
    for (u32 i = 0; i < count && at + sizeof(struct sys_blocked_record) <= ROOM; i++) {
        struct sys_blocked_record record = {.time = time + i, .operation = SYS_BLOCKED_WAKEUP};
        memcpy(bytes + at, &record, sizeof(record));
        at += sizeof(record);
    }
    return at;
}

static enum answer_flaw check_logs(u64 count)
{
    return answer_check_logs(bytes, (s64)count, ROOM, NOW);
}

static struct sys_blocked_record *record_of(u32 index)
{
    return (struct sys_blocked_record *)(void *)(bytes + sizeof(struct sys_blocked_log)) + index;
}

static void logs_hold_what_they_say_in_order_of_time(void **state)
{
    const struct sys_blocked_record *records;
    struct sys_blocked_log log;
    (void)state;
    u64 end = put_log(put_log(0, 2, 10), 0, 0);
    assert_int_equal(check_logs(end), ANSWER_SOUND);
    struct answer_bytes answer = {bytes, end};
    assert_true(answer_next_log(&answer, &log, &records));
    assert_int_equal(log.count, 2);
    assert_int_equal(records[1].time, 11);
    assert_true(answer_next_log(&answer, &log, &records));
    assert_false(answer_next_log(&answer, &log, &records));
    record_of(1)->time = 9;
    assert_int_equal(check_logs(end), ANSWER_TIME);
    record_of(1)->time = NOW + 1;
    assert_int_equal(check_logs(end), ANSWER_TIME);
    record_of(1)->time = NOW;
    record_of(1)->operation = SYS_BLOCKED_PRESENT + 1;
    assert_int_equal(check_logs(end), ANSWER_NUMBER);
    put_log(0, UINT32_MAX, 0);
    assert_int_equal(check_logs(end), ANSWER_CUT);
    put_log(0, 2, 10);
    assert_int_equal(check_logs(end - 1), ANSWER_CUT);
}

static void counts_of_the_trace_have_their_size(void **state)
{
    struct sys_trace_stat stat = {.events = UINT64_MAX, .mode = SYS_TRACE_DISCARD};
    (void)state;
    memcpy(bytes, &stat, sizeof(stat));
    assert_int_equal(answer_check_trace_stat(bytes, sizeof(stat), sizeof(stat)), ANSWER_SOUND);
    assert_int_equal(answer_check_trace_stat(bytes, 8, sizeof(stat)), ANSWER_LENGTH);
    assert_int_equal(answer_check_trace_stat(bytes, ROOM, sizeof(stat)), ANSWER_SIZE);
    stat.mode = 3;
    memcpy(bytes, &stat, sizeof(stat));
    assert_int_equal(answer_check_trace_stat(bytes, sizeof(stat), sizeof(stat)), ANSWER_NUMBER);
}

static void every_flaw_has_words(void **state)
{
    (void)state;
    for (int flaw = ANSWER_SOUND + 1; flaw < ANSWER_FLAWS; flaw++)
        assert_true(strlen(answer_flaw_text((enum answer_flaw)flaw)) > 8);
    assert_string_equal(answer_flaw_text(ANSWER_FLAWS), answer_flaw_text(ANSWER_SOUND));
}

// ---- any bytes ----------------------------------------------------------------------------------

static u64 seed;

static u64 any(u64 below)
{
    seed = seed * 6364136223846793005 + 1442695040888963407;
    return (seed >> 20) % below;
}

// Sound records with some of their bytes changed, or bytes by chance;
// at the end of memory of their length.
static u8 *make(u64 *count)
{
    u64 kind = any(5), end = 0;
    for (u64 n = any(20), i = 0; i < n; i++) {
        if (kind == 0)
            end = put_object(end, COID(i), (u32)any(5));
        else if (kind == 1)
            end = put_class(end, (u32)i + 1);
        else if (kind == 2)
            end = put_count(end, COID(i / 3), (u32)(i % 3));
        else if (kind == 3)
            end = put_log(end, (u32)any(5), any(1000));
    }
    if (kind == 4)
        for (end = any(600); end > 0 && any(100) > 0;)
            bytes[any(end)] = (u8)any(256);
    for (u64 changes = any(4); changes > 0 && end > 0; changes--)
        bytes[any(end)] = any(2) == 0 ? (u8)any(256) : 0xff;
    *count = end > 0 && any(8) == 0 ? any(end) : end;
    u8 *copy = malloc(*count > 0 ? *count : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, *count);
    return copy;
}

static void read_objects(const u8 *copy, u64 count)
{
    struct answer_bytes answer = {copy, count};
    struct sys_object object;
    const coid_t *children;
    coid_t last = 0;
    while (answer_next_object(&answer, &object, &children)) {
        assert_true(object.coid > last);
        last = object.coid;
        for (u32 i = 0; i < object.child_count; i++)
            assert_in_range(children[i], R13_LTT, R13_COUNTS - 1);
    }
    assert_int_equal(answer.left, 0);
}

static void read_all(const u8 *copy, u64 count)
{
    struct answer_place none = {0};
    if (answer_check_objects(copy, (s64)count, ROOM, &none) == ANSWER_SOUND)
        read_objects(copy, count);
    struct answer_bytes answer = {copy, count};
    struct sys_class one;
    none = (struct answer_place){0};
    if (answer_check_classes(copy, (s64)count, ROOM, &none) == ANSWER_SOUND) {
        while (answer_next_class(&answer, &one))
            assert_non_null(memchr(one.name, 0, sizeof(one.name)));
        assert_int_equal(answer.left, 0);
    }
    answer = (struct answer_bytes){copy, count};
    struct sys_dref_count counted;
    none = (struct answer_place){0};
    if (answer_check_counts(copy, (s64)count, ROOM, &none) == ANSWER_SOUND) {
        while (answer_next_count(&answer, &counted))
            assert_true(counted.cpu < ORRERY_MAX_CPUS);
        assert_int_equal(answer.left, 0);
    }
    answer = (struct answer_bytes){copy, count};
    const struct sys_blocked_record *records;
    struct sys_blocked_log log;
    if (answer_check_logs(copy, (s64)count, ROOM, NOW) == ANSWER_SOUND) {
        while (answer_next_log(&answer, &log, &records))
            for (u32 i = 0; i < log.count; i++)
                assert_in_range(records[i].operation, SYS_BLOCKED_ENQUEUE, SYS_BLOCKED_PRESENT);
        assert_int_equal(answer.left, 0);
    }
    answer_check_trace_stat(copy, (s64)count, sizeof(struct sys_trace_stat));
}

static void no_bytes_whatever_are_read_beyond(void **state)
{
    const char *asked_rounds = getenv("FUZZ_ROUNDS"), *asked_seed = getenv("FUZZ_SEED");
    u64 rounds = asked_rounds != NULL ? strtoull(asked_rounds, NULL, 0) : 100000;
    (void)state;
    seed = asked_seed != NULL ? strtoull(asked_seed, NULL, 0) : 42;
    printf("again: FUZZ_ROUNDS=%lu FUZZ_SEED=%lu\n", (unsigned long)rounds, (unsigned long)seed);
    for (u64 round = 0; round < rounds; round++) {
        u64 count;
        u8 *copy = make(&count);
        if (count > 0)
            read_all(copy, count);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(sound_objects_come_out_as_they_were, forget),
        cmocka_unit_test_setup(objects_that_cannot_be_are_told_why, forget),
        cmocka_unit_test_setup(texts_of_classes_are_made_printable, forget),
        cmocka_unit_test_setup(counts_rise_by_object_and_cpu, forget),
        cmocka_unit_test_setup(logs_hold_what_they_say_in_order_of_time, forget),
        cmocka_unit_test_setup(counts_of_the_trace_have_their_size, forget),
        cmocka_unit_test_setup(every_flaw_has_words, forget),
        cmocka_unit_test_setup(no_bytes_whatever_are_read_beyond, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

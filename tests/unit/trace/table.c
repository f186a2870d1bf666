// SPDX-License-Identifier: MIT
// Emit functions and the table come from one description: what is packed is unpacked.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <trace/events.h>
#include <trace/ring.h>
#include <trace/table.h>
#include <trace/trace.h>

#include "host_platform.h"

static int start(void **state)
{
    (void)state;
    host_start(4, SYS_TRACE_DISCARD);
    return trace_set_mask(1UL << TRACE_MAJOR_PMU | 1UL << TRACE_MAJOR_LOCK);
}

static int end(void **state)
{
    (void)state;
    host_end();
    return 0;
}

// Values of the first event logged on CPU 0.
static const struct trace_event_info *first_event(u64 values[TRACE_MAX_FIELDS])
{
    const u64 *event = trace_ring_packet(&host_cpus[0], 0)->events;
    const struct trace_event_info *info = trace_event_find(trace_event_id(TRACE_BE64(*event)));
    u64 words[TRACE_MAX_WORDS] = {0};
    assert_non_null(info);
    assert_int_equal(trace_event_length(TRACE_BE64(*event)), info->words + 1);
    for (u32 i = 0; i < info->words; i++)
        words[i] = TRACE_BE64(event[1 + i]);
    trace_event_values(info, words, values);
    return info;
}

static void small_fields_share_a_word_and_come_back(void **state)
{
    (void)state;
    u64 values[TRACE_MAX_FIELDS];
    trace_sample(1, 2, 0xfffffffe, 3);
    const struct trace_event_info *info = first_event(values);
    assert_string_equal(info->name, "sample");
    assert_int_equal(info->words, 3);
    assert_int_equal(info->field_count, 4);
    assert_string_equal(info->fields[2].name, "thread");
    assert_int_equal(values[2], 0xfffffffe);
    assert_int_equal(values[3], 3);
}

static void six_words_keep_their_order(void **state)
{
    (void)state;
    u64 values[TRACE_MAX_FIELDS];
    trace_lock_contended(1, 2, 3, 4, 5, 6);
    first_event(values);
    for (u64 i = 0; i < 6; i++)
        assert_int_equal(values[i], i + 1);
}

static void every_event_is_found_by_its_id_and_no_other(void **state)
{
    (void)state;
    for (u32 i = 0; i < trace_event_count; i++) {
        const struct trace_event_info *info = &trace_events[i];
        assert_ptr_equal(trace_event_find((u32)info->major << 16 | info->minor), info);
    }
    assert_null(trace_event_find(0x3fffff));
    assert_null(trace_event_find(TRACE_FILLER_ID));
}

static void bytes_and_halves_unpack(void **state)
{
    (void)state;
    const struct trace_event_info info = {
        .words = 1,
        .field_count = 4,
        .fields = {{TRACE_U8, "a"}, {TRACE_U8, "b"}, {TRACE_U16, "c"}, {TRACE_U32, "d"}},
    };
    const u64 word = 0x0102030480000006;
    u64 values[TRACE_MAX_FIELDS];
    trace_event_values(&info, &word, values);
    assert_int_equal(values[0], 1);
    assert_int_equal(values[1], 2);
    assert_int_equal(values[2], 0x304);
    assert_int_equal(values[3], 0x80000006);
}

// What is logged of a text, and in how many data words.
static u32 text_of(const char *logged, char text[TRACE_TEXT_BYTES])
{
    host_start(4, SYS_TRACE_DISCARD);
    trace_set_mask(1UL << TRACE_MAJOR_STATE);
    trace_process_name(7, logged);
    const u64 *event = trace_ring_packet(&host_cpus[0], 0)->events;
    const struct trace_event_info *info = trace_event_find(trace_event_id(TRACE_BE64(*event)));
    u32 words = trace_event_length(TRACE_BE64(*event)) - 1;
    assert_true(trace_event_fits(info, words));
    assert_int_equal(TRACE_BE64(event[1]), 7);
    trace_event_text(info, event + 1, words, text);
    host_end();
    return words;
}

static void a_text_takes_the_words_that_it_needs(void **state)
{
    (void)state;
    static const char letters[] = "0123456789abcdefghijABCDEFGHIJ0123456789++";
    char text[TRACE_TEXT_BYTES], part[sizeof(letters)];
    for (u32 length = 0; length < sizeof(letters); length++) {
        u32 kept = length < 40 ? length : 40; // five words; one has the pid
        snprintf(part, sizeof(part), "%.*s", (int)length, letters);
        assert_int_equal(text_of(part, text), 1 + (kept == 0 ? 1 : (kept + 7) / 8));
        part[kept] = '\0';
        assert_string_equal(text, part);
    }
}

static void a_text_is_harmless_on_a_terminal(void **state)
{
    (void)state;
    char text[TRACE_TEXT_BYTES];
    text_of("a\033[2J\177\303\244z~ ", text);
    assert_string_equal(text, "a?[2J?\303\244z~ "); // UTF-8 passes
}

static void a_text_has_one_word_to_six(void **state)
{
    (void)state;
    const struct trace_event_info *info =
        trace_event_find(TRACE_MAJOR_STATE << 16 | TRACE_STATE_PROCESS_NAME);
    for (u32 words = 0; words < 12; words++)
        assert_int_equal(trace_event_fits(info, words), words >= 2 && words <= 6);
    assert_false(trace_event_fits(info, (u64)-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(small_fields_share_a_word_and_come_back, start, end),
        cmocka_unit_test_setup_teardown(six_words_keep_their_order, start, end),
        cmocka_unit_test(every_event_is_found_by_its_id_and_no_other),
        cmocka_unit_test(bytes_and_halves_unpack),
        cmocka_unit_test(a_text_takes_the_words_that_it_needs),
        cmocka_unit_test(a_text_is_harmless_on_a_terminal),
        cmocka_unit_test(a_text_has_one_word_to_six),
    };
    return cmocka_run_group_tests_name("trace_table", tests, NULL, NULL);
}

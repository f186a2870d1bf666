// SPDX-License-Identifier: MIT
// Events that programs describe: what is refused, and what stands in the metadata.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <orrery/errors.h>
#include <trace/described.h>
#include <trace/events.h>
#include <trace/metadata.h>

#include "host_platform.h"

#define ROUNDS 200000

static const struct sys_trace_description honest = {
    .provider = "hello",
    .name = "greeting",
    .format = "to=%lu low=%#lx high=%lu 100%% name=%s",
    .field_count = 4,
    .types = {TRACE_S64, TRACE_U32, TRACE_U32, TRACE_TEXT},
    .fields = {"to", "low", "high", "name"},
};

static struct sys_trace_description named(const char *name)
{
    struct sys_trace_description one = honest;
    memset(one.name, 0, sizeof(one.name));
    strcpy(one.name, name);
    return one;
}

static u32 most = TRACE_DESCRIBED_MAX; // events, of all

static s64 add(const struct sys_trace_description *list, u32 count)
{
    s64 error;
    struct trace_described *described = trace_described_make(list, count, &error);
    if (described == NULL)
        return error;
    s64 first = trace_described_same(described);
    if (first >= 0) {
        trace_described_free(described);
        return first;
    }
    first = trace_described_add(described, most);
    if (first < 0)
        trace_described_free(described);
    return first;
}

static int start(void **state)
{
    (void)state;
    host_start(4, SYS_TRACE_DISCARD);
    trace_metadata_init();
    return 0;
}

static int end(void **state)
{
    (void)state;
    host_end();
    return 0;
}

// All of it, read so many bytes at a time.
static char *metadata(u64 step)
{
    char *text = calloc(1, 4 << 20);
    u64 at = 0;
    s64 got;
    while ((got = trace_metadata_read(at, text + at, step)) > 0)
        at += (u64)got;
    assert_int_equal(got, 0);
    return text;
}

static void a_description_has_a_number_and_its_text(void **state)
{
    (void)state;
    char *before = metadata(65536);
    s64 first = add(&honest, 1);
    assert_in_range(first, TRACE_DESCRIBED_FIRST, TRACE_DESCRIBED_FIRST + TRACE_DESCRIBED_MAX);
    char *after = metadata(65536), *bytewise = metadata(7);
    assert_string_equal(after, bytewise);
    assert_memory_equal(after, before, strlen(before));
    char expected[512];
    snprintf(expected, sizeof(expected),
             "event { name = \"hello:greeting\"; id = 0x%08x; stream_id = 1; fields := struct {\n"
             "    int64 _to;\n    uint32 _low;\n    uint32 _high;\n    char8 _name[8];\n}; };\n",
             (unsigned)TRACE_HEADER(3, TRACE_MAJOR_PROGRAM, first));
    assert_memory_equal(after + strlen(before), expected, strlen(expected));
    const struct trace_event_info *info =
        trace_described_find(TRACE_MAJOR_PROGRAM << 16 | (u32)first);
    assert_non_null(info);
    assert_int_equal(info->words, 2);
    assert_true(trace_event_fits(info, 3) && trace_event_fits(info, 6));
    assert_false(trace_event_fits(info, 2));
    assert_null(trace_described_find((u32)first));
    free(before);
    free(after);
    free(bytewise);
}

static void the_same_list_has_the_same_numbers(void **state)
{
    (void)state;
    const struct sys_trace_description list[] = {named("one"), named("two")};
    s64 first = add(list, 2);
    char *before = metadata(65536);
    assert_int_equal(add(list, 2), first);
    assert_int_not_equal(add(list, 1), first); // another list
    s64 next = add((const struct sys_trace_description[]){named("three")}, 1);
    assert_true(next > first + 1);
    assert_int_equal(add(list, 2), first);
    char *after = metadata(4096);
    assert_memory_equal(after, before, strlen(before));
    free(before);
    free(after);
}

static void a_list_is_of_one_provider_and_names_nothing_twice(void **state)
{
    (void)state;
    struct sys_trace_description list[] = {named("x"), named("x")};
    assert_int_equal(add(list, 2), E_INVAL);
    list[1] = named("y");
    strcpy(list[1].provider, "hallo");
    assert_int_equal(add(list, 2), E_INVAL);
    assert_int_equal(add(list, 0), E_INVAL);
}

static void no_memory_is_told(void **state)
{
    (void)state;
    host_fail_after = 0;
    assert_int_equal(add((const struct sys_trace_description[]){named("memory")}, 1), E_NOMEM);
    host_fail_after = UINT64_MAX;
}

static void refused(struct sys_trace_description one)
{
    assert_false(trace_description_check(&one));
}

static void what_others_would_stumble_over_is_refused(void **state)
{
    (void)state;
    static const char *const formats[] = {"%lu %lu %lu",        "%lu %lu %lu %lu", "%n %lu %lu %s",
                                          "%lu %lu %lu %s %lu", "%lu %lu %lu %s%", "%u %lu %lu %s",
                                          "%lu %lu %lu %s\"",   "\\%lu%lu%lu%s",   "%9lu%lu%lu%s",
                                          "%*lu%lu%lu%s",       "%lu%lu%lu%s\t",   "%#lu%lu%lu%s"};
    assert_true(trace_description_check(&honest));
    for (u32 i = 0; i < ARRAY_SIZE(formats); i++) {
        struct sys_trace_description one = honest;
        memset(one.format, 0, sizeof(one.format));
        strcpy(one.format, formats[i]);
        refused(one);
    }
    refused(named(""));
    refused(named("Upper"));
    refused(named("1st"));
    refused(named("a\";b"));
    struct sys_trace_description one = honest;
    memset(one.name, 'a', sizeof(one.name));
    refused(one);
    one = honest;
    memset(one.format, 'a', sizeof(one.format));
    refused(one);
    one = honest;
    strcpy(one.provider, "state");
    refused(one);
    one = honest;
    strcpy(one.fields[3], "to");
    refused(one);
}

static void fields_fill_words_and_no_more_than_there_are(void **state)
{
    (void)state;
    struct sys_trace_description one = honest;
    one.types[0] = TRACE_TEXT;
    refused(one);
    one.types[0] = TRACE_U16;
    refused(one);
    one.types[0] = TRACE_TEXT + 1;
    refused(one);
    struct sys_trace_description many = {
        .provider = "hello", .name = "many", .format = "%lu%lu%lu%lu%lu%lu%lu", .field_count = 7};
    for (u32 i = 0; i < 8; i++)
        many.fields[i][0] = (char)(i < 7 ? 'a' + (char)i : '\0');
    refused(many);
    many.types[6] = TRACE_TEXT;
    strcpy(many.format + 18, "%s");
    refused(many);
    many.field_count = 9;
    refused(many);
}

// What is accepted of mutated descriptions prints as many values as it has fields, and is in the
// metadata what it is in C.
static void whatever_is_accepted_is_harmless(void **state)
{
    (void)state;
    static const char bits[] = "%lu%s%%#xd\"\\;_az09 \n\x80n*";
    u32 accepted = 0;
    srand(29);
    for (u32 round = 0; round < ROUNDS; round++) {
        struct sys_trace_description one = honest;
        u8 *bytes = (u8 *)&one;
        for (int left = rand() % 4; left >= 0; left--)
            bytes[(u32)rand() % sizeof(one)] =
                (u8)(rand() % 2 == 0 ? bits[(u32)rand() % sizeof(bits)] : rand() % 8);
        if (!trace_description_check(&one))
            continue;
        accepted++;
        char text[512];
        u32 conversions = 0;
        for (const char *at = one.format; (at = strchr(at, '%')) != NULL; at += 2)
            conversions += at[1] != '%';
        assert_int_equal(conversions, one.field_count);
        assert_int_equal(one.types[3], TRACE_TEXT);
        snprintf(text, sizeof(text), one.format, 1UL, 2UL, 3UL, "text"); // NOLINT
        assert_null(strpbrk(one.format, "\"\\\n"));
        assert_int_equal(strspn(one.name, "abcdefghijklmnopqrstuvwxyz0123456789_"),
                         strlen(one.name));
    }
    assert_true(accepted > ROUNDS / 1000 && accepted < ROUNDS / 2);
}

static void in_the_end_no_number_is_left(void **state)
{
    (void)state;
    char name[32];
    s64 first = 0;
    u32 i = 0;
    most = 1;
    assert_int_equal(add((const struct sys_trace_description[]){named("beyond")}, 1), E_LIMIT);
    most = TRACE_DESCRIBED_MAX;
    for (; first >= 0 && i <= TRACE_DESCRIBED_MAX; i++) {
        snprintf(name, sizeof(name), "n%u", i);
        first = add((const struct sys_trace_description[]){named(name)}, 1);
    }
    assert_int_equal(first, E_LIMIT);
    assert_non_null(trace_described_get(TRACE_DESCRIBED_MAX - 1));
    assert_null(trace_described_get(TRACE_DESCRIBED_MAX));
    char *text = metadata(65536);
    u32 declarations = 0;
    for (const char *at = text; (at = strstr(at, "\"hello:")) != NULL; at++)
        declarations++;
    assert_int_equal(declarations, 4 * TRACE_DESCRIBED_MAX);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_description_has_a_number_and_its_text),
        cmocka_unit_test(the_same_list_has_the_same_numbers),
        cmocka_unit_test(a_list_is_of_one_provider_and_names_nothing_twice),
        cmocka_unit_test(no_memory_is_told),
        cmocka_unit_test(what_others_would_stumble_over_is_refused),
        cmocka_unit_test(fields_fill_words_and_no_more_than_there_are),
        cmocka_unit_test(whatever_is_accepted_is_harmless),
        cmocka_unit_test(in_the_end_no_number_is_left),
    };
    return cmocka_run_group_tests(tests, start, end);
}

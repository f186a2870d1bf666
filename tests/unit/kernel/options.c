// SPDX-License-Identifier: MIT
// Boot line options: what is taken,
// and that everything else is refused with a list of what is valid.
#include <kernel/firmware.h>
#include <kernel/options.h>
#include <kernel/console.h>
#include <kernel/panic.h>
#include <orrery/errors.h>
#include <trace/table.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const struct trace_major_info trace_majors[] = {{1, "TEST", ""}, {3, "SCHED", ""}, {9, "NET", ""}};
const u32 trace_major_count = 3;

static const char *boot_line;
static char console[8192];
static jmp_buf powered_off;
static struct boot_options defaults;

of_node of_find(const char *path)
{
    assert_string_equal(path, "/chosen");
    return 7;
}

s64 of_property(of_node node, const char *name, void *to, u64 bytes)
{
    u64 length = strlen(boot_line) + 1;

    assert_int_equal(node, 7);
    assert_string_equal(name, "bootargs");
    memcpy(to, boot_line, length < bytes ? length : bytes);
    return (s64)length;
}

void kprintf(const char *format, ...)
{
    u64 used = strlen(console);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(console + used, sizeof(console) - used, format, arguments);
    va_end(arguments);
}

void power_off(int status)
{
    longjmp(powered_off, status + 1);
}

// True when the line was taken.
static bool parse(const char *line)
{
    boot_line = line;
    boot_options = defaults;
    console[0] = '\0';
    int left = setjmp(powered_off);
    if (left == 0) {
        boot_options_parse();
        return true;
    }
    assert_int_equal(left, 2); // with status 1
    assert_non_null(strstr(console, "valid options:"));
    assert_non_null(strstr(console, "trace-subbuffers"));
    return false;
}

static void valid_lines_are_taken(void **state)
{
    (void)state;
    assert_true(parse(""));
    assert_true(parse("bench=all oneshot"));
    assert_string_equal(boot_options.bench, "all");
    assert_true(boot_options.oneshot);
    assert_true(parse("  workload=demo:work=1-2-4,seconds=5   observer=look "));
    assert_string_equal(boot_options.workload, "demo:work=1-2-4,seconds=5");
    assert_string_equal(boot_options.observer_token, "look");
    assert_true(parse("trace-mode=discard trace-subbuffers=4096 quiet"));
    assert_true(boot_options.trace_discard && boot_options.quiet);
    assert_int_equal(boot_options.trace_subbuffers, 4096);
    assert_true(parse("fail=7,all") && boot_options.fail == 7);
    assert_int_equal(boot_options.fail_pid, UINT32_MAX);
    assert_true(parse("fail=8,kernel") && boot_options.fail == 8 && boot_options.fail_pid == 0);
    assert_true(parse("fail=9,3") && boot_options.fail == 9 && boot_options.fail_pid == 3);
}

static void majors_make_a_mask(void **state)
{
    (void)state;
    assert_true(parse("trace=none"));
    assert_int_equal(boot_options.trace_mask, 0);
    assert_true(parse("trace=sched,NET"));
    assert_int_equal(boot_options.trace_mask, 1 << 3 | 1 << 9);
}

static void everything_else_is_refused(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "bogus",
        "bogus=1",
        "benc=all",
        "bench",
        "bench=",
        "oneshot=1",
        "=",
        "=x",
        "quiet=",
        "trace=SCHE",
        "trace=SCHED,",
        "trace=,",
        "trace",
        "trace-mode=both",
        "fail=",
        "fail=1",
        "fail=1,",
        "fail=0,all",
        "fail=-1,all",
        "fail=1,0",
        "fail=1,4294967295",
        "fail=1,some",
        "fail=1,2x",
        "fail=1x,2",
        "fail=18446744073709551616,1",
        "fail",
        "trace-subbuffers=5",
        "trace-subbuffers=2",
        "trace-subbuffers=8192",
        "trace-subbuffers=64k",
        "trace-subbuffers=-64",
        "trace-subbuffers= 64",
        "trace-subbuffers=18446744073709551680",
        "oneshot bogus",
        "controller=0123456789012345678901234567890123456789012345678901234567890123x",
    };
    for (u32 i = 0; i < ARRAY_SIZE(lines); i++) {
        if (parse(lines[i]))
            fail_msg("\"%s\" was taken", lines[i]);
    }
}

static void words_behind_the_dashes_are_for_programs(void **state)
{
    (void)state;
    assert_true(parse("quiet bench=all -- only=one count=5 bogus quiet=no"));
    assert_string_equal(boot_option_value("only"), "one");
    assert_string_equal(boot_option_value("count"), "5");
    assert_string_equal(boot_option_value("bogus"), "");
    assert_string_equal(boot_option_value("bench"), "all");
    assert_string_equal(boot_option_value("quiet"), "");
    assert_null(boot_option_value("coun"));
    assert_null(boot_option_value("count5"));
    assert_true(parse("--"));
    assert_null(boot_option_value("count"));
    assert_false(parse("count=5 -- count=5"));
}

static void a_line_that_is_too_long_is_refused(void **state)
{
    (void)state;
    static char line[3000];
    memset(line, ' ', sizeof(line) - 1);
    assert_false(parse(line));
}

static void noise_never_does_harm(void **state)
{
    (void)state;
    static const char alphabet[] = "abenchtrace-mode=oneshot, 0123456789:quiet\t\x7f";
    char line[200];
    srand(99);
    for (u32 round = 0; round < 50000; round++) {
        u32 length = (u32)rand() % (sizeof(line) - 1);
        for (u32 i = 0; i < length; i++)
            line[i] = alphabet[(u32)rand() % (sizeof(alphabet) - 1)];
        line[length] = '\0';
        parse(line);
    }
}

int main(void)
{
    defaults = boot_options;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_lines_are_taken),
        cmocka_unit_test(majors_make_a_mask),
        cmocka_unit_test(everything_else_is_refused),
        cmocka_unit_test(words_behind_the_dashes_are_for_programs),
        cmocka_unit_test(a_line_that_is_too_long_is_refused),
        cmocka_unit_test(noise_never_does_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

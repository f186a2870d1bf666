// SPDX-License-Identifier: MIT
// Typed lines: what programs get, and what is echoed.
#include "line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct line line;
static char echoed[4096];

static int reset(void **state)
{
    (void)state;
    memset(&line, 0, sizeof(line));
    echoed[0] = '\0';
    return 0;
}

static void type(const char *text)
{
    char echo[4] = {0};
    for (; *text != '\0'; text++)
        strncat(echoed, echo, line_type(&line, *text, echo));
}

static void takes(const char *expected, u64 room)
{
    char to[LINE_BYTES + 1];
    assert_true(line_ready(&line));
    u64 bytes = line_take(&line, to, room);
    assert_int_equal(bytes, strlen(expected));
    assert_memory_equal(to, expected, bytes);
}

static void a_line_is_given_when_it_is_complete(void **state)
{
    (void)state;
    type("hello");
    assert_false(line_ready(&line));
    type("\rworld\n");
    takes("hello\n", 100);
    takes("wor", 3);
    takes("ld\n", 100);
    assert_false(line_ready(&line));
    assert_string_equal(echoed, "hello\r\nworld\r\n");
}

static void typing_can_be_corrected(void **state)
{
    (void)state;
    type("ax\b\x7f\x7f"
         "bad\x15good\r");
    takes("good\n", 100);
    assert_string_equal(echoed, "ax\b \b\b \bbad^U\r\ngood\r\n");
    type("done\rno\x15\b\b\r");
    takes("done\n", 100); // corrections do not reach what is complete
    takes("\n", 100);
}

static void control_d_is_the_end_on_an_empty_line_only(void **state)
{
    (void)state;
    type("a\x04");
    assert_false(line_ready(&line));
    type("\r\x04");
    takes("a\n", 100);
    takes("", 100);
    assert_false(line_ready(&line));
}

static void other_control_characters_are_passed_over(void **state)
{
    (void)state;
    type("a\x01\x1b[A\tb\r");
    takes("a[A\tb\n", 100);
}

static void long_lines_are_cut(void **state)
{
    (void)state;
    char to[LINE_BYTES];
    for (u32 i = 0; i < 3 * LINE_BYTES; i++)
        type("x");
    type("\r\r\r");
    assert_int_equal(line_take(&line, to, sizeof(to)), LINE_BYTES);
    assert_int_equal(to[LINE_BYTES - 1], '\n');
}

static void noise_does_no_harm(void **state)
{
    (void)state;
    char echo[4], to[100];
    srand(2);
    for (u32 i = 0; i < 1000000; i++) {
        assert_true(line_type(&line, (char)(rand() % 256), echo) <= sizeof(echo));
        assert_true(line.complete <= line.typed && line.typed <= LINE_BYTES);
        if (rand() % 50 == 0 && line_ready(&line))
            line_take(&line, to, (u64)rand() % sizeof(to) + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_line_is_given_when_it_is_complete, reset),
        cmocka_unit_test_setup(typing_can_be_corrected, reset),
        cmocka_unit_test_setup(control_d_is_the_end_on_an_empty_line_only, reset),
        cmocka_unit_test_setup(other_control_characters_are_passed_over, reset),
        cmocka_unit_test_setup(long_lines_are_cut, reset),
        cmocka_unit_test_setup(noise_does_no_harm, reset),
    };
    return cmocka_run_group_tests_name("posix_line", tests, NULL, NULL);
}

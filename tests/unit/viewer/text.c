// SPDX-License-Identifier: MIT
// Text from outside: printable, and numbers read strictly.
#include "unit.h"

#include "tools/text.h"

#include <orrery/utf8.h>
#include <stdlib.h>
#include <string.h>

static void expect_printable(const char *from, bool keep_lines, const char *expected)
{
    char text[64];
    snprintf(text, sizeof(text), "%s", from);
    text_make_printable(text, keep_lines);
    assert_string_equal(text, expected);
}

static void control_characters_become_question_marks(void **state)
{
    (void)state;
    expect_printable("a\033[0m\x7f", false, "a?[0m?");
    expect_printable("a\nb\r\n", true, "a\nb?\n");
    expect_printable("a\nb", false, "a?b");
    expect_printable("\xc2\x9b"
                     "31m",
                     false, "??31m"); // the control character that some terminals take for ESC [
}

static void bytes_that_are_not_utf8_become_question_marks(void **state)
{
    (void)state;
    expect_printable("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", false,
                     "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
    expect_printable("\xc3", false, "?");
    expect_printable("\xe2\x82", false, "??");
    expect_printable("\xc0\xaf\xed\xa0\x80", false, "?????"); // overlong, surrogate
    expect_printable("\xf4\x90\x80\x80\xff", false, "?????"); // past the last character
}

static void expect_copy(const char *from, u64 room, const char *expected)
{
    char text[64];
    memset(text, 'x', sizeof(text));
    assert_int_equal(utf8_copy(text, from, room), strlen(expected));
    assert_string_equal(text, expected);
}

static void names_pass_whole_and_are_cut_between_characters(void **state)
{
    (void)state;
    expect_copy("\xc3\xa9t\xc3\xa9<b>", 32, "\xc3\xa9t\xc3\xa9<b>");
    expect_copy("a\xc3\xa9", 3, "a"); // the second byte has no room
    expect_copy("a\xc3\xa9", 4, "a\xc3\xa9");
    expect_copy("a\xc3", 32, "a?");
    expect_copy("\xe2\x80\xae", 32, "\xe2\x80\xae"); // kov escapes it where it prints
    expect_copy("\033[2J\xc2\x9b\x7f", 32, "?[2J???");
    expect_copy("abc", 1, "");
    char *exact = malloc(2); // nothing behind `room` is read: the sanitizers would tell
    memcpy(exact, "\xf0\x9f", 2);
    expect_copy(exact, 2, "");
    free(exact);
}

static void expect_escaped(const char *from, const char *expected)
{
    char text[128];
    snprintf(text, sizeof(text), "%s", from);
    text_escape(text, sizeof(text));
    assert_string_equal(text, expected);
    char *copy = text_copy_escaped(from);
    assert_string_equal(copy, expected);
    free(copy);
}

static void what_acts_on_a_terminal_is_escaped(void **state)
{
    (void)state;
    expect_escaped("a\xe2\x80\xae"
                   "b\xd8\x9c",
                   "a\\u202eb\\u061c");
    expect_escaped("\033[2J\r\n\x7f", "\\u001b[2J\\u000d\\u000a\\u007f");
    expect_escaped("\xc2\x9b"
                   "31m",
                   "\\u009b31m");
    expect_escaped("\xff\xc3", "\\xff\\xc3");
    expect_escaped("\xc3\xa9t\xc3\xa9<b>\xf0\x9f\x98\x80\xe2\x80\x93",
                   "\xc3\xa9t\xc3\xa9<b>\xf0\x9f\x98\x80\xe2\x80\x93");
    expect_escaped("\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa", "\\u2066\\u2069\xe2\x81\xaa");
}

static void what_has_no_room_becomes_question_marks(void **state)
{
    (void)state;
    char narrow[] = "a\xe2\x80\xae"
                    "b",
         half[10] = "\033\033";
    text_escape(narrow, sizeof(narrow));
    assert_string_equal(narrow, "a???b");
    text_escape(half, sizeof(half));
    assert_string_equal(half, "\\u001b?");
}

static void widths_are_by_characters(void **state)
{
    (void)state;
    assert_int_equal(text_width(""), 0);
    assert_int_equal(text_width("\xc3\xa9t\xc3\xa9 \xe2\x80\x93"), 5);
}

static void a_copy_is_cut_and_utf8(void **state)
{
    (void)state;
    char long_text[2 * TEXT_COPY_BYTES];
    memset(long_text, 'x', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';
    char *copy = text_copy_bounded(long_text), *odd = text_copy_bounded("a\t\xff"),
         *none = text_copy_bounded(NULL);
    assert_int_equal(strlen(copy), TEXT_COPY_BYTES - 1);
    assert_string_equal(odd, "a\t?");
    assert_string_equal(none, "");
    free(copy);
    free(odd);
    free(none);
}

static void numbers_are_read_strictly(void **state)
{
    (void)state;
    u64 value = 0;
    assert_true(text_to_u64("0x1f", 0, 100, &value));
    assert_int_equal(value, 31);
    assert_true(text_to_u64("18446744073709551615", 0, UINT64_MAX, &value));
    const char *const wrong[] = {
        "", "-1", "+1", " 1", "1 ", "1k", "0x", "101", "18446744073709551616"};
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
        assert_false(text_to_u64(wrong[i], 0, 100, &value));
    assert_false(text_to_u64("4", 5, 100, &value));
}

static void bytes_are_read_strictly(void **state)
{
    (void)state;
    u64 value = 0;
    assert_true(text_to_bytes("16384", 16384, 64 << 20, &value));
    assert_int_equal(value, 16384);
    assert_true(text_to_bytes("17K", 16384, 64 << 20, &value));
    assert_int_equal(value, 17 << 10);
    assert_true(text_to_bytes("64M", 16384, 64 << 20, &value));
    assert_int_equal(value, 64 << 20);
    const char *const wrong[] = {"",
                                 "K",
                                 "M",
                                 "16",
                                 "15K",
                                 "65M",
                                 "-20K",
                                 "20KK",
                                 "20k",
                                 "20G",
                                 "1.5M",
                                 "18446744073709551615M",
                                 "0000000000000000000000000000020K"};
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
        assert_false(text_to_bytes(wrong[i], 16384, 64 << 20, &value));
    assert_int_equal(value, 64 << 20);
}

static void seconds_are_read_strictly(void **state)
{
    (void)state;
    double value = 0;
    assert_true(text_to_double(".25", 0, 1, &value));
    assert_true(value == 0.25);
    const char *const wrong[] = {"", ".", "-1", "inf", "nan", "1e999", "2", "1s"};
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
        assert_false(text_to_double(wrong[i], 0, 1, &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_characters_become_question_marks),
        cmocka_unit_test(bytes_that_are_not_utf8_become_question_marks),
        cmocka_unit_test(a_copy_is_cut_and_utf8),
        cmocka_unit_test(names_pass_whole_and_are_cut_between_characters),
        cmocka_unit_test(what_acts_on_a_terminal_is_escaped),
        cmocka_unit_test(what_has_no_room_becomes_question_marks),
        cmocka_unit_test(widths_are_by_characters),
        cmocka_unit_test(numbers_are_read_strictly),
        cmocka_unit_test(bytes_are_read_strictly),
        cmocka_unit_test(seconds_are_read_strictly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

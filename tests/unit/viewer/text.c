// SPDX-License-Identifier: MIT
// Text from outside: printable, and numbers read strictly.
#include "unit.h"

#include "tools/text.h"

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

static void a_copy_is_cut_and_printable(void **state)
{
    (void)state;
    char long_text[2 * TEXT_COPY_BYTES];
    memset(long_text, 'x', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';
    char *copy = text_copy_printable(long_text), *odd = text_copy_printable("a\tb"),
         *none = text_copy_printable(NULL);
    assert_int_equal(strlen(copy), TEXT_COPY_BYTES - 1);
    assert_string_equal(odd, "a?b");
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
        cmocka_unit_test(a_copy_is_cut_and_printable),
        cmocka_unit_test(numbers_are_read_strictly),
        cmocka_unit_test(seconds_are_read_strictly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
// The line editor: what it makes of what is typed, and what a terminal then shows.
#include "editor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A terminal of one line: characters, backspace and carriage return.
static char screen[4 * EDITOR_BYTES];
static u32 column;

static void show(const char *bytes, u64 count)
{
    for (u64 i = 0; i < count; i++) {
        if (bytes[i] == '\b')
            column--;
        else if (bytes[i] == '\r')
            column = 0;
        else if (bytes[i] != '\n')
            screen[column++] = bytes[i];
        assert_true(column < sizeof(screen));
    }
}

static struct editor editor;

static int begin(void **state)
{
    (void)state;
    memset(&editor, 0, sizeof(editor));
    editor.write = show;
    memset(screen, 0, sizeof(screen));
    column = 0;
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (u32 i = 0; i < EDITOR_HISTORY; i++)
        free(editor.history[i]);
    return 0;
}

static enum editor_result type(const char *keys)
{
    enum editor_result result = EDITOR_MORE;
    for (; *keys != 0; keys++)
        result = editor_type(&editor, *keys);
    return result;
}

// What is typed gives this line, and the terminal showed the same before the end of line.
static void expect(const char *keys, const char *line)
{
    char shown[sizeof(screen)];

    memset(screen, 0, sizeof(screen));
    column = 0;
    editor_begin(&editor);
    type(keys);
    strcpy(shown, screen);
    for (u64 end_of_text = strlen(shown); end_of_text > 0 && shown[end_of_text - 1] == ' ';)
        shown[--end_of_text] = 0;
    assert_int_equal(type("\r"), EDITOR_LINE);
    assert_string_equal(editor.line, line);
    assert_string_equal(shown, line);
}

static void characters_are_echoed_and_kept(void **state)
{
    (void)state;
    expect("ls -l /bin", "ls -l /bin");
    expect("", "");
}

static void erasing_works_in_the_middle_too(void **state)
{
    (void)state;
    expect("abx\b\x7f"
           "c",
           "ac");
    expect("\b\b", "");
    expect("abcd\x1b[D\x1b[D\b", "acd");
    expect("one two\x17three", "one three");
    expect("abc\x15xyz", "xyz");
}

static void moving_and_inserting(void **state)
{
    (void)state;
    expect("bc\x01"
           "a\x05"
           "d",
           "abcd");
    expect("bc\x1b[Ha\x1b[Fd", "abcd");
    expect("ac\x1b[Db\x1b[C\x1b[C\x1b[C", "abc");
    expect("a\x1b[3~b", "ab"); // keys that mean nothing
}

static void history_comes_back(void **state)
{
    (void)state;
    editor_remember(&editor, "first");
    editor_remember(&editor, "second");
    editor_remember(&editor, "second");
    editor_remember(&editor, "");
    expect("\x1b[A", "second");
    expect("\x1b[A\x1b[A", "first");
    expect("\x1b[A\x1b[A\x1b[A!", "first!");
    expect("\x1b[A\x1b[A\x1b[B", "second");
    expect("x\x1b[A\x1b[B", "");
    for (u32 i = 0; i < 2 * EDITOR_HISTORY; i++) {
        char line[] = {'l', (char)('0' + i % 50), 0};
        editor_remember(&editor, line);
    }
}

static void control_characters_end_it(void **state)
{
    (void)state;
    assert_int_equal(type("abc\x03"), EDITOR_CANCEL);
    editor_begin(&editor);
    assert_int_equal(type("a\x04"), EDITOR_MORE);
    editor_begin(&editor);
    assert_int_equal(type("\x04"), EDITOR_END);
}

static void a_line_feed_after_a_return_is_one_end(void **state)
{
    (void)state;
    assert_int_equal(type("a\r"), EDITOR_LINE);
    editor_begin(&editor);
    assert_int_equal(type("\n"), EDITOR_MORE);
    assert_int_equal(type("\n"), EDITOR_LINE);
}

static void long_lines_are_cut(void **state)
{
    (void)state;
    for (u32 i = 0; i < 2 * EDITOR_BYTES; i++)
        assert_int_equal(type("x"), EDITOR_MORE);
    assert_int_equal(type("\n"), EDITOR_LINE);
    assert_int_equal(strlen(editor.line), EDITOR_BYTES - 1);
}

static void random_typing_does_no_harm(void **state)
{
    (void)state;
    srand(11);
    for (u32 i = 0; i < 200000; i++) {
        static const char keys[] = "ab \b\x7f\x01\x05\x15\x17\x1b[ABCDHF";
        if (editor_type(&editor, keys[(u32)rand() % (sizeof(keys) - 1)]) != EDITOR_MORE)
            editor_begin(&editor);
        assert_true(editor.cursor <= editor.length && editor.length < EDITOR_BYTES);
        if (rand() % 500 == 0) {
            editor.line[editor.length] = 0;
            editor_remember(&editor, editor.line);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(characters_are_echoed_and_kept, begin, end),
        cmocka_unit_test_setup_teardown(erasing_works_in_the_middle_too, begin, end),
        cmocka_unit_test_setup_teardown(moving_and_inserting, begin, end),
        cmocka_unit_test_setup_teardown(history_comes_back, begin, end),
        cmocka_unit_test_setup_teardown(control_characters_end_it, begin, end),
        cmocka_unit_test_setup_teardown(a_line_feed_after_a_return_is_one_end, begin, end),
        cmocka_unit_test_setup_teardown(long_lines_are_cut, begin, end),
        cmocka_unit_test_setup_teardown(random_typing_does_no_harm, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

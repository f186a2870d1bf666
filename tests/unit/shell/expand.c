// SPDX-License-Identifier: MIT
// The shell's expansion of words.
#include "expand.h"

#include "parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <orrery/errors.h>

static struct arena arena;
static struct fields fields;

static const char *lookup(void *context, const char *name)
{
    (void)context;
    if (strcmp(name, "HOME") == 0)
        return "/home";
    if (strcmp(name, "two") == 0)
        return " first  second ";
    if (strcmp(name, "empty") == 0)
        return "";
    if (strcmp(name, "?") == 0)
        return "7";
    if (strcmp(name, "1") == 0)
        return "one";
    return NULL;
}

static const struct expander expander = {.arena = &arena, .lookup = lookup};

static int begin(void **state)
{
    (void)state;
    memset(&fields, 0, sizeof(fields));
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

static void expect(const char *word, u32 count, const char *first, const char *second)
{
    fields.count = 0;
    assert_int_equal(expand_word(&expander, word, &fields), 0);
    assert_int_equal(fields.count, count);
    assert_null(fields.words[count]);
    if (count > 0)
        assert_string_equal(fields.words[0], first);
    if (count > 1)
        assert_string_equal(fields.words[1], second);
}

static void quotes_are_taken_off(void **state)
{
    (void)state;
    expect("plain", 1, "plain", NULL);
    expect("'a b'\"c d\"e\\ f", 1, "a bc de f", NULL);
    expect("'$HOME'", 1, "$HOME", NULL);
    expect("\"\\$HOME \\\" \\\\ \\n\"", 1, "$HOME \" \\ \\n", NULL);
    expect("''", 1, "", NULL);
}

static void variables_are_replaced(void **state)
{
    (void)state;
    expect("$HOME/x", 1, "/home/x", NULL);
    expect("${HOME}x$?", 1, "/homex7", NULL);
    expect("$1a", 1, "onea", NULL);
    expect("a$", 1, "a$", NULL);
    expect("$/", 1, "$/", NULL);
    expect("x$unset.", 1, "x.", NULL);
}

static void unquoted_values_are_split(void **state)
{
    (void)state;
    expect("$two", 2, "first", "second");
    expect("a$two", 3, "a", "first");
    expect("\"$two\"", 1, " first  second ", NULL);
}

static void what_becomes_nothing_disappears(void **state)
{
    (void)state;
    expect("$unset", 0, NULL, NULL);
    expect("$empty", 0, NULL, NULL);
    expect("\"$empty\"", 1, "", NULL);
}

static void text_is_not_split(void **state)
{
    (void)state;
    assert_string_equal(expand_text(&expander, "A=$two"), "A= first  second ");
    assert_string_equal(expand_text(&expander, "$unset"), "");
}

static void bad_braces_are_refused(void **state)
{
    (void)state;
    assert_int_equal(expand_word(&expander, "${", &fields), E_PROTO);
    assert_int_equal(expand_word(&expander, "${}", &fields), E_PROTO);
    assert_int_equal(expand_word(&expander, "${a b}", &fields), E_PROTO);
    assert_null(expand_text(&expander, "${x"));
}

static void too_many_fields_are_an_error(void **state)
{
    (void)state;
    for (u32 i = 0; i < FIELDS_MAX; i++)
        assert_int_equal(expand_word(&expander, "x", &fields), 0);
    assert_int_equal(expand_word(&expander, "x", &fields), E_LIMIT);
}

// Every word that the parser lets through can be expanded without harm.
static void random_words_do_no_harm(void **state)
{
    static const char alphabet[] = "a $'\"\\{}?1_\n";

    (void)state;
    srand(42);
    for (u32 round = 0; round < 50000; round++) {
        char text[24] = "";
        struct pipeline *list;
        const char *message;
        u32 length = (u32)rand() % (sizeof(text) - 1);
        for (u32 i = 0; i < length; i++)
            text[i] = alphabet[(u32)rand() % (sizeof(alphabet) - 1)];
        fields.count = 0;
        if (parse(&arena, text, &list, &message) == 0 && list != NULL)
            for (u32 i = 0; i < list->commands[0].word_count; i++)
                expand_word(&expander, list->commands[0].words[i], &fields);
        arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(quotes_are_taken_off, begin, end),
        cmocka_unit_test_setup_teardown(variables_are_replaced, begin, end),
        cmocka_unit_test_setup_teardown(unquoted_values_are_split, begin, end),
        cmocka_unit_test_setup_teardown(what_becomes_nothing_disappears, begin, end),
        cmocka_unit_test_setup_teardown(text_is_not_split, begin, end),
        cmocka_unit_test_setup_teardown(bad_braces_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(too_many_fields_are_an_error, begin, end),
        cmocka_unit_test_setup_teardown(random_words_do_no_harm, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

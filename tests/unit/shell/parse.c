// SPDX-License-Identifier: MIT
// The shell's parser: lists, pipelines, redirections, quotes, and what it refuses.
#include "parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <orrery/errors.h>

static struct arena arena;
static const char *message;

static struct pipeline *parse_good(const char *text)
{
    struct pipeline *list;
    assert_int_equal(parse(&arena, text, &list, &message), 0);
    return list;
}

static s64 parse_bad(const char *text)
{
    struct pipeline *list;
    s64 error = parse(&arena, text, &list, &message);
    assert_null(list);
    return error;
}

static int free_arena(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

static void nothing_is_an_empty_list(void **state)
{
    (void)state;
    assert_null(parse_good(""));
    assert_null(parse_good("   \t "));
    assert_null(parse_good("# only a comment"));
    assert_null(parse_good("\n\n # more\n"));
}

static void words_keep_their_quotes(void **state)
{
    (void)state;
    struct pipeline *list = parse_good("echo 'a b' \"c $d\" e\\ f g'h'i");
    struct command *command = &list->commands[0];

    assert_int_equal(command->word_count, 5);
    assert_string_equal(command->words[0], "echo");
    assert_string_equal(command->words[1], "'a b'");
    assert_string_equal(command->words[2], "\"c $d\"");
    assert_string_equal(command->words[3], "e\\ f");
    assert_string_equal(command->words[4], "g'h'i");
}

static void a_pipeline_has_its_commands_in_order(void **state)
{
    (void)state;
    struct pipeline *list = parse_good("ls -l|grep x |  wc");

    assert_int_equal(list->count, 3);
    assert_string_equal(list->commands[0].words[1], "-l");
    assert_string_equal(list->commands[1].words[0], "grep");
    assert_string_equal(list->commands[2].words[0], "wc");
    assert_string_equal(list->text, "ls -l|grep x |  wc");
    assert_null(list->next);
}

static void separators_say_what_the_next_depends_on(void **state)
{
    (void)state;
    struct pipeline *list = parse_good("a && b || c ; d & e\nf");
    enum pipeline_when when[] = {WHEN_ALWAYS, WHEN_SUCCEEDED, WHEN_FAILED,
                                 WHEN_ALWAYS, WHEN_ALWAYS,    WHEN_ALWAYS};

    for (u32 i = 0; i < ARRAY_SIZE(when); i++, list = list->next) {
        assert_non_null(list);
        assert_int_equal(list->when, when[i]);
        assert_int_equal(list->background, i == 3);
        assert_int_equal(list->commands[0].words[0][0], 'a' + (int)i);
    }
    assert_null(list);
}

static void redirections_are_kept_in_order(void **state)
{
    (void)state;
    struct command *command = &parse_good("x <in >out 2>&1 >>more 2>errors arg")->commands[0];
    struct redirect *redirect = command->redirects;

    assert_int_equal(command->word_count, 2);
    assert_int_equal(redirect->kind, REDIRECT_IN);
    assert_string_equal(redirect->word, "in");
    redirect = redirect->next;
    assert_int_equal(redirect->kind, REDIRECT_OUT);
    assert_int_equal(redirect->file, 1);
    redirect = redirect->next;
    assert_int_equal(redirect->kind, REDIRECT_SAME);
    assert_null(redirect->word);
    redirect = redirect->next;
    assert_int_equal(redirect->kind, REDIRECT_APPEND);
    redirect = redirect->next;
    assert_int_equal(redirect->file, 2);
    assert_string_equal(redirect->word, "errors");
    assert_null(redirect->next);
}

static void assignments_come_first_only(void **state)
{
    (void)state;
    struct command *command = &parse_good("A=1 B_2='x y' env C=3 4=5")->commands[0];
    assert_int_equal(command->assignment_count, 2);
    assert_int_equal(command->word_count, 5);
    assert_int_equal(parse_good("4=5")->commands[0].assignment_count, 0);
}

static void a_beginning_asks_for_more(void **state)
{
    (void)state;
    assert_int_equal(parse_bad("echo 'open"), E_AGAIN);
    assert_int_equal(parse_bad("echo \"open \\\" still"), E_AGAIN);
    assert_int_equal(parse_bad("ls |"), E_AGAIN);
    assert_int_equal(parse_bad("ls &&"), E_AGAIN);
    assert_int_equal(parse_bad("ls ||  # later\n"), E_AGAIN);
    assert_int_equal(parse_bad("echo \\"), E_AGAIN);
}

static void nonsense_is_refused_with_a_message(void **state)
{
    static const char *const lines[] = {"| x", "a || | b", "a ;; b", "& a", "a > ; b", "a <", "&&"};

    (void)state;
    for (u32 i = 0; i < ARRAY_SIZE(lines); i++) {
        assert_int_equal(parse_bad(lines[i]), E_PROTO);
        assert_true(strlen(message) > 0);
    }
}

static void limits_are_errors(void **state)
{
    char text[4 * WORDS_MAX] = "";

    (void)state;
    for (u32 i = 0; i <= COMMANDS_MAX; i++)
        strcat(text, i == 0 ? "a" : "|a");
    assert_int_equal(parse_bad(text), E_LIMIT);
    text[0] = 0;
    for (u32 i = 0; i <= WORDS_MAX; i++)
        strcat(text, "a ");
    assert_int_equal(parse_bad(text), E_LIMIT);
}

// Any text is answered, and nothing is touched outside of it (the sanitizers look).
static void random_texts_do_no_harm(void **state)
{
    static const char alphabet[] = "ab =$'\"\\|&;<>2#\n{}?1_";

    (void)state;
    srand(4711);
    for (u32 round = 0; round < 50000; round++) {
        char text[40] = "";
        u32 length = (u32)rand() % sizeof(text);
        struct pipeline *list;
        for (u32 i = 0; i < length; i++)
            text[i] = alphabet[(u32)rand() % (sizeof(alphabet) - 1)];
        char *exact = calloc(1, length + 1);
        memcpy(exact, text, length);
        s64 error = parse(&arena, exact, &list, &message);
        assert_true(error == 0 || error == E_AGAIN || error == E_PROTO);
        free(exact);
        arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(nothing_is_an_empty_list, free_arena),
        cmocka_unit_test_teardown(words_keep_their_quotes, free_arena),
        cmocka_unit_test_teardown(a_pipeline_has_its_commands_in_order, free_arena),
        cmocka_unit_test_teardown(separators_say_what_the_next_depends_on, free_arena),
        cmocka_unit_test_teardown(redirections_are_kept_in_order, free_arena),
        cmocka_unit_test_teardown(assignments_come_first_only, free_arena),
        cmocka_unit_test_teardown(a_beginning_asks_for_more, free_arena),
        cmocka_unit_test_teardown(nonsense_is_refused_with_a_message, free_arena),
        cmocka_unit_test_teardown(limits_are_errors, free_arena),
        cmocka_unit_test_teardown(random_texts_do_no_harm, free_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

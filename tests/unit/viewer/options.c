// SPDX-License-Identifier: MIT
// The command line: options in every form, arguments between them, and what follows "--".
#include "unit.h"

#include "tools/options.h"

#include <string.h>

static bool json, verbose;
static const char *name;
static u64 number;
static double seconds;
static struct texts list;

const struct option global_options[] = {
    FLAG(0, "json", &json, ""),
    OPTIONS_END,
};

static const struct option shared[] = {
    TEXT('o', "name", &name, "NAME", ""),
    OPTIONS_END,
};

static const struct option own[] = {
    FLAG('v', "verbose", &verbose, ""),
    NUMBER('n', "number", &number, 5, 10, "N", ""),
    SECONDS('s', "seconds", &seconds, 60, ""),
    LIST('l', "list", &list, "TEXT", ""),
    OPTIONS_END,
};

static const struct option *const tables[] = {own, shared, NULL};

#define MAX_WORDS 8

// Parses a line of words separated by single blanks; the words live until the next call.
static int parse(const char *line, struct arguments *arguments)
{
    static char text[128];
    static char *words[MAX_WORDS];
    int count = 0;
    json = verbose = false;
    name = NULL;
    number = 0;
    seconds = 0;
    list.count = 0;
    snprintf(text, sizeof(text), "%s", line);
    for (char *word = strtok(text, " "); word != NULL && count < MAX_WORDS;
         word = strtok(NULL, " "))
        words[count++] = word;
    return options_parse(tables, count, words, arguments);
}

static void options_come_in_every_usual_form(void **state)
{
    (void)state;
    const char *const forms[] = {"-n 7 -o x -v", "-n7 -ox -v", "-vn7 -o x",
                                 "--number 7 --name x --verbose", "--number=7 --name=x --verbose"};
    struct arguments arguments;
    for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
        assert_int_equal(parse(forms[i], &arguments), KOV_OK);
        assert_true(verbose);
        assert_int_equal(number, 7);
        assert_string_equal(name, "x");
        assert_int_equal(arguments.count, 0);
    }
    assert_int_equal(parse("-von --number 7", &arguments), KOV_OK);
    assert_string_equal(name, "n"); // what follows a letter that takes a value is the value
}

static void arguments_stand_anywhere(void **state)
{
    (void)state;
    struct arguments arguments;
    assert_int_equal(parse("one --json two -s .5 -", &arguments), KOV_OK);
    assert_true(json);
    assert_true(seconds == 0.5);
    assert_int_equal(arguments.count, 3);
    assert_string_equal(arguments.values[0], "one");
    assert_string_equal(arguments.values[1], "two");
    assert_string_equal(arguments.values[2], "-");
    assert_false(arguments.has_workload);
}

static void what_follows_two_dashes_is_the_workload(void **state)
{
    (void)state;
    struct arguments arguments;
    assert_int_equal(parse("-v -- demo -v --json", &arguments), KOV_OK);
    assert_true(arguments.has_workload);
    assert_int_equal(arguments.workload_count, 3);
    assert_string_equal(arguments.workload[1], "-v");
    assert_false(json);
    assert_int_equal(parse("--", &arguments), KOV_OK);
    assert_true(arguments.has_workload);
    assert_int_equal(arguments.workload_count, 0);
}

static void mistakes_are_wrong_usage(void **state)
{
    (void)state;
    const char *const lines[] = {"-x",    "--xyz",        "-n",   "--number",    "-n 4",
                                 "-n 11", "--number=",    "-n x", "--verbose=1", "--verb",
                                 "-s 61", "--seconds=-1", "--=7"};
    struct arguments arguments;
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
        assert_int_equal(parse(lines[i], &arguments), KOV_USAGE);
}

static void global_options_end_at_the_command(void **state)
{
    (void)state;
    char *words[] = {(char *)"--json", (char *)"hello", (char *)"--json"};
    int used = 0;
    assert_int_equal(options_parse_global(3, words, &used), KOV_OK);
    assert_int_equal(used, 1);
    words[0] = (char *)"--verbose";
    assert_int_equal(options_parse_global(3, words, &used), KOV_USAGE);
}

static void a_list_grows_in_order_up_to_its_end(void **state)
{
    (void)state;
    struct arguments arguments;
    assert_int_equal(parse("-la --list b -v --list=c", &arguments), KOV_OK);
    assert_int_equal(list.count, 3);
    assert_string_equal(list.texts[0], "a");
    assert_string_equal(list.texts[1], "b");
    assert_string_equal(list.texts[2], "c");
    assert_int_equal(parse("--list", &arguments), KOV_USAGE);
    list.count = 0;
    char word[] = "-lx", *words[TEXTS_MAX + 1];
    for (u32 i = 0; i <= TEXTS_MAX; i++)
        words[i] = word;
    assert_int_equal(options_parse(tables, TEXTS_MAX, words, &arguments), KOV_OK);
    list.count = 0;
    assert_int_equal(options_parse(tables, TEXTS_MAX + 1, words, &arguments), KOV_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_grows_in_order_up_to_its_end),
        cmocka_unit_test(options_come_in_every_usual_form),
        cmocka_unit_test(arguments_stand_anywhere),
        cmocka_unit_test(what_follows_two_dashes_is_the_workload),
        cmocka_unit_test(mistakes_are_wrong_usage),
        cmocka_unit_test(global_options_end_at_the_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
// The text of configurations: what it means, what is refused and where,
// and that what is written means the same.
#include "unit.h"

#include "counts/event_configuration.h"
#include "tools/kov.h"

#include <string.h>

static struct configuration configuration;

static int parse(const char *text)
{
    memset(&configuration, 0, sizeof(configuration));
    snprintf(configuration.text, sizeof(configuration.text), "%s", text);
    return configuration_parse("some.conf", &configuration);
}

static void a_file_with_everything_is_read(void **state)
{
    (void)state;
    assert_int_equal(parse("# comment\r\n"
                           "about\tTLB, and who \xc3\xa4sks\n"
                           "\n"
                           "  events itlb-miss,larx:k@1000 \n"
                           "events larx:k@1000,all,l1d-miss:u\n"
                           "shares 3,1\n"
                           "cpus 0-2,5\n"
                           "slice 20000\n"
                           "period 100000"),
                     KOV_OK);
    assert_string_equal(configuration.about, "TLB, and who \xc3\xa4sks");
    assert_int_equal(configuration.sets.count, 2);
    assert_string_equal(configuration.sets.texts[0], "itlb-miss,larx:k@1000");
    assert_string_equal(configuration.events, "itlb-miss,larx:k@1000,all,l1d-miss:u");
    assert_string_equal(configuration.shares, "3,1");
    assert_string_equal(configuration.cpus, "0-2,5");
    assert_int_equal(configuration.slice, 20000);
    assert_int_equal(configuration.period, 100000);
    struct texts counted = configuration_count_sets(&configuration);
    assert_int_equal(counted.count, 2);
    assert_string_equal(counted.texts[0], "itlb-miss,larx:k");
    assert_string_equal(counted.texts[1], "larx:k,all,l1d-miss:u");
}

static void what_is_wrong_is_refused(void **state)
{
    static const char *const wrong[] = {
        "",
        "about nothing else\n",
        "events\n",
        "events ,\n",
        "events larx,\n",
        "events larx stcx\n",
        "events larx:x\n",
        "events larx:\n",
        "events :k\n",
        "events LARX\n",
        "events larx@15\n",
        "events larx@\n",
        "events larx@1000:k\n",
        "events larx@99999999999999999999999999\n",
        "event larx\n",
        "events larx\nshares 1,2\n",
        "events larx\nshares 0\n",
        "events larx\nshares x\n",
        "events larx\nshares 1\nshares 1\n",
        "events larx\ncpus 2-1\n",
        "events larx\nslice 9999\n",
        "events larx\nslice 20000\nslice 20000\n",
        "events larx\nperiod 15\n",
        "events larx\nperiod 0x80000000\n",
        "events larx\nabout one\nabout two\n",
        "events larx\n\x01\n",
        "events a\nevents a\nevents a\nevents a\nevents a\nevents a\nevents a\nevents a\nevents a\n"
        "events a\nevents a\nevents a\nevents a\nevents a\nevents a\nevents a\nevents a\n",
    };
    (void)state;
    message_quiet(true);
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
        if (parse(wrong[i]) != KOV_FAILED) {
            print_error("taken for good: %s\n", wrong[i]);
            assert_true(false);
        }
    message_quiet(false);
}

static void what_is_written_means_the_same(void **state)
{
    char text[CONFIGURATION_BYTES] = "", again[CONFIGURATION_BYTES] = "";
    (void)state;
    assert_int_equal(parse("events larx:u@50,stcx\nevents cycles\ncpus 1\nperiod 77\nshares 1,9\n"
                           "slice 10000\nabout  two   words\n"),
                     KOV_OK);
    FILE *out = fmemopen(text, sizeof(text), "w");
    configuration_write(out, &configuration);
    fclose(out);
    assert_int_equal(parse(text), KOV_OK);
    out = fmemopen(again, sizeof(again), "w");
    configuration_write(out, &configuration);
    fclose(out);
    assert_string_equal(text, again);
    assert_non_null(strstr(text, "about two   words\n"));
}

static void the_built_in_ones_are_good(void **state)
{
    size_t count = 0;
    const char *name;
    (void)state;
    for (; (name = configuration_built_in_name(count)) != NULL; count++) {
        assert_int_equal(configuration_check_name(name), KOV_OK);
        assert_int_equal(parse(configuration_built_in(name)), KOV_OK);
        assert_true(configuration.about[0] != '\0');
    }
    assert_int_equal(count, 7);
    assert_null(configuration_built_in("nothing"));
}

static void names_make_no_paths(void **state)
{
    static const char *const wrong[] = {
        "",         ".",  "..",   "a/b",
        ".a",       " a", "a ",   "a\nb",
        "\xc3\xa4", "x*", "a\\b", "1234567890123456789012345678901234567890123456789"};
    (void)state;
    message_quiet(true);
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
        assert_int_equal(configuration_check_name(wrong[i]), KOV_USAGE);
    message_quiet(false);
    assert_int_equal(configuration_check_name("TLB misses-2_x.y"), KOV_OK);
}

// Any text, of the letters that matter most: the sanitizers watch,
// and what is taken is taken again when written.
static void any_text_is_taken_or_refused(void **state)
{
    static const char *const words[] = {"events", "shares", "cpus", "about",    "slice", "period",
                                        "larx",   ",",      ":k",   "@",        "1",     "20000",
                                        " ",      "\n",     "#",    "\xff\x01", "-",     "all"};
    u64 random = 5;
    (void)state;
    message_quiet(true);
    for (u64 round = 0; round < unit_fuzz_rounds(30000); round++) {
        char text[CONFIGURATION_BYTES] = "";
        size_t length = 0;
        for (u64 n = unit_random(&random) % 40; n > 0; n--) {
            const char *word = words[unit_random(&random) % ARRAY_SIZE(words)];
            length += (size_t)sprintf(text + length, "%s", word);
        }
        if (parse(text) != KOV_OK)
            continue;
        configuration_count_sets(&configuration);
        FILE *out = fmemopen(text, sizeof(text), "w");
        configuration_write(out, &configuration);
        fclose(out);
        assert_int_equal(parse(text), KOV_OK);
    }
    message_quiet(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_with_everything_is_read),
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(what_is_written_means_the_same),
        cmocka_unit_test(the_built_in_ones_are_good),
        cmocka_unit_test(names_make_no_paths),
        cmocka_unit_test(any_text_is_taken_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

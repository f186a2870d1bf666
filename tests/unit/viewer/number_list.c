// SPDX-License-Identifier: MIT
// Lists of small numbers.
#include "unit.h"

#include "tools/number_list.h"

static void lists_are_read_strictly(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        u64 mask;
    } good[] = {{"0", 1},        {"63", 1UL << 63}, {"0-63", UINT64_MAX},
                {"1,3-5", 0x3a}, {"5,1", 0x22},     {"2-2,2", 4}};
    static const char *const bad[] = {"",     ",",   "1,",    ",1",   "1-",
                                      "-1",   "3-1", "64",    "0-64", "1 ",
                                      "1,,2", "x",   "1-2-3", "+1",   "099999999999999999999999",
                                      "1.5"};
    u64 mask;
    for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
        assert_true(number_list_parse(good[i].text, &mask));
        assert_int_equal(mask, good[i].mask);
    }
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        assert_false(number_list_parse(bad[i], &mask));
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    char text[NUMBER_LIST_BYTES];
    assert_string_equal(number_list_text(0, text), "-");
    assert_string_equal(number_list_text(0x3a, text), "1,3-5");
    assert_string_equal(number_list_text(1UL << 63, text), "63");
    u64 random = 1;
    for (u32 round = 0; round < 1000; round++) {
        u64 mask = unit_random(&random) & (round % 3 == 0 ? 0x5555555555555555 : UINT64_MAX), again;
        assert_true(number_list_parse(number_list_text(mask, text), &again));
        assert_int_equal(mask, again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_read_strictly),
        cmocka_unit_test(what_is_written_is_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

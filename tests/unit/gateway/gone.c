// SPDX-License-Identifier: MIT
// Objects that were sampled and are gone are looked for by one scan.
#include "unit.h"

#include "gateway/gone.h"

static void one_scan_looks_for_an_object(void **state)
{
    static struct gone_objects gone;
    (void)state;

    assert_true(gone_may_come(&gone, 7, 0x1000, 0)); // before the first scan
    assert_true(gone_may_come(&gone, 7, 0x1000, 0));
    assert_false(gone_may_come(&gone, 7, 0x1000, 1)); // it did not see the object
    assert_false(gone_may_come(&gone, 7, 0x1000, 2));
    assert_false(gone_may_come(&gone, 7, 0x1000, UINT64_MAX - 1));
}

static void objects_are_told_apart(void **state)
{
    static struct gone_objects gone;
    (void)state;

    assert_true(gone_may_come(&gone, 7, 0x1000, 3));
    assert_false(gone_may_come(&gone, 7, 0x1000, 4));
    assert_true(gone_may_come(&gone, 8, 0x1000, 4)); // of another process
    assert_true(gone_may_come(&gone, 7, 0x1001, 4));
    assert_true(gone_may_come(&gone, 0, 0, 4)); // looks like a free slot
    assert_false(gone_may_come(&gone, 0, 0, 5));
}

// With more objects than slots some are looked for again, but a new one never goes without.
static void more_objects_than_slots(void **state)
{
    static struct gone_objects gone;
    (void)state;

    for (u32 round = 0; round < 3; round++)
        for (coid_t coid = 1; coid <= 3 * GONE_SLOTS; coid++)
            assert_true(gone_may_come(&gone, round, coid, round));
    assert_false(gone_may_come(&gone, 2, 3 * GONE_SLOTS, 3)); // the last one has its slot
}

// Objects that are asked for in turns, as rankings do, keep their slots.
static void gone_objects_do_not_push_each_other_out(void **state)
{
    static struct gone_objects gone;
    (void)state;

    for (u64 scans = 0; scans < 5; scans++)
        for (u32 i = 0; i < GONE_SLOTS / 4; i++)
            assert_int_equal(gone_may_come(&gone, i % 4, 0x100000 + 64 * (coid_t)i, scans),
                             scans == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_scan_looks_for_an_object),
        cmocka_unit_test(objects_are_told_apart),
        cmocka_unit_test(more_objects_than_slots),
        cmocka_unit_test(gone_objects_do_not_push_each_other_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

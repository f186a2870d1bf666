// SPDX-License-Identifier: MIT
// What is kept of scans: found again in any order of arrival, the latest wins.
#include "unit.h"

#include "machine/snapshot.h"

static void add_object(struct snapshot *snapshot, coid_t coid, u64 misses, u32 children)
{
    coid_t list[4] = {16, 32, 48, 64};
    struct object_info info = {
        .coid = coid, .misses = misses, .class_id = 1, .child_count = children, .children = list};
    snapshot_add_objects(snapshot, &info, 1);
}

static void objects_are_found_whatever_the_order(void **state)
{
    (void)state;
    struct snapshot snapshot = {0};
    u64 seed = 7;
    for (int i = 0; i < 2000; i++)
        add_object(&snapshot, 16 * (unit_random(&seed) % 1000), (u64)i, 2);
    for (size_t i = 1; i < snapshot.object_count; i++)
        assert_true(snapshot.objects[i - 1].coid < snapshot.objects[i].coid);
    for (size_t i = 0; i < snapshot.object_count; i++)
        assert_ptr_equal(snapshot_object(&snapshot, 0, snapshot.objects[i].coid),
                         &snapshot.objects[i]);
    assert_null(snapshot_object(&snapshot, 0, 8));
    assert_null(snapshot_object(&snapshot, 0, UINT64_MAX));
    snapshot_free(&snapshot);
}

static void the_latest_scan_wins(void **state)
{
    (void)state;
    struct snapshot snapshot = {0};
    add_object(&snapshot, 16, 1, 4);
    add_object(&snapshot, 16, 2, 1);
    assert_int_equal(snapshot.object_count, 1);
    assert_int_equal(snapshot_object(&snapshot, 0, 16)->misses, 2);
    assert_int_equal(snapshot_object(&snapshot, 0, 16)->child_count, 1);
    struct class_info class = {.id = 1, .name = (char *)"Old"};
    snapshot_add_class(&snapshot, &class);
    class.name = (char *)"New";
    class.implementation = (char *)"NewShared";
    snapshot_add_class(&snapshot, &class);
    assert_int_equal(snapshot.class_count, 1);
    char name[OBJECT_NAME_BYTES];
    snapshot_object_name(&snapshot, 0, 16, name);
    assert_string_equal(name, "New(NewShared) 0x10");
    snapshot_free(&snapshot);
}

static void what_is_not_known_has_a_name_too(void **state)
{
    (void)state;
    struct snapshot snapshot = {0};
    char name[OBJECT_NAME_BYTES];
    snapshot_object_name(&snapshot, 0, 0x20, name);
    assert_string_equal(name, "[gone] 0x20");
    add_object(&snapshot, 0x20, 0, 0);
    snapshot_object_name(&snapshot, 0, 0x20, name);
    assert_string_equal(name, "class 1 0x20");
    snapshot_free(&snapshot);
}

static void what_is_of_a_process_is_named_with_it(void **state)
{
    (void)state;
    char name[OBJECT_NAME_BYTES];
    struct snapshot snapshot = {0};
    struct process_info process = {.pid = 7, .name = (char *)"shell\x1b"};
    struct class_info class = {
        .pid = 7, .id = 1, .name = (char *)"Job", .implementation = (char *)"JobShared"};
    snapshot_add_objects(&snapshot, &(struct object_info){.coid = 0x20, .class_id = 1}, 1);
    snapshot_add_process(&snapshot, &process);
    snapshot_add_class(&snapshot, &class);
    snapshot_add_objects(&snapshot, &(struct object_info){.pid = 7, .coid = 0x20, .class_id = 1},
                         1);
    assert_int_equal(snapshot.object_count, 2);
    snapshot_object_name(&snapshot, 7, 0x20, name);
    assert_string_equal(name, "Job(JobShared) 0x20 of shell\x1b:7");
    snapshot_object_name(&snapshot, 0, 0x20, name);
    assert_string_equal(name, "class 1 0x20");
    snapshot_object_name(&snapshot, 8, 0x20, name);
    assert_string_equal(name, "[gone] 0x20 of pid 8");
    snapshot_process_name(&snapshot, 0, name);
    assert_string_equal(name, "kernel");
    snapshot_free(&snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_found_whatever_the_order),
        cmocka_unit_test(the_latest_scan_wins),
        cmocka_unit_test(what_is_not_known_has_a_name_too),
        cmocka_unit_test(what_is_of_a_process_is_named_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
// Capability tables: slots, references, limits.
#include "host.h"

#include <kernel/address_space.h>
#include <kernel/ipc/capability_table.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define ROUNDS 20000

static struct capability capability_of(u32 type, struct host_object *object)
{
    return (struct capability){.type = type, .object = object};
}

static int nothing_leaks(void **state)
{
    (void)state;
    host_allocations_left = UINT64_MAX;
    return host_allocations == 0 ? 0 : -1;
}

static void a_capability_is_found_with_its_type_only(void **state)
{
    (void)state;
    struct capability_table *table = capability_table_create();
    struct host_object object = {.references = 1};
    struct capability in = {.type = CAPABILITY_MEMORY, .flags = 5, .object = &object};
    s64 error;

    s64 cap = capability_add(table, &in);
    assert_int_equal(cap, CAP_FIRST_FREE);
    assert_int_equal(in.type, CAPABILITY_NONE); // the table's now
    struct capability out = capability_get(table, (cap_t)cap, &error);
    assert_int_equal(error, 0);
    assert_int_equal(out.type, CAPABILITY_MEMORY);
    assert_int_equal(out.flags, 5);
    assert_ptr_equal(out.object, &object);
    assert_int_equal(object.references, 2);
    assert_ptr_equal(capability_get_memory(table, (cap_t)cap, &error), &object);
    assert_int_equal(object.references, 3);
    assert_null(capability_get_process(table, (cap_t)cap, &error));
    assert_int_equal(error, E_INVAL);
    assert_null(capability_get_endpoint(table, (cap_t)cap, &error));
    assert_int_equal(error, E_INVAL);
    assert_int_equal(object.references, 3);
    capability_table_destroy(table);
    assert_int_equal(object.references, 2);
}

static void what_no_slot_holds_is_not_there(void **state)
{
    (void)state;
    const cap_t nothing[] = {0, 1, CAP_FIRST_FREE, CAPABILITY_MAX - 1, CAPABILITY_MAX, UINT32_MAX};
    struct capability_table *table = capability_table_create();
    for (u32 i = 0; i < ARRAY_SIZE(nothing); i++) {
        s64 error;
        struct capability out = capability_get(table, nothing[i], &error);
        assert_int_equal(error, E_NOENT);
        assert_int_equal(out.type, CAPABILITY_NONE);
        capability_release(&out); // nothing to give back
        assert_null(capability_get_memory(table, nothing[i], &error));
        assert_int_equal(error, E_NOENT);
        assert_int_equal(capability_remove(table, nothing[i]), E_NOENT);
    }
    capability_table_destroy(table);
}

static void well_known_slots_are_set_and_replaced(void **state)
{
    (void)state;
    struct capability_table *table = capability_table_create();
    struct host_object first = {.references = 1}, second = {.references = 1};
    struct capability in = capability_of(CAPABILITY_ENDPOINT, &first);
    s64 error;

    assert_int_equal(capability_put_at(table, 0, &in), E_INVAL);
    assert_int_equal(capability_put_at(table, CAP_FIRST_FREE, &in), E_INVAL);
    assert_ptr_equal(in.object, &first); // still the caller's
    assert_int_equal(capability_put_at(table, CAP_NAMES, &in), 0);
    in = capability_of(CAPABILITY_PROCESS, &second);
    assert_int_equal(capability_put_at(table, CAP_NAMES, &in), 0);
    assert_int_equal(first.references, 0);
    assert_ptr_equal(capability_get_process(table, CAP_NAMES, &error), &second);
    second.references--;
    capability_table_destroy(table);
    assert_int_equal(second.references, 0);
}

static void a_full_table_says_so_and_freed_slots_are_used_again(void **state)
{
    (void)state;
    struct capability_table *table = capability_table_create();
    struct host_object object = {.references = 0};
    struct capability in;

    for (s64 cap = CAP_FIRST_FREE; cap < CAPABILITY_MAX; cap++) {
        object.references++;
        in = capability_of(CAPABILITY_ENDPOINT, &object);
        assert_int_equal(capability_add(table, &in), cap);
    }
    in = capability_of(CAPABILITY_ENDPOINT, &object);
    assert_int_equal(capability_add(table, &in), E_LIMIT);
    assert_int_equal(in.type, CAPABILITY_ENDPOINT);
    assert_int_equal(capability_remove(table, 3000), 0);
    assert_int_equal(capability_remove(table, 100), 0);
    object.references += 2;
    assert_int_equal(capability_add(table, &in), 100);
    in = capability_of(CAPABILITY_ENDPOINT, &object);
    assert_int_equal(capability_add(table, &in), 3000);
    in = capability_of(CAPABILITY_ENDPOINT, &object);
    assert_int_equal(capability_add(table, &in), E_LIMIT);
    capability_table_destroy(table);
    assert_int_equal(object.references, 0);
}

static void nothing_comes_into_a_table_that_has_ended(void **state)
{
    (void)state;
    struct capability_table *table = capability_table_create();
    struct host_object before = {.references = 1}, after = {.references = 1};
    struct capability in = capability_of(CAPABILITY_PROCESS, &before);

    capability_add(table, &in);
    capability_table_end(table);
    assert_int_equal(before.references, 0);
    in = capability_of(CAPABILITY_PROCESS, &after);
    assert_int_equal(capability_add(table, &in), E_PEER);
    assert_int_equal(capability_put_at(table, CAP_NAMES, &in), E_PEER);
    assert_ptr_equal(in.object, &after);
    assert_int_equal(after.references, 1);
    capability_table_destroy(table);
}

static void out_of_memory_changes_nothing(void **state)
{
    (void)state;
    struct host_object object = {.references = 1};
    struct capability in = capability_of(CAPABILITY_ENDPOINT, &object);

    host_allocations_left = 0;
    assert_null(capability_table_create());
    host_allocations_left = 1;
    struct capability_table *table = capability_table_create();
    assert_int_equal(capability_add(table, &in), E_NOMEM);
    assert_int_equal(capability_put_at(table, CAP_PARENT, &in), E_NOMEM);
    assert_ptr_equal(in.object, &object);
    assert_int_equal(object.references, 1);
    host_allocations_left = 1;
    assert_int_equal(capability_add(table, &in), CAP_FIRST_FREE);
    capability_table_destroy(table);
    assert_int_equal(object.references, 0);
}

static void memory_is_in_the_account_of_who_holds_it(void **state)
{
    (void)state;
    struct capability_table *table = capability_table_create();
    struct host_object memory = {.references = 3}, other = {.references = 1};
    struct capability in = capability_of(CAPABILITY_MEMORY, &memory);

    s64 cap = capability_add(table, &in);
    in = capability_of(CAPABILITY_MEMORY, &memory);
    assert_int_equal(capability_put_at(table, CAP_PARENT, &in), 0);
    assert_int_equal(memory.accounted, 2);
    host_account_is_full = true;
    in = capability_of(CAPABILITY_MEMORY, &other);
    assert_int_equal(capability_add(table, &in), E_LIMIT);
    assert_int_equal(capability_put_at(table, CAP_PARENT, &in), E_LIMIT);
    assert_int_equal(capability_get(table, CAP_PARENT, &(s64){0}).type, CAPABILITY_MEMORY);
    host_account_is_full = false;
    assert_int_equal(capability_put_at(table, CAP_PARENT, &in), 0); // what was there goes
    assert_int_equal(memory.accounted, 1);
    assert_int_equal(capability_remove(table, (cap_t)cap), 0);
    assert_int_equal(memory.accounted, 0);
    capability_table_destroy(table);
    assert_int_equal(other.accounted, 0);
}

// Against a plain array.
static void references_follow_a_model(void **state)
{
    (void)state;
    struct capability_table *table = capability_table_create();
    struct host_object objects[5] = {{0}};
    struct host_object *model[200] = {NULL};

    srand(4711);
    for (u32 round = 0; round < ROUNDS; round++) {
        struct host_object *object = &objects[rand() % 5];
        cap_t cap = CAP_FIRST_FREE + (cap_t)(rand() % 150);
        struct capability in = capability_of(CAPABILITY_MEMORY, object);
        if (rand() % 2 == 0) {
            object->references++;
            s64 added = capability_add(table, &in), lowest = CAP_FIRST_FREE;
            while (lowest < (s64)ARRAY_SIZE(model) && model[lowest] != NULL)
                lowest++;
            assert_int_equal(added, lowest);
            if (added >= (s64)ARRAY_SIZE(model)) {
                assert_int_equal(capability_remove(table, (cap_t)added), 0);
            } else {
                assert_null(model[added]);
                model[added] = object;
            }
        } else {
            assert_int_equal(capability_remove(table, cap), model[cap] ? 0 : E_NOENT);
            model[cap] = NULL;
        }
        s64 error;
        struct fcm *got = capability_get_memory(table, cap, &error);
        assert_int_equal(error, model[cap] != NULL ? 0 : E_NOENT);
        assert_ptr_equal(got, model[cap]);
        if (got != NULL)
            fcm_put(got);
    }
    capability_table_destroy(table);
    for (u32 i = 0; i < ARRAY_SIZE(objects); i++) {
        assert_int_equal(objects[i].references, 0);
        assert_int_equal(objects[i].accounted, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_capability_is_found_with_its_type_only, nothing_leaks),
        cmocka_unit_test_teardown(what_no_slot_holds_is_not_there, nothing_leaks),
        cmocka_unit_test_teardown(well_known_slots_are_set_and_replaced, nothing_leaks),
        cmocka_unit_test_teardown(a_full_table_says_so_and_freed_slots_are_used_again,
                                  nothing_leaks),
        cmocka_unit_test_teardown(nothing_comes_into_a_table_that_has_ended, nothing_leaks),
        cmocka_unit_test_teardown(out_of_memory_changes_nothing, nothing_leaks),
        cmocka_unit_test_teardown(memory_is_in_the_account_of_who_holds_it, nothing_leaks),
        cmocka_unit_test_teardown(references_follow_a_model, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

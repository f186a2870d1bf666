// SPDX-License-Identifier: MIT
// Reclaim goes round its objects, skips what is ending,
// and stops when it has enough or there is no more.
#include <kernel/mem/reclaim.h>
#include <orrery/types.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct object {
    struct reclaimable reclaimable;
    u64 pages, asked, held;
    bool ending;
};

static struct object *object_of(struct reclaimable *reclaimable)
{
    return (struct object *)reclaimable;
}

static u64 take(struct reclaimable *reclaimable, u64 pages)
{
    struct object *object = object_of(reclaimable);
    u64 taken = object->pages < pages ? object->pages : pages;

    assert_int_equal(object->held, 1);
    object->asked++;
    object->pages -= taken;
    return taken;
}

static bool hold(struct reclaimable *reclaimable)
{
    object_of(reclaimable)->held += !object_of(reclaimable)->ending;
    return !object_of(reclaimable)->ending;
}

static void put(struct reclaimable *reclaimable)
{
    object_of(reclaimable)->held--;
}

static void add(struct object *object, u64 pages)
{
    *object =
        (struct object){.reclaimable = {.reclaim = take, .hold = hold, .put = put}, .pages = pages};
    reclaim_add(&object->reclaimable);
}

static void nothing_to_reclaim_frees_nothing(void **state)
{
    (void)state;
    assert_int_equal(reclaim_pages(100), 0);
}

static void objects_are_asked_in_turn_until_there_is_enough(void **state)
{
    struct object objects[3];

    (void)state;
    for (u32 i = 0; i < 3; i++)
        add(&objects[i], 10);
    assert_int_equal(reclaim_pages(4), 4);
    assert_int_equal(reclaim_pages(4), 4);
    assert_int_equal(reclaim_pages(4), 4);
    for (u32 i = 0; i < 3; i++)
        assert_int_equal(objects[i].asked, 1);
    assert_int_equal(reclaim_pages(100), 18);
    for (u32 i = 0; i < 3; i++) {
        assert_int_equal(objects[i].held, 0);
        reclaim_remove(&objects[i].reclaimable);
    }
    assert_int_equal(reclaim_pages(1), 0);
}

static void ending_objects_are_left_alone(void **state)
{
    struct object objects[2];

    (void)state;
    add(&objects[0], 10);
    add(&objects[1], 10);
    objects[0].ending = true;
    assert_int_equal(reclaim_pages(20), 10);
    assert_int_equal(objects[0].asked, 0);
    reclaim_remove(&objects[0].reclaimable);
    reclaim_remove(&objects[1].reclaimable);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_to_reclaim_frees_nothing),
        cmocka_unit_test(objects_are_asked_in_turn_until_there_is_enough),
        cmocka_unit_test(ending_objects_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

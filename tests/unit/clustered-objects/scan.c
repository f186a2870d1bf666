// SPDX-License-Identifier: MIT
// Object scan, classes and DREF counts, as servers see them through orrery/sys.h.
#include "host.h"

#include <co/counter.h>
#include <co/manager.h>
#include <orrery/sys.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define OBJECTS 1000
#define BUFFER 65536

// A shared object with children.
struct parent {
    struct co_root root;
    struct co_rep rep;
    u32 count;
    coid_t children[8];
};

static struct parent *parent_of(struct co_rep *self)
{
    return container_of(self, struct parent, rep);
}

static s64 get_num_children(struct co_rep *self)
{
    return parent_of(self)->count;
}

static s64 get_children(struct co_rep *self, coid_t *out, u32 max)
{
    const struct parent *parent = parent_of(self);
    u32 count = parent->count < max ? parent->count : max;
    memcpy(out, parent->children, count * sizeof(*out));
    return count;
}

static const struct co_ops parent_ops = {get_num_children, get_children};
static struct co_class parent_class = {.name = "Parent",
                                       .implementation = "SharedParent",
                                       .size = sizeof(struct parent),
                                       .ops = &parent_ops};

// All records of one scan with buffers of `bytes`, one after the other. Returns their total size.
static u64 scan_all(char *records, u64 bytes)
{
    u64 cursor = 0, total = 0;
    s64 got;
    while ((got = co_manager_scan(&cursor, records + total, bytes)) > 0) {
        assert_true((u64)got <= bytes);
        total += (u64)got;
        assert_true(total <= BUFFER * 4);
    }
    assert_int_equal(got, 0);
    assert_int_equal(co_manager_scan(&cursor, records + total, bytes), 0); // the end stays the end
    return total;
}

static const struct sys_object *find(const char *records, u64 bytes, coid_t coid)
{
    const struct sys_object *found = NULL;
    for (u64 at = 0; at < bytes;) {
        const struct sys_object *object = (const struct sys_object *)(records + at);
        assert_int_equal(object->record_bytes,
                         sizeof(*object) + object->child_count * sizeof(coid_t));
        if (object->coid == coid) {
            assert_null(found); // once only
            found = object;
        }
        at += object->record_bytes;
    }
    return found;
}

static void a_scan_finds_what_was_created_and_nothing_else(void **state)
{
    (void)state;
    static coid_t coids[OBJECTS];
    static char records[4 * BUFFER];
    u64 before = scan_all(records, BUFFER);
    for (u32 i = 0; i < OBJECTS; i++) {
        host_set_cpu(i % HOST_CPUS);
        coids[i] = (coid_t)(i % 3 ? shared_counter_create() : distributed_counter_create());
    }
    host_set_cpu(0);
    for (u32 i = 0; i < OBJECTS; i += 5)
        assert_int_equal(co_destroy(coids[i]), 0);
    u64 bytes = scan_all(records, BUFFER);
    assert_int_equal(bytes - before, OBJECTS * 4 / 5 * sizeof(struct sys_object));
    for (u32 i = 0; i < OBJECTS; i++) {
        const struct sys_object *object = find(records, bytes, coids[i]);
        assert_int_equal(object != NULL, i % 5 != 0);
        if (object != NULL)
            assert_int_equal(object->rep_count, i % 3 ? 1 : 0);
        if (object != NULL)
            assert_int_equal(co_destroy(coids[i]), 0);
    }
    host_reap_all();
    assert_int_equal(scan_all(records, BUFFER), before);
}

static void children_misses_and_reps_are_reported(void **state)
{
    (void)state;
    static char records[4 * BUFFER];
    coid_t counter = (coid_t)distributed_counter_create();
    static struct parent parent = {.count = 2};
    coid_t coid = (coid_t)co_create_shared(&parent_class, &parent.root, &parent.rep);
    parent.children[0] = counter;
    parent.children[1] = coid;
    for (u32 cpu = 0; cpu < 3; cpu++) {
        host_set_cpu(cpu);
        CO_CALL(struct counter, counter, inc);
    }
    host_set_cpu(0);
    u64 bytes = scan_all(records, BUFFER);
    const struct sys_object *found = find(records, bytes, coid);
    assert_non_null(found);
    assert_int_equal(found->class_id, parent_class.id);
    assert_int_equal(found->child_count, 2);
    assert_int_equal(found->children[0], counter);
    assert_int_equal(found->children[1], coid);
    found = find(records, bytes, counter);
    assert_int_equal(found->misses, 3);
    assert_int_equal(found->rep_count, 3);
    assert_int_equal(found->child_count, 0);
    assert_int_equal(co_destroy(counter), 0);
    assert_int_equal(co_destroy(coid), 0);
    host_reap_all();
}

static void the_services_hang_below_the_root_object(void **state)
{
    (void)state;
    static char records[4 * BUFFER];
    u64 bytes = scan_all(records, BUFFER);
    // The first object that there was.
    const struct sys_object *kernel = find(records, bytes, R13_LTT);
    assert_non_null(kernel);
    assert_int_equal(kernel->child_count, 1); // the ObjectManager
    assert_non_null(find(records, bytes, kernel->children[0]));
}

static void small_buffers_give_the_same_records(void **state)
{
    (void)state;
    static char large[4 * BUFFER], small[4 * BUFFER];
    static struct parent parents[40];
    for (u32 i = 0; i < ARRAY_SIZE(parents); i++) {
        parents[i].count = i % 9;
        co_create_shared(&parent_class, &parents[i].root, &parents[i].rep);
    }
    u64 bytes = scan_all(large, BUFFER);
    for (u64 size = sizeof(struct sys_object) + 8 * sizeof(coid_t); size < 600; size += 24) {
        assert_int_equal(scan_all(small, size), bytes);
        assert_memory_equal(small, large, bytes);
    }
    for (u32 i = 0; i < ARRAY_SIZE(parents); i++)
        assert_int_equal(co_destroy(parents[i].root.coid), 0);
    host_reap_all();
}

static void a_buffer_too_small_for_a_record_is_refused(void **state)
{
    (void)state;
    char records[sizeof(struct sys_object) + 8];
    u64 cursor = 0;
    for (u64 bytes = 0; bytes < sizeof(struct sys_object); bytes++)
        assert_int_equal(co_manager_scan(&cursor, records, bytes), E_INVAL);
    assert_int_equal(cursor, 0);
}

static void a_made_up_cursor_does_no_harm(void **state)
{
    (void)state;
    static char records[BUFFER];
    const u64 cursors[] = {1,          -1UL,        1UL << 63,
                           0xffffffff, R13_LTT + 5, (u64)R13_LTT | 0xffffUL << 32};
    for (u32 i = 0; i < ARRAY_SIZE(cursors); i++) {
        u64 cursor = cursors[i];
        for (u32 round = 0; co_manager_scan(&cursor, records, BUFFER) > 0; round++)
            assert_true(round < 10);
        cursor = cursors[i];
        for (u32 round = 0; co_manager_dref_read(&cursor, records, BUFFER) > 0; round++)
            assert_true(round < 10);
    }
}

static void classes_are_listed_once_with_live_counts(void **state)
{
    (void)state;
    coid_t coids[3];
    for (u32 i = 0; i < 3; i++)
        coids[i] = (coid_t)shared_counter_create();
    struct sys_class class;
    u32 found = 0, index = 0;
    for (; co_manager_class(index, &class) == 0; index++) {
        assert_int_equal(class.class_id, index + 1);
        if (strcmp(class.implementation, "SharedCounter") != 0)
            continue;
        found++;
        assert_string_equal(class.name, "Counter");
        assert_int_equal(class.distributed, 0);
        assert_int_equal(class.live, 3);
    }
    assert_int_equal(found, 1);
    assert_int_equal(co_manager_class(index, &class), E_NOENT);
    for (u32 i = 0; i < 3; i++)
        assert_int_equal(co_destroy(coids[i]), 0);
    host_reap_all();
}

// ---- DREF counting -----------------------------------------------------------------------------

static u64 invocations(coid_t coid, u32 cpu, u64 bytes)
{
    struct sys_dref_count counts[64];
    u64 cursor = 0, sum = 0;
    s64 got;
    while ((got = co_manager_dref_read(&cursor, counts, bytes)) > 0) {
        for (u32 i = 0; i < (u64)got / sizeof(counts[0]); i++)
            sum += counts[i].coid == coid && counts[i].cpu == cpu ? counts[i].invocations : 0;
    }
    assert_int_equal(got, 0);
    return sum;
}

// Where pages are copies. The first test that counts; each CPU has a chunk of its own.
static void counts_take_pages_once_somebody_counts(void **state)
{
    (void)state;
    coid_t coids[HOST_CPUS];
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++) {
        host_set_cpu(cpu);
        coids[cpu] = (coid_t)shared_counter_create();
        CO_CALL(struct counter, coids[cpu], inc);
    }
    host_set_cpu(0);
    struct co_stat stat;
    co_stat(&stat);
    u64 pages = host_live_pages, counts = co_platform_map_copies ? stat.chunks * HOST_CPUS : 0;
    // Without memory for the last of them nobody counts, and the reader sees what is true.
    host_fail_after = counts;
    assert_int_equal(co_manager_dref_enable(true), counts != 0 ? E_NOMEM : 0);
    host_fail_after = 0;
    if (counts != 0) {
        assert_int_equal(host_sites[0] + host_sites[1], 0);
        assert_int_equal(co_manager_dref_enable(false), E_INVAL);
        CO_CALL(struct counter, coids[1], inc);
        assert_int_equal(invocations(coids[1], 0, 64 * sizeof(struct sys_dref_count)), 0);
        assert_int_equal(co_manager_dref_enable(true), 0);
    }
    assert_int_equal(host_live_pages, pages + counts);
    CO_CALL(struct counter, coids[1], inc);
    assert_int_equal(invocations(coids[1], 0, 64 * sizeof(struct sys_dref_count)), 1);
    assert_int_equal(co_manager_dref_enable(false), 0);
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++)
        assert_int_equal(co_destroy(coids[cpu]), 0);
    host_reap_all();
    assert_int_equal(host_live_pages, pages + counts); // they stay with their chunks
}

static void a_chunk_made_later_comes_with_counts(void **state)
{
    (void)state;
    static coid_t coids[CO_PAGE_SIZE / R13_LTT_ENTRY_SIZE + 1];
    assert_int_equal(co_manager_dref_enable(true), 0);
    for (u32 i = 0; i < ARRAY_SIZE(coids); i++) {
        coids[i] = (coid_t)shared_counter_create();
        CO_CALL(struct counter, coids[i], inc);
    }
    assert_int_equal(co_manager_dref_enable(false), 0);
    for (u32 i = 0; i < ARRAY_SIZE(coids); i++)
        assert_int_equal(invocations(coids[i], 0, 64 * sizeof(struct sys_dref_count)), 1);
    for (u32 i = 0; i < ARRAY_SIZE(coids); i++)
        assert_int_equal(co_destroy(coids[i]), 0);
    host_reap_all();
}

static void only_enabled_drefs_are_counted(void **state)
{
    (void)state;
    coid_t coid = (coid_t)shared_counter_create();
    CO_CALL(struct counter, coid, inc);
    assert_int_equal(co_manager_dref_enable(true), 0);
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++) {
        host_set_cpu(cpu);
        for (u32 i = 0; i < 10 + cpu; i++)
            CO_CALL(struct counter, coid, inc);
    }
    host_set_cpu(0);
    assert_int_equal(co_manager_dref_enable(false), 0);
    CO_CALL(struct counter, coid, inc);
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++) {
        assert_int_equal(invocations(coid, cpu, 64 * sizeof(struct sys_dref_count)), 10 + cpu);
        assert_int_equal(invocations(coid, cpu, sizeof(struct sys_dref_count)), 10 + cpu);
    }
    u64 cursor = 0;
    char byte;
    assert_int_equal(co_manager_dref_read(&cursor, &byte, 1), E_INVAL);
    assert_int_equal(co_destroy(coid), 0);
    host_reap_all();
}

static void enabling_nests(void **state)
{
    (void)state;
    assert_int_equal(co_manager_dref_enable(false), E_INVAL);
    assert_int_equal(co_manager_dref_enable(true), 0);
    assert_int_equal(co_manager_dref_enable(true), 0);
    assert_int_equal(host_sites[0] + host_sites[1], 2); // each branches to its own stub
    assert_int_equal(co_manager_dref_enable(false), 0);
    assert_int_equal(host_sites[0] + host_sites[1], 2);
    assert_int_equal(co_manager_dref_enable(false), 0);
    assert_int_equal(host_sites[0] + host_sites[1], 0);
    assert_int_equal(co_manager_dref_enable(false), E_INVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scan_finds_what_was_created_and_nothing_else),
        cmocka_unit_test(children_misses_and_reps_are_reported),
        cmocka_unit_test(the_services_hang_below_the_root_object),
        cmocka_unit_test(small_buffers_give_the_same_records),
        cmocka_unit_test(a_buffer_too_small_for_a_record_is_refused),
        cmocka_unit_test(a_made_up_cursor_does_no_harm),
        cmocka_unit_test(classes_are_listed_once_with_live_counts),
        cmocka_unit_test(counts_take_pages_once_somebody_counts),
        cmocka_unit_test(a_chunk_made_later_comes_with_counts),
        cmocka_unit_test(only_enabled_drefs_are_counted),
        cmocka_unit_test(enabling_nests),
    };
    return cmocka_run_group_tests_name("co_scan", tests, host_start, NULL);
}

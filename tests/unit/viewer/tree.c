// SPDX-License-Identifier: MIT
// The tree of objects: each object once, whatever refers to what.
#include "unit.h"

#include "machine/tree.h"
#include "tools/memory.h"

#include <string.h>

#define KERNEL 1
#define OTHER 2

static void add_classes(struct snapshot *snapshot)
{
    struct class_info kernel = {.id = KERNEL, .name = (char *)TREE_ROOT_CLASS};
    struct class_info other = {.id = OTHER, .name = (char *)"Other"};
    snapshot_add_class(snapshot, &kernel);
    snapshot_add_class(snapshot, &other);
}

static void add(struct snapshot *snapshot, coid_t coid, u32 class_id, u32 count,
                const coid_t *children)
{
    struct object_info info = {
        .coid = coid, .class_id = class_id, .child_count = count, .children = (coid_t *)children};
    snapshot_add_objects(snapshot, &info, 1);
}

// "16 >32 >>48 ?64": COIDs with their depth; '?' unreferenced, '*' shared, '.' last of its
// siblings.
static void describe(const struct snapshot *snapshot, const struct tree *tree, char text[256])
{
    text[0] = '\0';
    for (size_t i = 0; i < tree->count; i++) {
        const struct tree_entry *entry = &tree->entries[i];
        size_t length = strlen(text);
        snprintf(text + length, 256 - length, "%s%.*s%s%u%s%s", i > 0 ? " " : "", (int)entry->depth,
                 ">>>>>>>>>>", entry->unreferenced ? "?" : "",
                 (unsigned)snapshot->objects[entry->object].coid, entry->shared ? "*" : "",
                 entry->last ? "." : "");
    }
}

static void expect(const struct snapshot *snapshot, const char *expected)
{
    char text[256];
    struct tree tree = {0};
    tree_build(snapshot, TREE_EVERYTHING, &tree);
    describe(snapshot, &tree, text);
    assert_string_equal(text, expected);
    tree_free(&tree);
}

static void add_example(struct snapshot *snapshot)
{
    add_classes(snapshot);
    add(snapshot, 16, KERNEL, 2, (coid_t[]){32, 48});
    add(snapshot, 32, OTHER, 1, (coid_t[]){64});
    add(snapshot, 48, OTHER, 2, (coid_t[]){64, 80});
    add(snapshot, 64, OTHER, 0, NULL);
    add(snapshot, 80, OTHER, 0, NULL);
    add(snapshot, 96, OTHER, 1, (coid_t[]){112});
    add(snapshot, 112, OTHER, 0, NULL);
}

static void children_follow_their_first_parent(void **state)
{
    (void)state;
    struct snapshot snapshot = {0};
    add_example(&snapshot);
    expect(&snapshot, "16 >32 >>64* >48 >>80 ?96 >?112");
    snapshot_free(&snapshot);
}

static void cycles_end(void **state)
{
    (void)state;
    struct snapshot snapshot = {0};
    add_classes(&snapshot);
    add(&snapshot, 16, KERNEL, 2, (coid_t[]){32, 16});
    add(&snapshot, 32, OTHER, 2, (coid_t[]){16, 32});
    add(&snapshot, 48, OTHER, 1, (coid_t[]){64}); // a cycle that nothing leads to
    add(&snapshot, 64, OTHER, 1, (coid_t[]){48});
    expect(&snapshot, "16 >32 ?48 >?64");
    snapshot_free(&snapshot);
}

static void a_child_that_is_named_twice_is_not_shared(void **state)
{
    (void)state;
    struct snapshot snapshot = {0};
    add_classes(&snapshot);
    add(&snapshot, 16, KERNEL, 3, (coid_t[]){32, 32, 4096});
    add(&snapshot, 32, OTHER, 0, NULL);
    expect(&snapshot, "16 >32");
    snapshot_free(&snapshot);
}

static void filtering_keeps_what_is_above(void **state)
{
    (void)state;
    struct snapshot snapshot = {0};
    struct tree tree = {0};
    char text[256];
    bool wanted[7] = {[4] = true, [6] = true}; // 80 and 112
    add_example(&snapshot);
    tree_build(&snapshot, TREE_EVERYTHING, &tree);
    tree_filter(&tree, wanted, false);
    tree_mark_last(&tree);
    describe(&snapshot, &tree, text);
    assert_string_equal(text, "16 >48. >>80. ?96. >?112.");
    tree_free(&tree);
    snapshot_free(&snapshot);
}

static void the_last_of_siblings_is_marked(void **state)
{
    (void)state;
    struct snapshot snapshot = {0};
    struct tree tree = {0};
    char text[256];
    add_example(&snapshot);
    tree_build(&snapshot, TREE_EVERYTHING, &tree);
    tree_mark_last(&tree);
    describe(&snapshot, &tree, text);
    assert_string_equal(text, "16 >32 >>64*. >48. >>80. ?96. >?112.");
    tree_free(&tree);
    snapshot_free(&snapshot);
}

static void random_graphs_list_every_object_once(void **state)
{
    (void)state;
    u64 seed = 99;
    for (int round = 0; round < 200; round++) {
        struct snapshot snapshot = {0};
        add_classes(&snapshot);
        for (coid_t coid = 16; coid <= 16 * 40; coid += 16) {
            coid_t children[3];
            for (size_t i = 0; i < 3; i++)
                children[i] = 16 * (unit_random(&seed) % 60);
            add(&snapshot, coid, coid == 16 ? KERNEL : OTHER, (u32)(unit_random(&seed) % 4),
                children);
        }
        struct tree tree = {0};
        bool seen[40] = {false};
        tree_build(&snapshot, TREE_EVERYTHING, &tree);
        assert_int_equal(tree.count, 40);
        for (size_t i = 0; i < tree.count; i++) {
            assert_false(seen[tree.entries[i].object]);
            seen[tree.entries[i].object] = true;
            assert_true(i == 0 || tree.entries[i].depth <= tree.entries[i - 1].depth + 1);
        }
        tree_free(&tree);
        snapshot_free(&snapshot);
    }
}

static void depth_is_limited(void **state)
{
    (void)state;
    struct snapshot snapshot = {0};
    add_classes(&snapshot);
    for (coid_t coid = 16; coid <= 16 * 1000; coid += 16)
        add(&snapshot, coid, coid == 16 ? KERNEL : OTHER, 1, (coid_t[]){coid + 16});
    struct tree tree = {0};
    tree_build(&snapshot, TREE_EVERYTHING, &tree);
    tree_mark_last(&tree);
    assert_int_equal(tree.count, 1000);
    assert_int_equal(tree.entries[999].depth, TREE_MAX_DEPTH);
    tree_free(&tree);
    snapshot_free(&snapshot);
}

// ---- with processes ----------------------------------------------------------------------------

static void add_of(struct snapshot *snapshot, u32 pid, coid_t coid, u32 count,
                   const coid_t *children)
{
    struct object_info info = {.pid = pid,
                               .coid = coid,
                               .class_id = OTHER,
                               .child_count = count,
                               .children = (coid_t *)children};
    snapshot_add_objects(snapshot, &info, 1);
}

// Process 7 is object 32 in the kernel, with 48 below; 64 is shared with process 8, object 80.
static void add_processes(struct snapshot *snapshot)
{
    struct process_info seven = {.pid = 7, .object = 32, .name = (char *)"seven"};
    struct process_info eight = {.pid = 8, .object = 80, .name = (char *)"eight"};
    add_classes(snapshot);
    add(snapshot, 16, KERNEL, 3, (coid_t[]){32, 80, 96});
    add(snapshot, 32, OTHER, 2, (coid_t[]){48, 64});
    add(snapshot, 48, OTHER, 0, NULL);
    add(snapshot, 64, OTHER, 0, NULL);
    add(snapshot, 80, OTHER, 1, (coid_t[]){64});
    add(snapshot, 96, OTHER, 0, NULL);
    snapshot_add_process(snapshot, &eight);
    snapshot_add_process(snapshot, &seven);
    add_of(snapshot, 7, 16, 1, (coid_t[]){32});
    add_of(snapshot, 7, 32, 0, NULL);
}

static void describe_kinds(const struct snapshot *snapshot, const struct tree *tree, char text[256])
{
    static const char *const names[] = {"", "machine", "process", "kernel", "user"};
    text[0] = '\0';
    for (size_t i = 0; i < tree->count; i++) {
        const struct tree_entry *entry = &tree->entries[i];
        const struct object_info *object = &snapshot->objects[entry->object];
        bool is_object = entry->kind == TREE_OBJECT;
        size_t length = strlen(text);
        snprintf(text + length, 256 - length, "%s%.*s%s%u%s", i > 0 ? " " : "", (int)entry->depth,
                 ">>>>>>>>>>", names[entry->kind],
                 is_object ? (unsigned)object->coid : (unsigned)entry->pid,
                 is_object && object->pid != 0 ? "u" : "");
    }
}

static void expect_kinds(const struct snapshot *snapshot, u32 only, const char *expected)
{
    char text[256];
    struct tree tree = {0};
    tree_build(snapshot, only, &tree);
    describe_kinds(snapshot, &tree, text);
    assert_string_equal(text, expected);
    tree_free(&tree);
}

static void processes_have_both_their_sides(void **state)
{
    (void)state;
    struct snapshot snapshot = {0};
    add_processes(&snapshot);
    expect_kinds(&snapshot, TREE_EVERYTHING,
                 "machine0 >process0 >>16 >>>96 "
                 ">process7 >>kernel7 >>>32 >>>>48 >>>>64 >>user7 >>>16u >>>>32u "
                 ">process8 >>kernel8 >>>80");
    expect_kinds(&snapshot, 7,
                 "machine0 >process7 >>kernel7 >>>32 >>>>48 >>>>64 >>user7 >>>16u >>>>32u");
    expect_kinds(&snapshot, 0, "16 >32 >>48 >>64 >80 >96");
    snapshot_free(&snapshot);
}

static void a_filter_keeps_processes_when_told(void **state)
{
    (void)state;
    struct snapshot snapshot = {0};
    struct tree tree = {0};
    bool wanted[8] = {false};
    char text[256];
    add_processes(&snapshot);
    wanted[2] = true; // 48
    tree_build(&snapshot, TREE_EVERYTHING, &tree);
    tree_filter(&tree, wanted, true);
    describe_kinds(&snapshot, &tree, text);
    assert_string_equal(text, "machine0 >process0 >process7 >>kernel7 >>>32 >>>>48 >process8");
    tree_filter(&tree, wanted, false);
    describe_kinds(&snapshot, &tree, text);
    assert_string_equal(text, "machine0 >process7 >>kernel7 >>>32 >>>>48");
    tree_free(&tree);
    snapshot_free(&snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_follow_their_first_parent),
        cmocka_unit_test(cycles_end),
        cmocka_unit_test(a_child_that_is_named_twice_is_not_shared),
        cmocka_unit_test(filtering_keeps_what_is_above),
        cmocka_unit_test(the_last_of_siblings_is_marked),
        cmocka_unit_test(random_graphs_list_every_object_once),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(processes_have_both_their_sides),
        cmocka_unit_test(a_filter_keeps_processes_when_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
// The tree of objects as a list of lines. The walk has its own stack, since the graph may have any
// depth.
#include "machine/tree.h"
#include "tools/memory.h"

#include <stdlib.h>
#include <string.h>

struct waiting {
    size_t object;
    u32 depth;
};

struct walk {
    const struct snapshot *snapshot;
    struct tree *tree;
    u32 *parents;  // how many parents each object has
    bool *reached; // of each object
    struct waiting *stack;
    size_t stack_count, stack_capacity;
    size_t *children; // scratch: indices of the children of one object
    size_t children_capacity;
    bool unreferenced;
};

static const char *class_name(const struct snapshot *snapshot, size_t object)
{
    const struct object_info *info = &snapshot->objects[object];
    const struct class_info *class_info = snapshot_class(snapshot, info->pid, info->class_id);
    return class_info == NULL ? "" : class_info->name;
}

// Compares objects by class name, then by COID.
static int compare(const void *left, const void *right, void *context)
{
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    int names = strcmp(class_name(context, a), class_name(context, b));
    return names != 0 ? names : (a > b) - (a < b);
}

// Lists the known children of an object in `children`, sorted. Leaves out COIDs that no scan saw.
// Returns how many there are.
static size_t sorted_children(struct walk *walk, size_t object)
{
    const struct object_info *info = &walk->snapshot->objects[object];
    size_t count = 0;
    for (u32 i = 0; i < info->child_count; i++) {
        const struct object_info *child =
            snapshot_object(walk->snapshot, info->pid, info->children[i]);
        if (child == NULL)
            continue;
        walk->children =
            memory_grow(walk->children, count, &walk->children_capacity, sizeof(*walk->children));
        walk->children[count++] = (size_t)(child - walk->snapshot->objects);
    }
    if (count > 1)
        qsort_r(walk->children, count, sizeof(*walk->children), compare, (void *)walk->snapshot);
    return count;
}

static void count_parents(struct walk *walk)
{
    for (size_t object = 0; object < walk->snapshot->object_count; object++) {
        size_t count = sorted_children(walk, object);
        for (size_t i = 0; i < count; i++) {
            bool repeated = i > 0 && walk->children[i] == walk->children[i - 1];
            walk->parents[walk->children[i]] += !repeated && walk->children[i] != object;
        }
    }
}

static void push(struct walk *walk, size_t object, u32 depth)
{
    walk->stack =
        memory_grow(walk->stack, walk->stack_count, &walk->stack_capacity, sizeof(*walk->stack));
    walk->stack[walk->stack_count++] =
        (struct waiting){object, depth > TREE_MAX_DEPTH ? TREE_MAX_DEPTH : depth};
}

static void emit(struct tree *tree, struct tree_entry entry)
{
    tree->entries =
        memory_grow(tree->entries, tree->count, &tree->capacity, sizeof(*tree->entries));
    tree->entries[tree->count++] = entry;
}

static void walk_from(struct walk *walk, size_t object, u32 depth)
{
    push(walk, object, depth);
    while (walk->stack_count > 0) {
        struct waiting place = walk->stack[--walk->stack_count];
        if (walk->reached[place.object])
            continue;
        walk->reached[place.object] = true;
        emit(walk->tree, (struct tree_entry){
                             .object = place.object,
                             .depth = place.depth,
                             .shared = walk->parents[place.object] > 1,
                             .unreferenced = walk->unreferenced,
                         });
        size_t count = sorted_children(walk, place.object);
        while (count-- > 0)
            push(walk, walk->children[count], place.depth + 1);
    }
}

// Finds the objects of a process: indices in the snapshot from *first to the one before *end.
static void range_of(const struct snapshot *snapshot, u32 pid, size_t *first, size_t *end)
{
    *first = 0;
    while (*first < snapshot->object_count && snapshot->objects[*first].pid < pid)
        ++*first;
    *end = *first;
    while (*end < snapshot->object_count && snapshot->objects[*end].pid == pid)
        ++*end;
}

// Walks from every object of a process that is not reached yet. It first takes those without
// parents, then one of each cycle.
static void walk_rest(struct walk *walk, u32 pid, u32 depth)
{
    size_t first, end;
    range_of(walk->snapshot, pid, &first, &end);
    for (size_t object = first; object < end; object++) {
        if (!walk->reached[object] && walk->parents[object] == 0)
            walk_from(walk, object, depth);
    }
    for (size_t object = first; object < end; object++) {
        if (!walk->reached[object])
            walk_from(walk, object, depth);
    }
}

static void walk_kernel(struct walk *walk, u32 depth)
{
    size_t first, end;
    range_of(walk->snapshot, 0, &first, &end);
    for (size_t object = first; object < end; object++) {
        if (strcmp(class_name(walk->snapshot, object), TREE_ROOT_CLASS) == 0)
            walk_from(walk, object, depth);
    }
    walk->unreferenced = true;
    walk_rest(walk, 0, depth);
    walk->unreferenced = false;
}

// Adds a process with both its sides, each below a line of its own. An empty side has no line.
static void walk_process(struct walk *walk, const struct process_info *process, u32 depth)
{
    const struct object_info *object = snapshot_object(walk->snapshot, 0, process->object);
    emit(walk->tree,
         (struct tree_entry){.kind = TREE_PROCESS, .pid = process->pid, .depth = depth});
    if (object != NULL) {
        emit(walk->tree, (struct tree_entry){
                             .kind = TREE_KERNEL_SIDE, .pid = process->pid, .depth = depth + 1});
        walk_from(walk, (size_t)(object - walk->snapshot->objects), depth + 2);
    }
    size_t first, end;
    range_of(walk->snapshot, process->pid, &first, &end);
    if (first == end)
        return;
    emit(walk->tree,
         (struct tree_entry){.kind = TREE_USER_SIDE, .pid = process->pid, .depth = depth + 1});
    walk_rest(walk, process->pid, depth + 2);
}

// Walks the processes first, since what they share with the kernel belongs to them. Lists them
// last.
static void walk_machine(struct walk *walk, u32 only)
{
    struct tree *tree = walk->tree;
    struct tree processes = {0};
    walk->tree = &processes;
    for (size_t i = 0; i < walk->snapshot->process_count; i++) {
        const struct process_info *process = &walk->snapshot->processes[i];
        if (only == TREE_EVERYTHING || process->pid == only)
            walk_process(walk, process, 1);
    }
    walk->tree = tree;
    emit(tree, (struct tree_entry){.kind = TREE_MACHINE});
    if (only == TREE_EVERYTHING) {
        emit(tree, (struct tree_entry){.kind = TREE_PROCESS, .depth = 1});
        walk_kernel(walk, 2);
    }
    for (size_t i = 0; i < processes.count; i++)
        emit(tree, processes.entries[i]);
    tree_free(&processes);
}

void tree_build(const struct snapshot *snapshot, u32 only, struct tree *tree)
{
    struct walk walk = {
        .snapshot = snapshot,
        .tree = tree,
        .parents = memory_get(snapshot->object_count * sizeof(*walk.parents)),
        .reached = memory_get(snapshot->object_count * sizeof(*walk.reached)),
    };
    count_parents(&walk);
    if (only == 0 || snapshot->process_count == 0)
        walk_kernel(&walk, 0);
    else
        walk_machine(&walk, only);
    free(walk.parents);
    free(walk.reached);
    free(walk.stack);
    free(walk.children);
}

void tree_filter(struct tree *tree, const bool *wanted, bool processes)
{
    // Goes backwards. An object at a smaller depth than the last one kept is above it.
    size_t kept = tree->count;
    u32 kept_depth = 0;
    for (size_t i = tree->count; i-- > 0;) {
        struct tree_entry entry = tree->entries[i];
        bool above = kept < tree->count && entry.depth < kept_depth;
        bool itself = entry.kind == TREE_OBJECT ? wanted[entry.object]
                                                : processes && entry.kind == TREE_PROCESS;
        if (!itself && !above)
            continue;
        kept_depth = entry.depth;
        tree->entries[--kept] = entry;
    }
    tree->count -= kept;
    memmove(tree->entries, tree->entries + kept, tree->count * sizeof(*tree->entries));
}

void tree_mark_last(struct tree *tree)
{
    bool sibling_follows[TREE_MAX_DEPTH + 2] = {false};
    for (size_t i = tree->count; i-- > 0;) {
        u32 depth = tree->entries[i].depth;
        tree->entries[i].last = !sibling_follows[depth];
        sibling_follows[depth] = true;
        sibling_follows[depth + 1] = false;
    }
}

void tree_free(struct tree *tree)
{
    free(tree->entries);
    *tree = (struct tree){0};
}

// SPDX-License-Identifier: MIT
// `kov objects`: every live object of kernel and processes, with its class, COID and children, as
// one tree or a list.
#include "commands/commands.h"
#include "machine/scan.h"
#include "machine/tree.h"
#include "output/columns.h"
#include "tools/memory.h"
#include "tools/options.h"
#include "tools/text.h"
#include "wire/session.h"

#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#define NO_PID UINT64_MAX

static bool flat;
static const char *class_wanted;
static u64 pid_wanted = NO_PID;

static const struct option own_options[] = {
    FLAG(0, "flat", &flat, "a list by COID instead of the tree"),
    TEXT(0, "class", &class_wanted, "CLASS", "only objects of this class"),
    NUMBER(0, "pid", &pid_wanted, 0, UINT32_MAX - 1, "PID",
           "only this process, both its sides; 0: only the kernel"),
    OPTIONS_END,
};

struct view {
    struct snapshot snapshot;
    bool *wanted; // by index of object
    size_t wanted_count;
    bool everything;  // nothing is selected, so processes without objects are shown too
    struct tree tree; // the lines to print
};

static int select_objects(struct view *view, const char *pattern)
{
    regex_t regex;
    int problem = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);
    if (problem != 0) {
        char text[128];
        regerror(problem, &regex, text, sizeof(text));
        return fail(KOV_USAGE, "'%s' is no regular expression: %s", pattern, text);
    }
    view->wanted = memory_get(view->snapshot.object_count * sizeof(*view->wanted));
    for (size_t i = 0; i < view->snapshot.object_count; i++) {
        const struct object_info *object = &view->snapshot.objects[i];
        char name[OBJECT_NAME_BYTES];
        snapshot_object_name(&view->snapshot, object->pid, object->coid, name);
        const struct class_info *info =
            snapshot_class(&view->snapshot, object->pid, object->class_id);
        bool fits = class_wanted == NULL || (info != NULL && strcmp(info->name, class_wanted) == 0);
        view->wanted[i] = fits && regexec(&regex, name, 0, NULL, 0) == 0;
    }
    regfree(&regex);
    return KOV_OK;
}

static int compare_places(const void *left, const void *right)
{
    const struct tree_entry *a = left, *b = right;
    return (a->object > b->object) - (a->object < b->object);
}

static void remove_unwanted(struct view *view)
{
    size_t kept = 0;
    for (size_t i = 0; i < view->tree.count; i++) {
        if (view->tree.entries[i].kind == TREE_OBJECT && view->wanted[view->tree.entries[i].object])
            view->tree.entries[kept++] = view->tree.entries[i];
    }
    view->tree.count = kept;
}

static void arrange(struct view *view)
{
    tree_build(&view->snapshot, pid_wanted == NO_PID ? TREE_EVERYTHING : (u32)pid_wanted,
               &view->tree);
    if (flat) {
        remove_unwanted(view);
        qsort(view->tree.entries, view->tree.count, sizeof(*view->tree.entries), compare_places);
        for (size_t i = 0; i < view->tree.count; i++)
            view->tree.entries[i].depth = 0;
        return;
    }
    tree_filter(&view->tree, view->wanted, view->everything);
    tree_mark_last(&view->tree);
}

// Prints the branches that pass an entry on its left. above_last[d]: whether the entry above at
// depth d is the last of its siblings.
static void print_branches(const struct tree_entry *entry, const bool *above_last)
{
    for (u32 depth = 1; depth < entry->depth; depth++)
        fputs(above_last[depth] ? "   " : "|  ", stdout);
}

static void entry_name(const struct view *view, const struct tree_entry *entry,
                       char name[OBJECT_NAME_BYTES])
{
    const struct object_info *object = &view->snapshot.objects[entry->object];
    switch (entry->kind) {
    case TREE_OBJECT:
        snapshot_class_name(&view->snapshot, object->pid, object->class_id, name);
        break;
    case TREE_MACHINE:
        strcpy(name, "machine");
        break;
    case TREE_PROCESS:
        snapshot_process_name(&view->snapshot, entry->pid, name);
        break;
    case TREE_KERNEL_SIDE:
        strcpy(name, "in the kernel");
        break;
    case TREE_USER_SIDE:
        strcpy(name, "in the process");
        break;
    }
    text_escape(name, OBJECT_NAME_BYTES);
}

static void print_entry(const struct view *view, const struct tree_entry *entry,
                        const bool *above_last, int width)
{
    char name[OBJECT_NAME_BYTES];
    entry_name(view, entry, name);
    print_branches(entry, above_last);
    if (entry->depth > 0)
        fputs(entry->last ? "`- " : "|- ", stdout);
    if (entry->kind != TREE_OBJECT) {
        const struct process_failure *failure = failures_find(&view->snapshot.failures, entry->pid);
        fputs(name, stdout);
        if (entry->kind == TREE_PROCESS && failure != NULL) // then its own objects are missing
            printf("  (%s)", failure->reason);
        putchar('\n');
        return;
    }
    int indent = (int)(3 * entry->depth);
    const struct object_info *object = &view->snapshot.objects[entry->object];
    int blanks = width - indent - text_width(name);
    printf("%s%*s %#12" PRIx64 " %8" PRIu64 " %5" PRIu32 " %8" PRIu32 "%s\n", name,
           blanks > 0 ? blanks : 0, "", object->coid, object->misses, object->reps,
           object->child_count, entry->shared ? "  *" : "");
}

static int name_column(const struct view *view)
{
    int width = 40;
    for (size_t i = 0; i < view->tree.count; i++) {
        const struct tree_entry *entry = &view->tree.entries[i];
        char name[OBJECT_NAME_BYTES];
        entry_name(view, entry, name);
        int needed = (int)(3 * entry->depth) + text_width(name);
        width = needed > width ? needed : width;
    }
    return width;
}

static void print_tree(const struct view *view)
{
    bool above_last[TREE_MAX_DEPTH + 1] = {false};
    int width = name_column(view);
    bool any_shared = false, unreferenced = false;
    printf("%-*s %12s %8s %5s %8s\n", width, "OBJECT", "COID", "MISSES", "REPS", "CHILDREN");
    for (size_t i = 0; i < view->tree.count; i++) {
        const struct tree_entry *entry = &view->tree.entries[i];
        if (entry->unreferenced && !unreferenced && !flat) {
            print_branches(entry, above_last);
            puts("(unreferenced)");
        }
        unreferenced = entry->unreferenced;
        above_last[entry->depth] = entry->last;
        any_shared = any_shared || entry->shared;
        print_entry(view, entry, above_last, width);
    }
    if (any_shared)
        puts("* child of several objects, shown once");
}

// Returns how many of the wanted objects belong to a class.
static size_t count_class(const struct view *view, const struct class_info *info)
{
    size_t count = 0;
    for (size_t i = 0; i < view->snapshot.object_count; i++) {
        const struct object_info *object = &view->snapshot.objects[i];
        count += view->wanted[i] && object->pid == info->pid && object->class_id == info->id;
    }
    return count;
}

// The count of all processes together. Classes of the same name are one.
struct class_count {
    const struct class_info *info;
    size_t count;
};

static int compare_counts(const void *left, const void *right)
{
    const struct class_count *a = left, *b = right;
    int names = strcmp(a->info->name, b->info->name);
    return names != 0 ? names : strcmp(a->info->implementation, b->info->implementation);
}

// Returns the counts that are not 0, by name. The caller frees them.
static struct class_count *count_classes(const struct view *view, size_t *result_count)
{
    struct class_count *counts = memory_get(view->snapshot.class_count * sizeof(*counts));
    size_t count = 0, merged = 0;
    for (size_t i = 0; i < view->snapshot.class_count; i++) {
        const struct class_info *info = &view->snapshot.classes[i];
        size_t objects = count_class(view, info);
        if (objects > 0)
            counts[count++] = (struct class_count){info, objects};
    }
    if (count > 1)
        qsort(counts, count, sizeof(*counts), compare_counts);
    for (size_t i = 0; i < count; i++) {
        if (merged > 0 && compare_counts(&counts[merged - 1], &counts[i]) == 0)
            counts[merged - 1].count += counts[i].count;
        else
            counts[merged++] = counts[i];
    }
    *result_count = merged;
    return counts;
}

static void put_entry(json_t *json, const struct view *view, const struct tree_entry *entry)
{
    const struct object_info *object = &view->snapshot.objects[entry->object];
    const struct class_info *info = snapshot_class(&view->snapshot, object->pid, object->class_id);
    json_t *row = put_object(json, NULL);
    put_u64(row, "pid", object->pid);
    put_hex(row, "coid", object->coid);
    put_text(row, "class", info == NULL ? NULL : info->name);
    put_text(row, "implementation", info == NULL ? NULL : info->implementation);
    put_u64(row, "class_id", object->class_id);
    put_u64(row, "misses", object->misses);
    put_u64(row, "reps", object->reps);
    put_u64(row, "swaps", object->swaps);
    put_u64(row, "depth", entry->depth);
    put_bool(row, "unreferenced", entry->unreferenced);
    json_t *list = put_array(row, "children");
    for (u32 i = 0; i < object->child_count; i++)
        put_hex(list, NULL, object->children[i]);
}

static void json_processes(json_t *json, const struct view *view)
{
    json_t *list = put_array(json, "processes");
    for (size_t i = 0; i < view->snapshot.process_count; i++) {
        const struct process_info *process = &view->snapshot.processes[i];
        json_t *row = put_object(list, NULL);
        put_u64(row, "pid", process->pid);
        put_text(row, "name", process->name);
        put_hex(row, "object", process->object);
        const struct process_failure *failure =
            failures_find(&view->snapshot.failures, process->pid);
        put_s64(row, "failure", failure == NULL ? 0 : failure->error);
        put_text(row, "reason", failure == NULL ? NULL : failure->reason);
    }
}

static void class_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    (void)column;
    snprintf(text, CELL_BYTES, "%s(%s)", json_string_value(json_object_get(row, "class")),
             json_string_value(json_object_get(row, "implementation")));
}

static const struct column object_columns[] = {
    HIDDEN("pid"),      HIDDEN("coid"),         HIDDEN("class"), HIDDEN("implementation"),
    HIDDEN("class_id"), HIDDEN("misses"),       HIDDEN("reps"),  HIDDEN("swaps"),
    HIDDEN("depth"),    HIDDEN("unreferenced"), COLUMNS_END,
};
static const struct column class_columns[] = {
    COLUMN("OBJECTS", "objects", 8),
    COLUMN("CLASS", "class", -1, .compose = class_text),
    HIDDEN("implementation"),
    COLUMNS_END,
};
static const struct sheet sheets[] = {
    {"objects", object_columns}, {"classes", class_columns}, {NULL, NULL}};

static void put_classes(json_t *list, const struct view *view)
{
    size_t count;
    struct class_count *counts = count_classes(view, &count);
    for (size_t i = 0; i < count; i++) {
        json_t *row = put_object(list, NULL);
        put_text(row, "class", counts[i].info->name);
        put_text(row, "implementation", counts[i].info->implementation);
        put_u64(row, "objects", counts[i].count);
    }
    free(counts);
}

// Scans all, or for one process its own objects and the kernel's, which include its kernel side.
static int scan(struct snapshot *snapshot)
{
    if (pid_wanted == NO_PID)
        return scan_objects(snapshot, SCAN_ALL);
    int code = scan_objects(snapshot, SCAN_KERNEL);
    if (code == KOV_OK && pid_wanted != 0)
        code = scan_objects(snapshot, scan_scope_of((u32)pid_wanted));
    return code;
}

// Counts the wanted objects in the tree. Only the finished tree tells which objects it has.
static void count_wanted(struct view *view)
{
    bool *shown = memory_get(view->snapshot.object_count * sizeof(*shown));
    view->wanted_count = 0;
    for (size_t i = 0; i < view->tree.count; i++)
        if (view->tree.entries[i].kind == TREE_OBJECT)
            shown[view->tree.entries[i].object] = true;
    for (size_t i = 0; i < view->snapshot.object_count; i++) {
        view->wanted[i] = view->wanted[i] && shown[i];
        view->wanted_count += view->wanted[i];
    }
    free(shown);
}

static int show(struct view *view, const char *pattern)
{
    int code = select_objects(view, pattern);
    if (code != KOV_OK)
        return code;
    view->everything = class_wanted == NULL && pattern[0] == '\0';
    arrange(view);
    count_wanted(view);
    json_t *document = json_object();
    json_processes(document, view);
    json_t *objects = put_array(document, "objects");
    for (size_t i = 0; i < view->tree.count; i++)
        if (view->tree.entries[i].kind == TREE_OBJECT)
            put_entry(objects, view, &view->tree.entries[i]);
    json_t *classes = put_array(document, "classes");
    put_classes(classes, view);
    put_u64(document, "count", view->wanted_count);
    if (!document_for_programs(document, sheets)) {
        print_tree(view);
        putchar('\n');
        columns_print(class_columns, classes, "");
        printf("%8zu  in all\n", view->wanted_count);
    }
    json_decref(document);
    return KOV_OK;
}

static int run(const struct arguments *arguments)
{
    struct view view = {0};
    int code = session_begin(true);
    if (code == KOV_OK)
        code = scan(&view.snapshot);
    if (code == KOV_OK)
        code = show(&view, arguments->count > 0 ? arguments->values[0] : "");
    free(view.wanted);
    tree_free(&view.tree);
    snapshot_free(&view.snapshot);
    return code;
}

const struct command command_objects = {
    .name = "objects",
    .synopsis = "[REGEX] [--flat] [--class CLASS] [--pid PID]",
    .summary = "Show every live object with class, COID, misses, representatives and children",
    .details =
        "The tree goes from the machine to the kernel and the processes. The kernel's objects\n"
        "form a tree from the object of class \"Kernel\" down; what cannot be reached comes last,\n"
        "under \"(unreferenced)\". A process has two sides: what stands for it in the kernel\n"
        "(Process, Regions, ...), and its own objects, which its library tells. An object with\n"
        "several parents is shown once, marked by '*'. REGEX (extended) selects objects by\n"
        "\"Class(implementation) 0xCOID\", a process's own by \"... of NAME:PID\"; in the tree\n"
        "what is above them is shown too.",
    .options = {own_options},
    .max_arguments = 1,
    .has_csv = true,
    .run = run,
};

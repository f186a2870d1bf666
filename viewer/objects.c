// SPDX-License-Identifier: MIT
// `kov objects`: every live object with its class, COID and children, as a tree or a list.
#include "commands.h"
#include "json.h"
#include "memory.h"
#include "options.h"
#include "scan.h"
#include "session.h"
#include "tree.h"

#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

static bool flat;
static const char *class_wanted;

static const struct option own_options[] = {
    FLAG(0, "flat", &flat, "a list by COID instead of the tree"),
    TEXT(0, "class", &class_wanted, "CLASS", "only objects of this class"),
    OPTIONS_END,
};

struct view {
    struct snapshot snapshot;
    bool *wanted; // by index of object
    size_t wanted_count;
    struct tree tree; // the lines to print
};

static bool class_fits(const struct snapshot *snapshot, const struct object_info *object)
{
    const struct class_info *info = snapshot_class(snapshot, object->class_id);
    return class_wanted == NULL || (info != NULL && strcmp(info->name, class_wanted) == 0);
}

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
        snapshot_object_name(&view->snapshot, object->coid, name);
        view->wanted[i] =
            class_fits(&view->snapshot, object) && regexec(&regex, name, 0, NULL, 0) == 0;
        view->wanted_count += view->wanted[i];
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
        if (view->wanted[view->tree.entries[i].object])
            view->tree.entries[kept++] = view->tree.entries[i];
    }
    view->tree.count = kept;
}

static void arrange(struct view *view)
{
    tree_build(&view->snapshot, &view->tree);
    if (flat) {
        remove_unwanted(view);
        qsort(view->tree.entries, view->tree.count, sizeof(*view->tree.entries), compare_places);
        for (size_t i = 0; i < view->tree.count; i++)
            view->tree.entries[i].depth = 0;
        return;
    }
    tree_filter(&view->tree, view->wanted);
    tree_mark_last(&view->tree);
}

// The branches to the left of an entry. above_last[d]: whether the entry above at depth d is a last
// one.
static int print_branches(const struct tree_entry *entry, const bool *above_last)
{
    for (u32 depth = 1; depth < entry->depth; depth++)
        fputs(above_last[depth] ? "   " : "|  ", stdout);
    if (entry->depth > 0)
        fputs(entry->last ? "`- " : "|- ", stdout);
    return (int)(3 * entry->depth);
}

static void print_entry(const struct view *view, const struct tree_entry *entry,
                        const bool *above_last, int width)
{
    const struct object_info *object = &view->snapshot.objects[entry->object];
    char name[OBJECT_NAME_BYTES];
    snapshot_class_name(&view->snapshot, object->class_id, name);
    int indent = print_branches(entry, above_last);
    printf("%-*s %#12" PRIx64 " %8" PRIu64 " %5" PRIu32 " %8" PRIu32 "%s\n", width - indent, name,
           object->coid, object->misses, object->reps, object->child_count,
           entry->shared ? "  *" : "");
}

static int name_column(const struct view *view)
{
    int width = 40;
    for (size_t i = 0; i < view->tree.count; i++) {
        const struct tree_entry *entry = &view->tree.entries[i];
        char name[OBJECT_NAME_BYTES];
        snapshot_class_name(&view->snapshot, view->snapshot.objects[entry->object].class_id, name);
        int needed = (int)(3 * entry->depth + strlen(name));
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
        if (entry->unreferenced && !unreferenced && !flat)
            puts("(unreferenced)");
        unreferenced = entry->unreferenced;
        above_last[entry->depth] = entry->last;
        any_shared = any_shared || entry->shared;
        print_entry(view, entry, above_last, width);
    }
    if (any_shared)
        puts("* child of several objects, shown once");
}

// How many of the wanted objects are of a class.
static size_t count_class(const struct view *view, u32 id)
{
    size_t count = 0;
    for (size_t i = 0; i < view->snapshot.object_count; i++)
        count += view->wanted[i] && view->snapshot.objects[i].class_id == id;
    return count;
}

static void print_classes(const struct view *view)
{
    printf("\n%8s  %s\n", "OBJECTS", "CLASS");
    for (size_t i = 0; i < view->snapshot.class_count; i++) {
        const struct class_info *info = &view->snapshot.classes[i];
        size_t count = count_class(view, info->id);
        if (count > 0)
            printf("%8zu  %s(%s)\n", count, info->name, info->implementation);
    }
    printf("%8zu  in all\n", view->wanted_count);
}

static void json_object(struct json *json, const struct view *view, const struct tree_entry *entry)
{
    const struct object_info *object = &view->snapshot.objects[entry->object];
    const struct class_info *info = snapshot_class(&view->snapshot, object->class_id);
    json_open_object(json, NULL);
    json_hex(json, "coid", object->coid);
    json_text(json, "class", info == NULL ? NULL : info->name);
    json_text(json, "implementation", info == NULL ? NULL : info->implementation);
    json_u64(json, "class_id", object->class_id);
    json_u64(json, "misses", object->misses);
    json_u64(json, "reps", object->reps);
    json_u64(json, "depth", entry->depth);
    json_bool(json, "unreferenced", entry->unreferenced);
    json_open_array(json, "children");
    for (u32 i = 0; i < object->child_count; i++)
        json_hex(json, NULL, object->children[i]);
    json_close(json);
    json_close(json);
}

static void print_json(const struct view *view)
{
    struct json json = json_begin(stdout);
    json_open_array(&json, "objects");
    for (size_t i = 0; i < view->tree.count; i++)
        json_object(&json, view, &view->tree.entries[i]);
    json_close(&json);
    json_open_array(&json, "classes");
    for (size_t i = 0; i < view->snapshot.class_count; i++) {
        const struct class_info *info = &view->snapshot.classes[i];
        json_open_object(&json, NULL);
        json_text(&json, "class", info->name);
        json_text(&json, "implementation", info->implementation);
        json_u64(&json, "objects", count_class(view, info->id));
        json_close(&json);
    }
    json_close(&json);
    json_u64(&json, "count", view->wanted_count);
    json_end(&json);
}

static int show(struct view *view, const char *pattern)
{
    int code = select_objects(view, pattern);
    if (code != KOV_OK)
        return code;
    arrange(view);
    if (settings.json) {
        print_json(view);
        return KOV_OK;
    }
    print_tree(view);
    print_classes(view);
    return KOV_OK;
}

static int run(const struct arguments *arguments)
{
    struct view view = {0};
    int code = session_begin(true);
    if (code == KOV_OK)
        code = scan_objects(&view.snapshot);
    if (code == KOV_OK)
        code = show(&view, arguments->count > 0 ? arguments->values[0] : "");
    free(view.wanted);
    tree_free(&view.tree);
    snapshot_free(&view.snapshot);
    return code;
}

const struct command command_objects = {
    .name = "objects",
    .synopsis = "[REGEX] [--flat] [--class CLASS]",
    .summary = "Show every live object with class, COID, misses, representatives and children",
    .details =
        "Objects form a tree from the object of class \"Kernel\" down. An object with several\n"
        "parents is shown once, marked by '*'; what cannot be reached comes last, under\n"
        "\"(unreferenced)\". REGEX (extended) selects objects by \"Class(implementation)\n"
        "0xCOID\"; in the tree the objects above them are shown too.",
    .options = {own_options},
    .max_arguments = 1,
    .run = run,
};

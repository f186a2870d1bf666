// SPDX-License-Identifier: MIT
// Directories' entries against plain lists: names come and go, are found, and are listed in the
// order in which they came.
#include "host.h"
#include "node.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DIRECTORIES 2
#define NAMES 300
#define ROUNDS 100000
#define ROOM 1024 // of a listing: a part of them

struct node *memory_file_create(const char *name);

static struct directory *directories[DIRECTORIES];
// In the order in which they came.
static struct model {
    struct node *nodes[NAMES];
    u32 names[NAMES]; // their numbers
    u32 count;
} models[DIRECTORIES];

// Names of which one is the beginning of the other, too.
static const char *name_of(u32 number)
{
    static char name[16];
    snprintf(name, sizeof(name), "n%u", number);
    return name;
}

static u32 place_of(const struct model *model, u32 name)
{
    u32 place = 0;
    while (place < model->count && model->names[place] != name)
        place++;
    return place;
}

static void add(u32 which, u32 name)
{
    struct model *model = &models[which];
    struct node *node = memory_file_create(name_of(name));
    assert_non_null(node);
    directory_add(directories[which], node);
    node_put(node);
    model->nodes[model->count] = node;
    model->names[model->count++] = name;
}

static void take_away(u32 which, u32 place)
{
    struct model *model = &models[which];
    directory_remove(model->nodes[place]);
    model->count--;
    for (u32 i = place; i < model->count; i++) {
        model->nodes[i] = model->nodes[i + 1];
        model->names[i] = model->names[i + 1];
    }
}

// From behind an entry, or from the start (place == count).
static void list(u32 which, u32 place)
{
    static u8 room[ROOM];
    const struct model *model = &models[which];
    u64 next, bytes;
    u64 cursor = place < model->count ? model->nodes[place]->order : 0;
    bytes = directory_list(directories[which], cursor, &next, room, sizeof(room));
    u32 expected = place < model->count ? place + 1 : 0;
    for (u64 at = 0; at < bytes; expected++) {
        struct fs_entry entry;
        memcpy(&entry, room + at, sizeof(entry));
        const char *name = name_of(model->names[expected]);
        assert_true(expected < model->count);
        assert_int_equal(entry.id, model->nodes[expected]->id);
        assert_int_equal(entry.name_bytes, strlen(name));
        assert_memory_equal(room + at + sizeof(entry), name, strlen(name));
        at += ALIGN_UP(sizeof(entry) + entry.name_bytes, 8UL);
    }
    if (bytes > 0)
        assert_int_equal(next, model->nodes[expected - 1]->order);
    else
        assert_int_equal(next, cursor);
    assert_true(expected == model->count || ROOM - bytes < sizeof(struct fs_entry) + 16);
}

static void entries_follow_plain_lists(void **state)
{
    (void)state;
    srand(4712);
    for (u32 which = 0; which < DIRECTORIES; which++)
        directories[which] = directory_create("directory");
    for (u32 round = 0; round < ROUNDS; round++) {
        u32 which = (u32)rand() % DIRECTORIES, name = (u32)rand() % NAMES;
        struct model *model = &models[which];
        u32 place = place_of(model, name);
        const char *text = name_of(name);
        struct node *found = directory_find(directories[which], text, strlen(text));
        assert_ptr_equal(found, place < model->count ? model->nodes[place] : NULL);
        if (rand() % 4 == 0)
            list(which, (u32)rand() % (model->count + 1));
        else if (place == model->count)
            add(which, name);
        else if (rand() % 2 == 0)
            take_away(which, place);
        assert_int_equal(directories[which]->entries, model->count);
    }
    for (u32 which = 0; which < DIRECTORIES; which++) {
        while (models[which].count > 0)
            take_away(which, models[which].count / 2);
        list(which, 0);
        node_put(&directories[which]->node);
    }
    host_reap_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_follow_plain_lists),
    };
    return cmocka_run_group_tests_name("fs_directories", tests, host_start, NULL);
}

// SPDX-License-Identifier: MIT
// Numbers for things.
#include "gateway/names.h"

#include <messages.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

u32 names_string(struct names *names, const char *text)
{
    return intern_text(&names->strings, text) + 1;
}

// Returns whether the key is new. If so, its label is still to be added.
static bool is_new(struct names *names, const char *key, u32 *thing)
{
    size_t before = names->keys.count;
    *thing = intern_text(&names->keys, key) + 1;
    return names->keys.count != before;
}

static void add_label(struct names *names, const char *key, const char *label, u32 class,
                      u32 process)
{
    if (names->labels == NULL)
        names->labels = json_array();
    json_array_append_new(names->labels, json_pack("[o, o, i, i]", block_text(key),
                                                   block_text(label), (int)class, (int)process));
}

u32 names_machine(struct names *names)
{
    u32 thing;
    if (is_new(names, "m", &thing))
        add_label(names, "m", names->machine, 0, 0);
    return thing;
}

u32 names_process(struct names *names, const struct snapshot *snapshot, u32 pid)
{
    char key[NAMES_KEY_BYTES], label[OBJECT_NAME_BYTES];
    u32 thing;
    snprintf(key, sizeof(key), "p:%" PRIu32, pid);
    snapshot_process_name(snapshot, pid, label);
    if (is_new(names, key, &thing))
        add_label(names, key, label, 0, thing);
    return thing;
}

u32 names_side(struct names *names, u32 pid, bool kernel)
{
    char key[NAMES_KEY_BYTES];
    u32 thing;
    snprintf(key, sizeof(key), "s:%s:%" PRIu32, kernel ? "kernel" : "own", pid);
    if (is_new(names, key, &thing))
        add_label(names, key, kernel ? "in the kernel" : "its own", 0, 0);
    return thing;
}

u32 names_object(struct names *names, const struct snapshot *snapshot, u32 pid, coid_t coid)
{
    char key[NAMES_KEY_BYTES], class_name[OBJECT_NAME_BYTES] = "[gone]";
    char label[OBJECT_NAME_BYTES + 24];
    u32 thing, process = names_process(names, snapshot, pid); // before it: labels go by number
    snprintf(key, sizeof(key), "o:%" PRIu32 ":%" PRIx64, pid, (u64)coid);
    if (!is_new(names, key, &thing))
        return thing;
    const struct object_info *object = snapshot_object(snapshot, pid, coid);
    if (object != NULL)
        snapshot_class_name(snapshot, pid, object->class_id, class_name);
    snprintf(label, sizeof(label), "%s 0x%" PRIx64, class_name, (u64)coid);
    add_label(names, key, label, names_string(names, class_name), process);
    return thing;
}

u32 names_code(struct names *names, const struct snapshot *snapshot, u32 pid)
{
    char key[NAMES_KEY_BYTES];
    u32 thing, process = names_process(names, snapshot, pid);
    snprintf(key, sizeof(key), "n:%" PRIu32, pid);
    if (is_new(names, key, &thing))
        add_label(names, key, "[none]", 0, process);
    return thing;
}

u32 names_idle(struct names *names)
{
    u32 thing;
    if (is_new(names, "i", &thing))
        add_label(names, "i", "[idle]", 0, 0);
    return thing;
}

u32 names_class(struct names *names, const char *class_name)
{
    char key[NAMES_KEY_BYTES];
    u32 thing;
    snprintf(key, sizeof(key), "k:%.150s", class_name);
    if (is_new(names, key, &thing))
        add_label(names, key, class_name, names_string(names, class_name), 0);
    return thing;
}

// A character of a text takes up to 6 bytes ("\u0001"). A thing takes a key, a label, and two
// numbers.
_Static_assert(NAMES_SENT_AT_ONCE *(6 * (NAMES_KEY_BYTES + 2 * TEXT_CHARACTERS) + 40) + 512 <
                   FRAME_OUT_BYTES,
               "what is told at once fits a message");

static json_t *next_things(struct names *names)
{
    json_t *things = json_array();
    size_t labels = json_array_size(names->labels);
    while (names->sent_keys < names->keys.count && json_array_size(things) < NAMES_SENT_AT_ONCE) {
        size_t untold = names->keys.count - names->sent_keys++;
        json_array_append(things, json_array_get(names->labels, labels - untold));
    }
    if (names->sent_keys == names->keys.count) {
        json_decref(names->labels);
        names->labels = NULL;
    }
    return things;
}

struct block *names_take(struct names *names)
{
    if (names->sent_keys == names->keys.count && names->sent_strings == names->strings.count)
        return NULL;
    int first = (int)names->sent_keys + 1, first_string = (int)names->sent_strings + 1;
    json_t *strings = json_array();
    while (names->sent_strings < names->strings.count &&
           json_array_size(strings) < NAMES_SENT_AT_ONCE)
        json_array_append_new(strings, block_text(names->strings.texts[names->sent_strings++]));
    bool classes_are_known = names->sent_strings == names->strings.count;
    json_t *things = classes_are_known ? next_things(names) : json_array();
    return block_of_json(json_pack("{s:s, s:s, s:i, s:o, s:i, s:o}", "type", "names", "machine",
                                   names->machine, "first", first, "things", things, "first_string",
                                   first_string, "strings", strings));
}

bool names_are_full(const struct names *names)
{
    return names->keys.count > THINGS_MAX || names->strings.count > THINGS_MAX;
}

void names_reset(struct names *names)
{
    intern_free(&names->keys);
    intern_free(&names->strings);
    json_decref(names->labels);
    *names = (struct names){.machine = names->machine, .epoch = names->epoch + 1};
}

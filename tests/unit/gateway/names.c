// SPDX-License-Identifier: MIT
// Numbers for things, and what browsers are told about them.
#include "unit.h"

#include "gateway/names.h"
#include "tools/memory.h"
#include <messages.h>

#include <string.h>

static json_t *take(struct names *names)
{
    struct block *block = names_take(names);
    if (block == NULL)
        return NULL;
    json_t *json = json_loadb((const char *)block->data, block->size, 0, NULL);
    assert_non_null(json);
    block_release(block);
    return json;
}

static s64 integer(const json_t *json, const char *name)
{
    const json_t *value = json_object_get(json, name);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static const char *thing_text(const json_t *json, size_t thing, size_t column)
{
    const json_t *row = json_array_get(json_object_get(json, "things"), thing);
    const char *text = json_string_value(json_array_get(row, column));
    assert_non_null(text);
    return text;
}

static void numbers_count_up_and_labels_stand_in_their_order(void **state)
{
    struct names names = {.machine = "orrery"};
    struct snapshot snapshot = {0};
    (void)state;
    assert_null(names_take(&names));
    assert_int_equal(names_machine(&names), 1);
    assert_int_equal(names_object(&names, &snapshot, 7, 0x1a30), 3); // its process before it
    assert_int_equal(names_process(&names, &snapshot, 7), 2);
    assert_int_equal(names_side(&names, 7, true), 4);
    assert_int_equal(names_side(&names, 7, false), 5);
    assert_int_equal(names_class(&names, "Counter"), 6);
    assert_int_equal(names_class(&names, "Counter"), 6);
    static const char *const keys[] = {"m",          "p:7",     "o:7:1a30",
                                       "s:kernel:7", "s:own:7", "k:Counter"};
    json_t *json = take(&names);
    assert_string_equal(json_string_value(json_object_get(json, "machine")), "orrery");
    assert_int_equal(integer(json, "first"), 1);
    assert_int_equal(integer(json, "first_string"), 1);
    assert_int_equal(json_array_size(json_object_get(json, "things")), ARRAY_SIZE(keys));
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        assert_string_equal(thing_text(json, i, 0), keys[i]);
    const json_t *object = json_array_get(json_object_get(json, "things"), 2);
    assert_int_equal(json_integer_value(json_array_get(object, 3)), 2);
    json_decref(json);
    names_reset(&names);
}

static void each_is_told_once(void **state)
{
    struct names names = {.machine = "orrery"};
    (void)state;
    names_machine(&names);
    names_class(&names, "A");
    json_decref(take(&names));
    names_machine(&names);
    names_class(&names, "A");
    assert_null(names_take(&names));
    assert_int_equal(names_class(&names, "B"), 3);
    json_t *json = take(&names);
    assert_int_equal(integer(json, "first"), 3);
    assert_int_equal(integer(json, "first_string"), 2);
    assert_int_equal(json_array_size(json_object_get(json, "things")), 1);
    assert_int_equal(json_array_size(json_object_get(json, "strings")), 1);
    json_decref(json);
    names_reset(&names);
}

static void a_reset_begins_anew(void **state)
{
    struct names names = {.machine = "orrery"};
    (void)state;
    names_class(&names, "A");
    json_decref(take(&names));
    names_class(&names, "never told");
    names_reset(&names);
    assert_int_equal(names.epoch, 1);
    assert_null(names_take(&names));
    assert_int_equal(names_class(&names, "B"), 1);
    json_t *json = take(&names);
    assert_int_equal(integer(json, "first"), 1);
    assert_string_equal(thing_text(json, 0, 0), "k:B");
    json_decref(json);
    names_reset(&names);
}

static void too_many_are_full(void **state)
{
    struct names names = {.machine = "orrery"};
    char text[16];
    (void)state;
    for (u32 i = 0; i < THINGS_MAX; i++) {
        snprintf(text, sizeof(text), "%u", i);
        names_class(&names, text);
    }
    assert_false(names_are_full(&names));
    names_class(&names, "one more");
    assert_true(names_are_full(&names));
    names_reset(&names);
    assert_false(names_are_full(&names));
}

// Machines are not trusted: no length and no byte keeps a name from being told.
static void texts_of_any_length_and_bytes_are_told(void **state)
{
    struct names names = {.machine = "orrery"};
    size_t length = 65536;
    char *text = memory_get(length + 1);
    (void)state;
    memset(text, 'x', length);
    names_class(&names, text);
    text[TEXT_CHARACTERS - 1] = (char)0xc3; // the cut goes through this character
    text[TEXT_CHARACTERS] = (char)0xa4;
    names_class(&names, text);
    names_class(&names, "\xff\xfe bad");
    names_class(&names, "\xed\xa0\x80"); // half of a pair
    names_class(&names, "k:\x01\"\\\n");
    names_class(&names, "");
    free(text);
    json_t *json = take(&names);
    assert_non_null(json);
    size_t things = json_array_size(json_object_get(json, "things"));
    assert_int_equal(things, names.keys.count);
    assert_int_equal(json_array_size(json_object_get(json, "strings")), names.strings.count);
    for (size_t i = 0; i < things; i++)
        assert_true(strlen(thing_text(json, i, 1)) <= TEXT_CHARACTERS);
    assert_int_equal(strlen(thing_text(json, 0, 1)), TEXT_CHARACTERS);
    json_decref(json);
    names_reset(&names);
}

// Each message fits, none is forgotten, and no thing is told before its class.
static void many_are_told_in_parts(void **state)
{
    struct names names = {.machine = "orrery"};
    char text[TEXT_CHARACTERS + 1];
    const u32 count = 8 * NAMES_SENT_AT_ONCE;
    u32 things = 0, strings = 0, parts = 0;
    (void)state;
    memset(text, 1, sizeof(text)); // each takes 6 bytes
    text[TEXT_CHARACTERS] = 0;
    for (u32 i = 0; i < count; i++) {
        int length = snprintf(text, sizeof(text), "%u", i);
        text[length] = 1;
        names_class(&names, text);
        snprintf(text, sizeof(text), "of no thing %u", i);
        names_string(&names, text);
        text[strlen(text)] = 1;
    }
    for (json_t *json; (json = take(&names)) != NULL; json_decref(json), parts++) {
        assert_true(json_dumpb(json, NULL, 0, JSON_COMPACT) <= FRAME_OUT_BYTES);
        assert_int_equal(integer(json, "first"), things + 1);
        assert_int_equal(integer(json, "first_string"), strings + 1);
        assert_true(parts == 0 || things + strings > 0); // only the first begins anew
        strings += (u32)json_array_size(json_object_get(json, "strings"));
        const json_t *told = json_object_get(json, "things");
        for (size_t row = 0; row < json_array_size(told); row++)
            assert_true(json_integer_value(json_array_get(json_array_get(told, row), 2)) <=
                        strings);
        things += (u32)json_array_size(told);
    }
    assert_int_equal(things, count);
    assert_int_equal(strings, 2 * count);
    assert_true(parts >= 2 * count / NAMES_SENT_AT_ONCE);
    assert_null(names.labels);
    names_reset(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_are_told_in_parts),
        cmocka_unit_test(numbers_count_up_and_labels_stand_in_their_order),
        cmocka_unit_test(each_is_told_once),
        cmocka_unit_test(a_reset_begins_anew),
        cmocka_unit_test(too_many_are_full),
        cmocka_unit_test(texts_of_any_length_and_bytes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

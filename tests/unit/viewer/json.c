// SPDX-License-Identifier: MIT
// The JSON writer: nesting, commas, and text that needs escaping.
#include "unit.h"

#include "output/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What a function writes, without white space outside of texts being of interest: compared as it
// is.
static char *written(void (*write)(struct json *))
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    struct json json = json_begin(file);
    write(&json);
    json_end(&json);
    fclose(file);
    return text;
}

static void expect(void (*write)(struct json *), const char *expected)
{
    char *text = written(write);
    assert_string_equal(text, expected);
    free(text);
}

static void write_nothing(struct json *json)
{
    (void)json;
}

static void an_empty_object_is_valid(void **state)
{
    (void)state;
    expect(write_nothing, "{}\n");
}

static void write_nested(struct json *json)
{
    json_open_array(json, "list");
    json_u64(json, NULL, 1);
    json_open_object(json, NULL);
    json_close(json);
    json_close(json);
    json_bool(json, "yes", true);
}

static void values_are_separated_at_every_level(void **state)
{
    (void)state;
    expect(write_nested, "{\n  \"list\": [\n    1,\n    {}\n  ],\n  \"yes\": true\n}\n");
}

static void write_numbers(struct json *json)
{
    json_u64(json, "large", UINT64_MAX);
    json_s64(json, "small", INT64_MIN);
    json_number(json, "half", 0.5);
    json_number(json, "none", NAN);
    json_hex(json, "address", 0xc000000000400000);
}

static void numbers_of_all_kinds(void **state)
{
    (void)state;
    expect(write_numbers,
           "{\n  \"large\": 18446744073709551615,\n  \"small\": -9223372036854775808,\n"
           "  \"half\": 0.5,\n  \"none\": null,\n  \"address\": \"0xc000000000400000\"\n}\n");
}

static void write_texts(struct json *json)
{
    json_text(json, "quote\"", "a\\b\n\x01");
    json_text(json, "unicode", "\xc3\xa4\xff");
    json_text(json, "nothing", NULL);
}

static void text_is_escaped(void **state)
{
    (void)state;
    expect(write_texts,
           "{\n  \"quote\\\"\": \"a\\\\b\\u000a\\u0001\",\n  \"unicode\": \"\xc3\xa4\\ufffd\",\n"
           "  \"nothing\": null\n}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_object_is_valid),
        cmocka_unit_test(values_are_separated_at_every_level),
        cmocka_unit_test(numbers_of_all_kinds),
        cmocka_unit_test(text_is_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

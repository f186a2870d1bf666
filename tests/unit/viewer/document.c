// SPDX-License-Identifier: MIT
// Documents and their columns: what is printed as JSON, as tables and as CSV.
#include "unit.h"

#include "output/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct settings settings;

// What a function prints.
static void expect(void (*print)(void), const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *console = stdout;
    stdout = open_memstream(&text, &size);
    print();
    fclose(stdout);
    stdout = console;
    assert_string_equal(text, expected);
    free(text);
}

// ---- JSON --------------------------------------------------------------------------------------

static void print_nested(void)
{
    json_t *document = json_object();
    json_t *list = put_array(document, "list");
    put_u64(list, NULL, 1);
    put_object(list, NULL);
    put_bool(document, "yes", true);
    document_print(document);
}

static void print_numbers(void)
{
    json_t *document = json_object();
    put_u64(document, "large", INT64_MAX);
    put_u64(document, "larger", UINT64_MAX);
    put_s64(document, "small", INT64_MIN);
    put_number(document, "half", 0.5);
    put_number(document, "none", NAN);
    put_hex(document, "address", 0xc000000000400000);
    document_print(document);
}

static void print_texts(void)
{
    json_t *document = json_object();
    put_text(document, "quote\"", "a\\b\n\x01");
    put_text(document, "unicode", "\xc3\xa4\xff\xff");
    put_text(document, "nothing", NULL);
    document_print(document);
}

static void documents_are_printed_as_json(void **state)
{
    (void)state;
    expect(print_nested, "{\n  \"list\": [\n    1,\n    {}\n  ],\n  \"yes\": true\n}\n");
    expect(print_numbers,
           "{\n  \"large\": 9223372036854775807,\n  \"larger\": 1.84467e19,\n"
           "  \"small\": -9223372036854775808,\n"
           "  \"half\": 0.5,\n  \"none\": null,\n  \"address\": \"0xc000000000400000\"\n}\n");
    expect(print_texts, "{\n  \"quote\\\"\": \"a\\\\b\\n\\u0001\",\n"
                        "  \"unicode\": \"\xc3\xa4\xef\xbf\xbd\xef\xbf\xbd\",\n"
                        "  \"nothing\": null\n}\n");
}

static void print_stream(void)
{
    document_begin("list");
    for (u64 i = 0; i < 2; i++) {
        json_t *element = json_object();
        put_u64(element, "i", i);
        document_element(element);
    }
    json_t *rest = json_object();
    put_text(rest, "end", "here");
    document_end(rest);
}

static void print_empty_stream(void)
{
    document_begin("list");
    document_end(json_object());
}

static void a_growing_document_is_whole_in_the_end(void **state)
{
    (void)state;
    expect(print_stream, "{\n  \"list\": [\n    {\"i\":0},\n    {\"i\":1}\n  ],\n"
                         "  \"end\": \"here\"\n}\n");
    expect(print_empty_stream, "{\n  \"list\": []\n}\n");
}

static void print_series(void)
{
    series_begin("list");
    series_begin("list");
    for (u64 i = 0; i < 2; i++) {
        json_t *element = json_object();
        put_u64(element, "i", i);
        if (!series_add(element))
            puts("for people");
    }
    json_t *rest = json_object();
    put_text(rest, "end", "here");
    series_end(rest);
    series_cut();
}

static void print_series_without_elements(void)
{
    json_t *rest = json_object();
    put_text(rest, "end", "here");
    series_end(rest);
}

static void print_cut_series(void)
{
    series_begin("list");
    series_cut();
    series_cut();
}

static void a_series_is_one_document_for_programs_only(void **state)
{
    (void)state;
    expect(print_series, "for people\nfor people\n");
    expect(print_series_without_elements, "");
    expect(print_cut_series, "");
    settings.json = true;
    expect(print_series, "{\n  \"list\": [\n    {\"i\":0},\n    {\"i\":1}\n  ],\n"
                         "  \"end\": \"here\"\n}\n");
    expect(print_series_without_elements, "{\n  \"end\": \"here\"\n}\n");
    expect(print_cut_series, "{\n  \"list\": []\n}\n");
    settings.json = false;
}

// ---- tables and CSV ----------------------------------------------------------------------------

static void both_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    snprintf(text, CELL_BYTES, "%s of %u",
             json_is_true(json_object_get(row, "on"))
                 ? json_string_value(json_object_get(row, "name"))
                 : "",
             column->index);
    if (json_is_false(json_object_get(row, "on")))
        text[0] = '\0';
}

static const struct column columns[] = {
    COLUMN("NAME", "name", -6),
    COLUMN("KB", "bytes", 5, .scale = 1.0 / 1024),
    COLUMN("SHARE", "share.value", 8, .decimals = 1, .unit = " %"),
    COLUMN("ON", "on", -4, .no = "never"),
    HIDDEN("kept"),
    COLUMN("FIRST", "list.0", 5),
    COLUMN("BOTH", NULL, -1, .compose = both_text, .index = 7),
    COLUMNS_END,
};
static const struct sheet sheets[] = {{"rows", columns}, {"none", columns}, {NULL, NULL}};

static void show(void)
{
    json_t *document = json_object();
    json_t *rows = put_array(document, "rows");
    json_t *row = put_object(rows, NULL);
    put_text(row, "name", "\xc3\xa4,\"b\"");
    put_u64(row, "bytes", 4096);
    put_number(put_object(row, "share"), "value", 12.345);
    put_bool(row, "on", true);
    put_u64(row, "kept", 3);
    put_u64(put_array(row, "list"), NULL, 42);
    row = put_object(rows, NULL);
    put_text(row, "name", "a longer name");
    put_text(row, "bytes", NULL);
    put_bool(row, "on", false);
    put_array(document, "none");
    document_show(document, sheets);
}

static void rows_are_aligned_and_what_is_not_there_is_a_dash(void **state)
{
    (void)state;
    expect(show, "NAME      KB    SHARE  ON   FIRST  BOTH\n"
                 "\xc3\xa4,\"b\"      4   12.3 %  yes     42  \xc3\xa4,\"b\" of 7\n"
                 "a longer name     " CELL_UNKNOWN "        " CELL_UNKNOWN
                 "  never     " CELL_UNKNOWN "\n"
                 "\nNAME      KB    SHARE  ON   FIRST  BOTH\n");
}

static void csv_has_keys_and_values_as_they_are(void **state)
{
    (void)state;
    settings.csv = true;
    expect(show, "name,bytes,SHARE,on,kept,FIRST\n"
                 "\"\xc3\xa4,\"\"b\"\"\",4096,12.345,true,3,42\n"
                 "a longer name,,,false,,\n"
                 "\nname,bytes,SHARE,on,kept,FIRST\n");
    settings.csv = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_are_printed_as_json),
        cmocka_unit_test(a_growing_document_is_whole_in_the_end),
        cmocka_unit_test(a_series_is_one_document_for_programs_only),
        cmocka_unit_test(rows_are_aligned_and_what_is_not_there_is_a_dash),
        cmocka_unit_test(csv_has_keys_and_values_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

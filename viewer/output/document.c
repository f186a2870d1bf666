// SPDX-License-Identifier: MIT
// What a command has to say, as values with names.
#include "output/document.h"
#include "tools/kov.h"
#include "tools/memory.h"
#include "tools/text.h"

#include <inttypes.h>
#include <orrery/utf8.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum output_form output_form(void)
{
    return settings.json ? OUTPUT_JSON : settings.csv ? OUTPUT_CSV : OUTPUT_TABLES;
}

// Adds a value. Only a lack of memory makes it fail, since texts are valid UTF-8 by now.
static json_t *put(json_t *at, const char *key, json_t *value)
{
    bool wrong = json_is_array(at) ? json_array_append_new(at, value) != 0
                                   : json_object_set_new(at, key, value) != 0;
    if (wrong)
        exit(fail(KOV_FAILED, "out of memory"));
    return value;
}

// Returns a copy in which U+FFFD replaces each byte that is not UTF-8. The caller frees it.
static char *mended(const char *text)
{
    char *result = memory_get(3 * strlen(text) + 1), *end = result;
    while (*text != '\0') {
        size_t length = utf8_length(text);
        end = length == 0 ? stpcpy(end, "\xef\xbf\xbd") : mempcpy(end, text, length);
        text += length == 0 ? 1 : length;
    }
    return result;
}

void put_text(json_t *at, const char *key, const char *text)
{
    json_t *value = text == NULL ? json_null() : json_string(text);
    if (value == NULL) {
        char *valid = mended(text);
        value = json_string(valid);
        free(valid);
    }
    put(at, key, value);
}

void put_u64(json_t *at, const char *key, u64 value)
{
    put(at, key, value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value));
}

void put_s64(json_t *at, const char *key, s64 value)
{
    put(at, key, json_integer(value));
}

void put_number(json_t *at, const char *key, double value)
{
    put(at, key, isfinite(value) ? json_real(value) : json_null());
}

void put_bool(json_t *at, const char *key, bool value)
{
    put(at, key, json_boolean(value));
}

void put_hex(json_t *at, const char *key, u64 value)
{
    put(at, key, json_sprintf("0x%" PRIx64, value));
}

json_t *put_object(json_t *at, const char *key)
{
    return put(at, key, json_object());
}

json_t *put_array(json_t *at, const char *key)
{
    return put(at, key, json_array());
}

void document_write(const json_t *document)
{
    json_dumpf(document, stdout, DOCUMENT_FLAGS | JSON_INDENT(2));
    putchar('\n');
}

void document_print(json_t *document)
{
    document_write(document);
    json_decref(document);
}

// ---- while it grows ----------------------------------------------------------------------------

// About stdout, of which there is one.
static bool first, in_series;

void document_begin(const char *key)
{
    printf("{\n  \"%s\": [", key);
    first = true;
}

void document_element(json_t *element)
{
    fputs(first ? "\n    " : ",\n    ", stdout);
    first = false;
    json_dumpf(element, stdout, DOCUMENT_FLAGS | JSON_COMPACT);
    json_decref(element);
    fflush(stdout);
}

void document_end(json_t *rest)
{
    fputs(first ? "]" : "\n  ]", stdout);
    if (json_object_size(rest) > 0)
        putchar(',');
    json_dumpf(rest, stdout, DOCUMENT_FLAGS | JSON_EMBED | JSON_INDENT(2));
    puts(json_object_size(rest) > 0 ? "}" : "\n}");
    json_decref(rest);
}

void series_begin(const char *key)
{
    if (settings.json && !in_series) {
        document_begin(key);
        in_series = true;
    }
}

bool series_add(json_t *element)
{
    if (settings.json)
        document_element(element);
    else
        json_decref(element);
    return settings.json;
}

void series_end(json_t *rest)
{
    if (in_series)
        document_end(rest);
    else if (settings.json)
        document_print(rest);
    else
        json_decref(rest);
    in_series = false;
}

void series_cut(void)
{
    if (in_series)
        series_end(json_object());
}

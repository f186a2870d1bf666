// SPDX-License-Identifier: MIT
// Writes JSON, one value a call.
#include "output/json.h"
#include "tools/text.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static void write_text(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text != '\0') {
        size_t length = text_utf8_length(text);
        unsigned char byte = (unsigned char)*text;
        if (length == 0)
            fputs("\\ufffd", out);
        else if (byte == '"' || byte == '\\')
            fprintf(out, "\\%c", byte);
        else if (byte < 0x20 || byte == 0x7f)
            fprintf(out, "\\u%04x", byte);
        else
            fwrite(text, 1, length, out);
        text += length == 0 ? 1 : length;
    }
    fputc('"', out);
}

static void new_line(struct json *json)
{
    fputc('\n', json->out);
    for (unsigned level = 0; level < json->depth; level++)
        fputs("  ", json->out);
}

// What comes before a value: comma, line, key.
static void write_key(struct json *json, const char *key)
{
    assert(json->depth > 0);
    unsigned level = json->depth - 1;
    assert((key != NULL) == (json->close[level] == '}'));
    if (!json->empty[level])
        fputc(',', json->out);
    json->empty[level] = false;
    new_line(json);
    if (key != NULL) {
        write_text(json->out, key);
        fputs(": ", json->out);
    }
}

static void open_level(struct json *json, char open, char close)
{
    assert(json->depth < JSON_MAX_DEPTH);
    fputc(open, json->out);
    json->close[json->depth] = close;
    json->empty[json->depth] = true;
    json->depth++;
}

struct json json_begin(FILE *out)
{
    struct json json = {.out = out};
    open_level(&json, '{', '}');
    return json;
}

void json_open_object(struct json *json, const char *key)
{
    write_key(json, key);
    open_level(json, '{', '}');
}

void json_open_array(struct json *json, const char *key)
{
    write_key(json, key);
    open_level(json, '[', ']');
}

void json_close(struct json *json)
{
    assert(json->depth > 0);
    json->depth--;
    if (!json->empty[json->depth])
        new_line(json);
    fputc(json->close[json->depth], json->out);
}

void json_end(struct json *json)
{
    assert(json->depth == 1);
    json_close(json);
    fputc('\n', json->out);
}

void json_text(struct json *json, const char *key, const char *text)
{
    write_key(json, key);
    if (text == NULL)
        fputs("null", json->out);
    else
        write_text(json->out, text);
}

void json_u64(struct json *json, const char *key, u64 value)
{
    write_key(json, key);
    fprintf(json->out, "%" PRIu64, value);
}

void json_s64(struct json *json, const char *key, s64 value)
{
    write_key(json, key);
    fprintf(json->out, "%" PRId64, value);
}

void json_number(struct json *json, const char *key, double value)
{
    write_key(json, key);
    if (isfinite(value))
        fprintf(json->out, "%.6g", value);
    else
        fputs("null", json->out);
}

void json_bool(struct json *json, const char *key, bool value)
{
    write_key(json, key);
    fputs(value ? "true" : "false", json->out);
}

void json_hex(struct json *json, const char *key, u64 value)
{
    write_key(json, key);
    fprintf(json->out, "\"0x%" PRIx64 "\"", value);
}

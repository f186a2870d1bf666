// SPDX-License-Identifier: MIT
// Expansion of words, character by character. A field ends at an unquoted blank of a variable's
// value, and at the end of the word.
#include "expand.h"

#include "parse.h"

#include <ctype.h>
#include <orrery/errors.h>
#include <string.h>

struct expansion {
    const struct expander *expander;
    struct fields *fields; // NULL: no splitting
    char *text;            // the field that is being made
    u64 length, capacity;
    bool present;   // the field exists, though it may be empty
    const char *at; // the next character of the word
};

static s64 put(struct expansion *expansion, char c)
{
    if (expansion->length + 1 >= expansion->capacity) {
        u64 capacity = expansion->capacity == 0 ? 64 : 2 * expansion->capacity;
        char *larger = arena_alloc(expansion->expander->arena, capacity);
        if (larger == NULL)
            return E_NOMEM;
        if (expansion->length > 0)
            memcpy(larger, expansion->text, expansion->length);
        expansion->text = larger;
        expansion->capacity = capacity;
    }
    expansion->text[expansion->length++] = c;
    expansion->text[expansion->length] = 0;
    expansion->present = true;
    return 0;
}

static s64 end_field(struct expansion *expansion)
{
    struct fields *fields = expansion->fields;

    if (!expansion->present)
        return 0;
    if (fields->count == FIELDS_MAX)
        return E_LIMIT;
    char *word = arena_copy(expansion->expander->arena,
                            expansion->text == NULL ? "" : expansion->text, expansion->length);
    if (word == NULL)
        return E_NOMEM;
    fields->words[fields->count++] = word;
    fields->words[fields->count] = NULL;
    expansion->length = 0;
    expansion->present = false;
    return 0;
}

static s64 put_value(struct expansion *expansion, const char *value, bool quoted)
{
    s64 error = 0;

    for (; *value != 0 && error == 0; value++) {
        if (!quoted && expansion->fields != NULL && isspace((unsigned char)*value))
            error = end_field(expansion);
        else
            error = put(expansion, *value);
    }
    return error;
}

// Takes the name after a "$": sets its start and its length, and moves `at` behind it. Length 0:
// there is no name, and the "$" stands for itself. Returns 0, or E_PROTO for a bad ${…}.
static s64 take_name(struct expansion *expansion, const char **name, u64 *length)
{
    const char *at = expansion->at;
    bool braces = *at == '{';

    *name = at += braces;
    if (*at != 0 && strchr("?$!#@", *at) != NULL)
        at++;
    else if (isdigit((unsigned char)*at))
        at++;
    else
        while (isalnum((unsigned char)*at) || *at == '_')
            at++;
    *length = (u64)(at - *name);
    if (braces && (*at != '}' || *length == 0))
        return E_PROTO;
    expansion->at = at + braces;
    return 0;
}

static s64 put_variable(struct expansion *expansion, bool quoted)
{
    const struct expander *expander = expansion->expander;
    const char *start;
    u64 length;

    s64 error = take_name(expansion, &start, &length);
    if (error != 0)
        return error;
    if (length == 0)
        return put(expansion, '$');
    char *name = arena_copy(expander->arena, start, length);
    if (name == NULL)
        return E_NOMEM;
    const char *value = expander->lookup(expander->context, name);
    return value == NULL ? 0 : put_value(expansion, value, quoted);
}

static s64 put_single_quoted(struct expansion *expansion)
{
    s64 error = 0;

    expansion->present = true;
    while (*expansion->at != '\'' && error == 0)
        error = put(expansion, *expansion->at++);
    expansion->at++;
    return error;
}

static s64 put_double_quoted(struct expansion *expansion)
{
    s64 error = 0;

    expansion->present = true;
    while (*expansion->at != '"' && error == 0) {
        char c = *expansion->at++;
        if (c == '$')
            error = put_variable(expansion, true);
        else if (c == '\\' && strchr("$\"\\", *expansion->at) != NULL)
            error = put(expansion, *expansion->at++);
        else if (c == '\\' && *expansion->at == '\n')
            expansion->at++;
        else
            error = put(expansion, c);
    }
    expansion->at++;
    return error;
}

// Expands the word at `at`. The parser has checked that its quotes are closed and that no backslash
// stands last.
static s64 expand(struct expansion *expansion)
{
    s64 error = 0;

    while (*expansion->at != 0 && error == 0) {
        char c = *expansion->at++;
        if (c == '\'')
            error = put_single_quoted(expansion);
        else if (c == '"')
            error = put_double_quoted(expansion);
        else if (c == '$')
            error = put_variable(expansion, false);
        else if (c == '\\' && *expansion->at == '\n')
            expansion->at++;
        else
            error = put(expansion, c == '\\' ? *expansion->at++ : c);
    }
    return error;
}

s64 expand_word(const struct expander *expander, const char *word, struct fields *fields)
{
    struct expansion expansion = {.expander = expander, .fields = fields, .at = word};

    s64 error = expand(&expansion);
    return error ? error : end_field(&expansion);
}

char *expand_text(const struct expander *expander, const char *word)
{
    struct expansion expansion = {.expander = expander, .at = word};

    if (expand(&expansion) != 0)
        return NULL;
    if (expansion.text != NULL)
        return expansion.text;
    return arena_copy(expander->arena, "", 0);
}

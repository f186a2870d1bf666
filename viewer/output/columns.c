// SPDX-License-Identifier: MIT
// Columns describe how the rows of a document's array are printed as a table or as CSV.
#include "output/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_last(const struct column *column)
{
    return column->heading == NULL && column->key == NULL;
}

// Returns the member that a path names. "cpus.0" has names of members and numbers of elements.
static const json_t *member(const json_t *at, const char *path)
{
    while (at != NULL && *path != '\0') {
        size_t length = strcspn(path, ".");
        at = json_is_array(at) ? json_array_get(at, strtoul(path, NULL, 10))
                               : json_object_getn(at, path, length);
        path += length + (path[length] == '.');
    }
    return at;
}

void column_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    const json_t *value = column->key == NULL ? NULL : member(row, column->key);
    double scale = column->scale == 0 ? 1 : column->scale;
    if (column->compose != NULL)
        column->compose(column, row, text);
    else if (json_is_string(value))
        snprintf(text, CELL_BYTES, "%s", json_string_value(value));
    else if (json_is_integer(value) && column->scale == 0 && column->decimals == 0)
        snprintf(text, CELL_BYTES, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_number(value))
        snprintf(text, CELL_BYTES, "%.*f%s", column->decimals, scale * json_number_value(value),
                 column->unit != NULL ? column->unit : "");
    else if (json_is_true(value))
        strcpy(text, column->yes != NULL ? column->yes : "yes");
    else if (json_is_false(value))
        strcpy(text, column->no != NULL ? column->no : "no");
    else
        strcpy(text, "-");
}

// ---- tables ------------------------------------------------------------------------------------

// Returns the width in characters. A character may have several bytes.
static int width_of(const char *text)
{
    int characters = 0;
    for (; *text != '\0'; text++)
        characters += ((unsigned char)*text & 0xc0) != 0x80;
    return characters;
}

// Prints a line. It prints blanks only before other text, so that no line ends in blanks.
static void print_line(const struct column *columns, const json_t *row)
{
    int blanks = 0;
    for (const struct column *column = columns; !is_last(column); column++) {
        char text[CELL_BYTES];
        if (column->heading == NULL)
            continue;
        if (row == NULL)
            snprintf(text, CELL_BYTES, "%s", column->heading);
        else
            column_text(column, row, text);
        int width = width_of(text), missing = abs(column->width) - width;
        int before = column->width > 0 && missing > 0 ? missing : 0;
        int behind = column->width < 0 && missing > 0 ? missing : 0;
        if (*text != '\0') {
            printf("%*s%s", blanks + before, "", text);
            blanks = 0;
            before = 0;
        }
        blanks += before + behind + (column->width >= 0 && column[1].width < 0 ? 2 : 1);
    }
    putchar('\n');
}

void columns_heading(const struct column *columns, const char *label)
{
    printf("%*s", (int)strlen(label), *label != '\0' ? "TIME " : "");
    print_line(columns, NULL);
}

void columns_row(const struct column *columns, const json_t *row)
{
    print_line(columns, row);
}

void columns_rows(const struct column *columns, const json_t *rows, const char *label)
{
    for (size_t i = 0; i < json_array_size(rows); i++) {
        fputs(label, stdout);
        print_line(columns, json_array_get(rows, i));
    }
}

void columns_print(const struct column *columns, const json_t *rows, const char *label)
{
    columns_heading(columns, label);
    columns_rows(columns, rows, label);
}

// ---- CSV ---------------------------------------------------------------------------------------

// Prints a text as RFC 4180 wants it: in quotes only if it needs them.
static void csv_text(const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, stdout);
        return;
    }
    putchar('"');
    for (; *text != '\0'; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}

void columns_csv_heading(const struct column *columns)
{
    const char *separator = "";
    for (const struct column *column = columns; !is_last(column); column++)
        if (column->key != NULL) {
            fputs(separator, stdout);
            csv_text(strchr(column->key, '.') != NULL ? column->heading : column->key);
            separator = ",";
        }
    puts("");
}

void columns_csv_row(const struct column *columns, const json_t *row)
{
    const char *separator = "";
    for (const struct column *column = columns; !is_last(column); column++)
        if (column->key != NULL) {
            fputs(separator, stdout);
            const json_t *value = member(row, column->key);
            if (json_is_string(value))
                csv_text(json_string_value(value));
            else if (value != NULL && !json_is_null(value))
                json_dumpf(value, stdout, DOCUMENT_FLAGS);
            separator = ",";
        }
    puts("");
}

void columns_csv(const struct column *columns, const json_t *rows)
{
    columns_csv_heading(columns);
    for (size_t i = 0; i < json_array_size(rows); i++)
        columns_csv_row(columns, json_array_get(rows, i));
}

// ---- documents ---------------------------------------------------------------------------------

bool document_for_programs(const json_t *document, const struct sheet *sheets)
{
    if (settings.json)
        document_write(document);
    for (size_t i = 0; settings.csv && sheets != NULL && sheets[i].key != NULL; i++) {
        fputs(i > 0 ? "\n" : "", stdout);
        columns_csv(sheets[i].columns, json_object_get(document, sheets[i].key));
    }
    return settings.json || settings.csv;
}

void document_show(json_t *document, const struct sheet *sheets)
{
    if (!document_for_programs(document, sheets))
        for (size_t i = 0; sheets[i].key != NULL; i++) {
            fputs(i > 0 ? "\n" : "", stdout);
            columns_print(sheets[i].columns, json_object_get(document, sheets[i].key), "");
        }
    json_decref(document);
}

void document_tell(json_t *document, void (*people)(const json_t *document))
{
    if (settings.json)
        document_write(document);
    else if (people != NULL)
        people(document);
    json_decref(document);
}

void rows_begin(const char *key, const struct column *columns)
{
    if (settings.json)
        document_begin(key);
    else if (settings.csv)
        columns_csv_heading(columns);
    else
        columns_heading(columns, "");
}

void rows_add(const struct column *columns, json_t *row)
{
    if (settings.json) {
        document_element(row);
        return;
    }
    if (settings.csv)
        columns_csv_row(columns, row);
    else
        columns_row(columns, row);
    json_decref(row);
}

void rows_end(json_t *rest)
{
    if (settings.json)
        document_end(rest);
    else
        json_decref(rest);
}

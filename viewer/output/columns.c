// SPDX-License-Identifier: MIT
// Columns describe how the rows of a document's array are printed as a table or as CSV.
#include "output/columns.h"
#include "tools/lines.h"
#include "tools/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACES_MAX 128
#define LEFT_OUT_BYTES 4096

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
        strcpy(text, CELL_UNKNOWN);
    text_escape(text, CELL_BYTES);
}

// ---- tables ------------------------------------------------------------------------------------

// How the columns that have headings are placed. It stays until the next heading, for tables whose
// rows come one by one.
struct place {
    struct column column; // a copy: tables may be made for one call only
    int width;            // in characters, at least
    bool left_out;
};
static struct {
    const struct column *columns; // of the table for which it was made
    u32 count;                    // 0: every column has its own width
    struct place places[PLACES_MAX];
} fit;
static char left_out[LEFT_OUT_BYTES]; // names, since they were last told

static const struct place *place_of(const struct column *column)
{
    for (u32 i = 0; i < fit.count; i++) {
        const struct column *other = &fit.places[i].column;
        if (other->key == column->key && other->compose == column->compose &&
            other->index == column->index && (column->key || other->heading == column->heading))
            return &fit.places[i];
    }
    return NULL;
}

// A text of any length ends the line. It is broken if it is too long.
static bool is_open(const struct column *column)
{
    return column->width == -1;
}

// Returns how many blanks stand between two columns.
static int gap(const struct column *left, const struct column *right)
{
    return left == NULL ? 0 : left->width >= 0 && right->width < 0 ? 2 : 1;
}

static int widest_cell(const struct column *column, const json_t *rows)
{
    int widest = text_width(column->heading);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        char text[CELL_BYTES];
        column_text(column, json_array_get(rows, i), text);
        int width = text_width(text);
        widest = width > widest ? width : widest;
    }
    return widest;
}

static int width_of_places(int room)
{
    const struct column *left = NULL;
    int width = 0;
    for (u32 i = 0; i < fit.count; i++) {
        const struct place *place = &fit.places[i];
        if (place->left_out)
            continue;
        width += gap(left, &place->column);
        width += is_open(&place->column) && place->width > room / 2 ? room / 2 : place->width;
        left = &place->column;
    }
    return width;
}

// Leaves out the least important column. Returns false if only those are left that stay.
static bool leave_one_out(void)
{
    struct place *least = NULL;
    for (u32 i = fit.count; i-- > 1;) {
        struct place *place = &fit.places[i];
        if (place->left_out || is_open(&place->column) || place->column.rank == RANK_KEEP)
            continue;
        if (least == NULL || (place->column.rank == RANK_RARE && least->column.rank != RANK_RARE))
            least = place;
    }
    if (least == NULL)
        return false;
    least->left_out = true;
    return true;
}

static void note_left_out(const struct column *column)
{
    const char *name = column->heading;
    if (name[0] == '\0' || name[0] == '#')
        name = column->key != NULL ? column->key : "notes";
    size_t length = strlen(left_out), bytes = strlen(name);
    for (const char *at = left_out; (at = strstr(at, name)) != NULL; at += bytes)
        if ((at == left_out || at[-1] == ' ') && (at[bytes] == ',' || at[bytes] == '\0'))
            return;
    snprintf(left_out + length, LEFT_OUT_BYTES - length, "%s%s", length > 0 ? ", " : "", name);
}

// Chooses columns and widths so that a line has at most `room` characters. rows: NULL if they are
// not yet known; what is wider than its column is broken then.
static void fit_columns(const struct column *columns, const json_t *rows, int indent)
{
    int room = lines_width() - indent;
    fit.columns = columns;
    fit.count = 0;
    if (lines_width() == LINES_ANY_WIDTH)
        return;
    for (const struct column *column = columns; !is_last(column); column++)
        if (column->heading != NULL && fit.count < PLACES_MAX) {
            int width = widest_cell(column, rows), wanted = abs(column->width);
            fit.places[fit.count++] = (struct place){*column, wanted > width ? wanted : width, 0};
        }
    for (u32 i = 0; rows != NULL && width_of_places(room) > room && i < fit.count; i++)
        fit.places[i].width = widest_cell(&fit.places[i].column, rows);
    while (width_of_places(room) > room && leave_one_out())
        ;
    for (u32 i = 0; i < fit.count; i++)
        if (fit.places[i].left_out)
            note_left_out(&fit.places[i].column);
}

void columns_tell_left_out(void)
{
    if (left_out[0] != '\0')
        printf("left out for want of room: %s (--wide shows them)\n", left_out);
    left_out[0] = '\0';
}

// Prints a line. It prints blanks only before other text, so that no line ends in blanks.
static void print_line(const struct column *columns, const json_t *row)
{
    const struct column *left = NULL;
    int blanks = 0;
    for (const struct column *column = columns; !is_last(column); column++) {
        const struct place *place = place_of(column);
        char text[CELL_BYTES];
        if (column->heading == NULL || (place != NULL && place->left_out))
            continue;
        if (row == NULL)
            snprintf(text, CELL_BYTES, "%s", column->heading);
        else
            column_text(column, row, text);
        int missing = (place != NULL ? place->width : abs(column->width)) - text_width(text);
        missing = missing < 0 ? 0 : missing;
        blanks += gap(left, column) + (column->width > 0 ? missing : 0);
        if (*text != '\0') {
            printf("%*s%s", blanks, "", text);
            blanks = 0;
        }
        blanks += column->width < 0 ? missing : 0;
        left = column;
    }
    putchar('\n');
}

static void print_heading(const struct column *columns, const json_t *rows, const char *label)
{
    fit_columns(columns, rows, (int)strlen(label));
    printf("%*s", (int)strlen(label), *label != '\0' ? "TIME " : "");
    print_line(columns, NULL);
}

void columns_heading(const struct column *columns, const char *label)
{
    print_heading(columns, NULL, label);
}

void columns_row(const struct column *columns, const json_t *row)
{
    print_line(columns, row);
}

// Returns how many of the rows a table has room for by --rows.
static size_t rows_wanted(size_t count)
{
    return settings.rows != 0 && count > settings.rows ? settings.rows : count;
}

static void tell_more(size_t more, const char *label)
{
    if (more > 0)
        printf("%s%zu rows more\n", label, more);
}

void columns_rows(const struct column *columns, const json_t *rows, const char *label)
{
    size_t count = rows_wanted(json_array_size(rows));
    if (columns != fit.columns)
        fit_columns(columns, NULL, (int)strlen(label));
    for (size_t i = 0; i < count; i++) {
        fputs(label, stdout);
        print_line(columns, json_array_get(rows, i));
    }
    tell_more(json_array_size(rows) - count, label);
}

void columns_print(const struct column *columns, const json_t *rows, const char *label)
{
    print_heading(columns, rows, label);
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
    for (size_t i = 0; i < rows_wanted(json_array_size(rows)); i++)
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

static size_t rows_count; // since rows_begin

void rows_begin(const char *key, const struct column *columns)
{
    rows_count = 0;
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
    rows_count++;
    if (rows_wanted(rows_count) == rows_count) {
        if (settings.csv)
            columns_csv_row(columns, row);
        else
            columns_row(columns, row);
    }
    json_decref(row);
}

void rows_end(json_t *rest)
{
    if (settings.json)
        document_end(rest);
    else
        json_decref(rest);
    if (output_form() == OUTPUT_TABLES)
        tell_more(rows_count - rows_wanted(rows_count), "");
}

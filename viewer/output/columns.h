// SPDX-License-Identifier: MIT
// Columns describe how the rows of a document's array are printed as a table or as CSV. JSON prints
// the rows as they are.
#ifndef KOV_COLUMNS_H
#define KOV_COLUMNS_H

#include "output/document.h"
#include "tools/kov.h"

#define CELL_BYTES 1024

// What people see for a value that is not known: U+2013. JSON has null, CSV nothing.
#define CELL_UNKNOWN "–"

// What a terminal without room for all columns leaves out first. Within a rank it is the rightmost
// one. A table's first column and texts of any length (width -1) stay.
enum column_rank { RANK_USUAL, RANK_RARE, RANK_KEEP };

struct column {
    const char *heading; // NULL: people do not see the column
    const char *key;  // of a row's member; "cpus.0": of an element of a member. NULL: programs do
                      // not see it
    int width;        // in characters, at least; negative: aligned to the left
    int decimals;     // digits after the point
    double scale;     // people see the value times this; 0: unchanged
    const char *unit; // printed after a number, such as " %"
    const char *yes, *no; // texts for true and false
    // Writes what people see instead of the value.
    void (*compose)(const struct column *column, const json_t *row, char text[CELL_BYTES]);
    u32 index; // for compose, if the columns are made of a list
    enum column_rank rank;
};
// Elements of a table of columns. Other members of struct column follow the width. A HIDDEN column
// is for programs only.
#define COLUMN(heading_, key_, width_, ...)                                                        \
    {                                                                                              \
        .heading = heading_, .key = key_, .width = width_, __VA_ARGS__                             \
    }
#define HIDDEN(key_)                                                                               \
    {                                                                                              \
        .key = key_                                                                                \
    }
#define COLUMNS_END                                                                                \
    {                                                                                              \
        .key = NULL                                                                                \
    }

// Writes a row's member as people see it. Writes CELL_UNKNOWN if it is missing or null.
void column_text(const struct column *column, const json_t *row, char text[CELL_BYTES]);

// Print a heading, a line for each row, or both to stdout. Each line begins with `label`, such as
// the time. With --rows a table has at most so many. On a terminal the columns are left out that it
// has no room for; columns_print knows the rows, and makes columns narrower before.
void columns_heading(const struct column *columns, const char *label);
void columns_rows(const struct column *columns, const json_t *rows, const char *label);
void columns_row(const struct column *columns, const json_t *row);
void columns_print(const struct column *columns, const json_t *rows, const char *label);
// Prints which columns were left out since the last call, if any were.
void columns_tell_left_out(void);

// Prints a line of keys, and a line for each row (RFC 4180).
void columns_csv(const struct column *columns, const json_t *rows);
// Print the same line by line, for rows that come one by one.
void columns_csv_heading(const struct column *columns);
void columns_csv_row(const struct column *columns, const json_t *row);

// Which members of a document are tables. The last one has a key of NULL.
struct sheet {
    const char *key;
    const struct column *columns;
};

// Prints the document and returns true, if the user asked for JSON or CSV. CSV has the sheets one
// after the other, with an empty line between. Each sheet begins with a line of keys. `sheets` is
// NULL for a command that prints no tables, hence no CSV.
bool document_for_programs(const json_t *document, const struct sheet *sheets);
// As document_for_programs, but for people it prints the sheets as tables. Frees the document.
void document_show(json_t *document, const struct sheet *sheets);
// Prints a document without tables: as JSON if the user asked for it, else what `people` prints
// (NULL: nothing). Frees the document.
void document_tell(json_t *document, void (*people)(const json_t *document));

// Prints rows as they come. In JSON, `key` names their array.
void rows_begin(const char *key, const struct column *columns);
void rows_add(const struct column *columns, json_t *row); // frees the row
void rows_end(json_t *rest); // rest: the document's other members, for JSON only; freed

#endif

// SPDX-License-Identifier: MIT
// Columns: described once, they print an array of a document's rows as a table or as CSV. For JSON
// the rows are printed as they are.
#ifndef KOV_COLUMNS_H
#define KOV_COLUMNS_H

#include "output/document.h"
#include "tools/kov.h"

#define CELL_BYTES 1024

struct column {
    const char *heading; // NULL: not for people
    const char *key;  // of a row's member; "cpus.0": of a member's element. NULL: for people only
    int width;        // characters, at least; below 0: to the left
    int decimals;     // behind the point
    double scale;     // people see the value times it; 0: as it is
    const char *unit; // behind a number, such as " %"
    const char *yes, *no; // for true and false
    // Writes what people see instead of the value.
    void (*compose)(const struct column *column, const json_t *row, char text[CELL_BYTES]);
    u32 index; // for compose, where columns are made of a list
};
// Elements of a table of columns; what else there is to say comes behind the width. HIDDEN is for
// programs only.
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

// A row's member as people see it: "-" when it is not there, or null.
void column_text(const struct column *column, const json_t *row, char text[CELL_BYTES]);

// To stdout: a heading, a line for each row, or both; each behind `label`, such as the time.
void columns_heading(const struct column *columns, const char *label);
void columns_rows(const struct column *columns, const json_t *rows, const char *label);
void columns_row(const struct column *columns, const json_t *row);
void columns_print(const struct column *columns, const json_t *rows, const char *label);

// A line of keys, and one for each row (RFC 4180).
void columns_csv(const struct column *columns, const json_t *rows);
// The same while the rows come.
void columns_csv_heading(const struct column *columns);
void columns_csv_row(const struct column *columns, const json_t *row);

// Which members of a document are tables. Ends with a key of NULL.
struct sheet {
    const char *key;
    const struct column *columns;
};

// Prints the document, and returns true, if the user asked for JSON or CSV. As CSV its sheets come
// one after the other, an empty line between, each with a line of keys.
bool document_for_programs(const json_t *document, const struct sheet *sheets);
// The same; for people the sheets come as tables. Frees the document.
void document_show(json_t *document, const struct sheet *sheets);
// A document without tables: JSON if the user asked for it, else what `people` prints of it (NULL:
// nothing). Frees the document.
void document_tell(json_t *document, void (*people)(const json_t *document));

// Rows that are printed as they come: `key` names them in JSON.
void rows_begin(const char *key, const struct column *columns);
void rows_add(const struct column *columns, json_t *row); // frees it
void rows_end(json_t *rest); // the document's other members, for JSON only; frees them

#endif

// SPDX-License-Identifier: MIT
// Tables of calls that POSIX has an answer for. They are compiled for the machine and for the host:
// both are to give that answer.
#ifndef ROWS_H
#define ROWS_H

#include <stdbool.h>

#define ROW_TEXT_BYTES 200
#define ROW_ANY (-1000L)

// The name of the function behind a row, by its line.
#define ROW_NAME(line) row_##line
#define ROW_CALL(line) ROW_NAME(line)

struct row {
    const char *text; // the call
    long (*call)(void);
    long value; // what it returns; ROW_ANY: any, if it is not negative
    int error;  // errno with -1; 0: it succeeds
};

extern const struct row error_rows[], value_rows[];
extern const unsigned error_row_count, value_row_count;

// Make in the working directory what the rows use. It is empty before.
void rows_prepare(void); // errors.c; calls the next
void values_prepare(void);
long headers_hold(void); // headers.c
// Makes the call. Writes into why what came, for the case that it is something else.
bool row_holds(const struct row *row, char why[ROW_TEXT_BYTES]);

#endif

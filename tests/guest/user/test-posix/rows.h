// SPDX-License-Identifier: MIT
// Tables of calls that POSIX has an answer for. They are compiled for the machine and for the host:
// both are to give that answer.
#ifndef ROWS_H
#define ROWS_H

#include <stdbool.h>
#include <stddef.h>

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

// patterns.c
void patterns_prepare(void); // makes files in names/
// Where the group has been found, 100 times its begin and its end; -1: nothing, -4: not the group.
long matched(const char *pattern, int how, const char *text, int group);
long matched_inside(const char *pattern, const char *text, int how); // what regexec says
long compiled(const char *pattern, int how);                         // what regcomp says
long groups_of(const char *pattern);
long explained(int error);                                     // whether regerror does
long globbed(const char *pattern, int how, const char *names); // 1: these; or its error
long globbed_twice(void);

// characters.c
void characters_prepare(void);
long wide(const char *text, size_t bytes); // -1: none, -2: a part
long wide_in_parts(const char *text);
long halves(const char *text);
long narrow(unsigned character, const char *text); // 1: it is that; -1: none
long narrow_halves(unsigned short first, unsigned short second, const char *text);

// numbers.c
long printed(const char *expected, const char *format, ...);
long number_of(const char *text, int base, long rest); // -1: what is left begins elsewhere
long real_of(const char *text, double expected, long rest);
long characters_of(const char *text, const char *format, const char *expected);
long is_nan(double value);
double unknown(double value); // the same, which the compiler cannot know

// commands.c: exit statuses
long ran(const char *command);
long said(const char *command, const char *text);
long told(const char *command, const char *text);
long popened(const char *how);
long streams_differ(void);

// Makes the call. Writes into why what came, for the case that it is something else.
bool row_holds(const struct row *row, char why[ROW_TEXT_BYTES]);

#endif

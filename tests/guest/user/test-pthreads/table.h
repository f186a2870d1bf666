// SPDX-License-Identifier: MIT
// A table of calls that is compiled for the machine and for the host: both are to give its answers.
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>

#define TABLE_TEXT_BYTES 200

struct call {
    const char *text;
    long (*call)(void);
    long value; // what it returns
};
extern const struct call table_calls[];
extern const unsigned table_count;

void table_prepare(void);
// Makes the call. Writes into why what came, for the case that it is something else.
bool table_holds(const struct call *row, char why[TABLE_TEXT_BYTES]);

#endif

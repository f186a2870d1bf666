// SPDX-License-Identifier: MIT
// Lines for people. On a terminal those that are longer than it is wide are broken between words;
// tables leave out columns before that (output/columns.h). Names from outside may hold anything:
// what would act on a terminal in them is escaped, into files and pipes too, where somebody looks
// at it later. JSON and CSV have values as they are.
#ifndef KOV_LINES_H
#define KOV_LINES_H

#include <stdbool.h>

#define LINES_ANY_WIDTH 0

// Begins to break the lines of stdout and stderr, each if it is a terminal, and to escape on
// stdout. Before the first line. With --wide, --json or --csv lines are not broken.
void lines_begin(void);

// Writes out what was printed until here, and passes the rest of stdout as it is (on), for what a
// program of the machine prints and for formats of other programs, or no longer. Returns what was
// before.
bool lines_as_they_are(bool on);

// Clears the screen if stdout is a terminal.
void lines_clear_screen(void);

// Returns how many characters a line of stdout has room for, or LINES_ANY_WIDTH. A terminal may
// change its size at any time.
int lines_width(void);
// The same of stderr.
int lines_message_width(void);

#endif

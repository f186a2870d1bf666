// SPDX-License-Identifier: MIT
// Shared by the small commands: usage and error messages.
#ifndef COMMANDS_COMMON_H
#define COMMANDS_COMMON_H

#include <orrery/types.h>

// Comes first in main. usage: "NAME …
// what it does", printed for --help (then the program ends).
void command_begin(int argc, char **argv, const char *usage);
// Prints the usage to standard error. Returns the exit status 2 for wrong arguments.
int command_usage(void);
// Prints "NAME: what: why" by errno. Returns the exit status 1.
int complain(const char *what);
// Does the same with a text, or for an error of orrery/errors.h.
int complain_text(const char *what, const char *why);
int complain_error(const char *what, s64 error);
// Parses a whole number from 0 to limit. Returns false if it is none.
bool parse_number(const char *text, u64 limit, u64 *number);
// Copies all bytes of one descriptor to another. Returns 0, or 1 after it has reported an error
// with that name.
int copy_bytes(int from, int to, const char *name);
// Calls function on each file that the arguments from first on name ("-": standard input), or on
// standard input if there are none. Returns 1 if a file could not be opened or a call did not
// return 0.
int each_file(int argc, char **argv, int first, int (*function)(int file, const char *name));

// Makes /data outlive the machine as it is now. Returns false if it could not be saved (errno).
bool sync_files(void);

#endif

// SPDX-License-Identifier: MIT
// What the small commands share: their usage, their complaints.
#ifndef COMMANDS_COMMON_H
#define COMMANDS_COMMON_H

#include <orrery/types.h>

// First thing in main. usage: "NAME …\nwhat it does", printed for --help (then the program ends).
void command_begin(int argc, char **argv, const char *usage);
// Wrong arguments: the usage goes to standard error. The exit status to return: 2.
int command_usage(void);
// "NAME: what: why" by errno. The exit status to return: 1.
int complain(const char *what);
// The same with a text, or for an error of orrery/errors.h.
int complain_text(const char *what, const char *why);
int complain_error(const char *what, s64 error);
// A whole number from 0 to limit; false: it is none.
bool parse_number(const char *text, u64 limit, u64 *number);
// All bytes of one descriptor to another. 0, or 1 (told, with that name).
int copy_bytes(int from, int to, const char *name);
// Calls function on each file that the arguments from first on name ("-": standard input), or on
// standard input when there are none. 1 if any could not be opened or any call returned not 0.
int each_file(int argc, char **argv, int first, int (*function)(int file, const char *name));

// What lies in /data outlives the machine from now on. False: it could not be saved (errno).
bool sync_files(void);

#endif

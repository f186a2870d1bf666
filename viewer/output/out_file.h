// SPDX-License-Identifier: MIT
// Where a command writes in the format of another tool: a file that the user names with --output,
// or stdout. `path` is the file's; NULL stands for stdout.
#ifndef KOV_OUT_FILE_H
#define KOV_OUT_FILE_H

#include <stdio.h>

// Refuses --json without --output: stdout cannot hold both what is written and JSON about it.
int out_file_check(const char *path);

int out_file_open(const char *path, FILE **out);
// Closes the file, also if writing has failed with `code`. Returns `code`, or KOV_FAILED if not all
// could be written.
int out_file_close(const char *path, FILE *out, int code);

#endif

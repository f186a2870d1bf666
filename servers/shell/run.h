// SPDX-License-Identifier: MIT
// Carrying out what has been parsed.
#ifndef SHELL_RUN_H
#define SHELL_RUN_H

#include "parse.h"

// $? when a command could not be run.
#define STATUS_ERROR 1
#define STATUS_SYNTAX 2
#define STATUS_NOT_RUN 126
#define STATUS_NOT_FOUND 127

struct shell {
    int argument_count;     // $#; $0 is not counted
    char *const *arguments; // $0 …
    int status;             // $?
    u32 last_pid;           // $!: of the latest in the background
    bool exiting;           // `exit` was called: with status
    bool interactive;
};

extern struct shell shell;

// Parses and runs text. False: it is only a beginning (nothing was run). Errors are told,
// and set $?.
bool run_text(const char *text);
// The same for text that is whole: a beginning is an error.
void run_whole_text(const char *text);
// Whole file: 0, or -1 when it could not be read (told).
int run_file(const char *path);

#endif

// SPDX-License-Identifier: MIT
// Runs commands. The shell's main thread calls what is declared here.
#ifndef SHELL_RUN_H
#define SHELL_RUN_H

#include "parse.h"

// Values of $? for a command that could not be run.
#define STATUS_ERROR 1
#define STATUS_SYNTAX 2
#define STATUS_NOT_RUN 126
#define STATUS_NOT_FOUND 127

struct shell {
    int argument_count;     // $#; $0 is not counted
    char *const *arguments; // $0 …
    int status;             // $?
    u32 last_pid;           // $!: the last process of the latest background job
    bool exiting;           // `exit` was called
    bool interactive;
};

extern struct shell shell;

// Parses and runs text. Returns false if the text is incomplete: then nothing was run. Errors are
// printed, and set $?.
bool run_text(const char *text);
// Does as run_text, but incomplete text is an error.
void run_whole_text(const char *text);
// Runs a whole file. Returns 0, or -1 if it could not be read, after printing the error.
int run_file(const char *path);

#endif

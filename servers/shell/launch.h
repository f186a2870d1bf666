// SPDX-License-Identifier: MIT
// One command of a pipeline on its way: its words, and the files that it is to have.
// All of this: the shell's main thread.
#ifndef SHELL_LAUNCH_H
#define SHELL_LAUNCH_H

#include "expand.h"
#include "parse.h"

#define NO_FILE (-1)

struct launch {
    struct arena *arena;
    const struct command *command;
    struct fields fields;
    int files[3];   // to be the process's 0, 1, 2
    bool opened[3]; // by us: to be closed
};

// No words yet, and the shell's own files. The arena is for what is expanded.
void launch_begin(struct launch *launch, struct arena *arena, const struct command *command);
// Descriptor `which` (0…2) is to be `file`; what it was is closed if it was opened.
// opened: to be closed in the end.
void launch_use_file(struct launch *launch, int which, int file, bool opened);
// Closes what was opened.
void launch_close(struct launch *launch);

// Appends the command's words, expanded, to fields. Errors as expand_word.
s64 launch_expand(struct launch *launch);
// One word as one text. NULL as expand_text.
char *launch_expand_one(struct launch *launch, const char *word);
// Words and files: 0, or an exit status (the error is told).
int launch_prepare(struct launch *launch);
// Carries out the assignments, of a command that has no other words: 0, or an exit status.
int launch_assign(struct launch *launch);

#endif

// SPDX-License-Identifier: MIT
// Launch of one command of a pipeline: its words, and the files that it gets. The shell's main
// thread calls what is declared here.
#ifndef SHELL_LAUNCH_H
#define SHELL_LAUNCH_H

#include "expand.h"
#include "parse.h"

struct job;

#define NO_FILE (-1)

struct launch {
    struct arena *arena;
    const struct command *command;
    struct fields fields;
    int files[3];   // descriptors that become the command's 0, 1, 2
    bool opened[3]; // opened by the launch, which closes them
};

// Begins without words, and with the shell's own files. Expanded words are put into the arena.
void launch_begin(struct launch *launch, struct arena *arena, const struct command *command);
// Makes `file` the command's descriptor `which` (0…2). Closes the one before if the launch opened
// it. opened: launch_close closes the file.
void launch_use_file(struct launch *launch, int which, int file, bool opened);
// Closes the files that the launch opened.
void launch_close(struct launch *launch);

// Expands the command's words and appends them to fields. Returns 0 or an error of expand_word.
s64 launch_expand(struct launch *launch);
// Expands one word to one text. Returns NULL as expand_text does.
char *launch_expand_one(struct launch *launch, const char *word);
// Expands the words and opens the files. Returns 0, or an exit status after an error, which is
// printed.
int launch_prepare(struct launch *launch);
// Carries out the assignments of a command that has no other words. Returns 0 or an exit status.
int launch_assign(struct launch *launch);
// Starts a prepared command as a process of a job (program.c). Returns 0, or an exit status after
// an error, which is printed.
int program_start(struct launch *launch, struct job *job);

#endif

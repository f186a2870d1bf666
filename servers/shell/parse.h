// SPDX-License-Identifier: MIT
// The parser: turns a command line into a list of pipelines. Words keep their quotes until the
// command runs, when they are expanded (expand.h). Any thread.
//
//   list     = pipeline { (";" | "&" | "&&" | "||" | newline) pipeline }
//   pipeline = command { "|" command }
//   command  = { NAME=word } { word | redirection }
//   redirection = ("<" | ">" | ">>" | "2>" | "2>>") word | "2>&1"
#ifndef SHELL_PARSE_H
#define SHELL_PARSE_H

#include "arena.h"

#define COMMANDS_MAX 16 // in a pipeline
#define WORDS_MAX 256   // of a command
#define LINE_MAX_BYTES 4096

enum redirect_kind { REDIRECT_IN, REDIRECT_OUT, REDIRECT_APPEND, REDIRECT_SAME };

struct redirect {
    enum redirect_kind kind;
    int file;         // the descriptor that is redirected: 0, 1, 2
    const char *word; // the file; NULL for REDIRECT_SAME, which copies descriptor 1
    struct redirect *next;
};

struct command {
    const char **words; // first the leading NAME=… words, which are assignments
    u32 word_count;
    u32 assignment_count;
    struct redirect *redirects; // in the order of the text
};

enum pipeline_when { WHEN_ALWAYS, WHEN_SUCCEEDED, WHEN_FAILED }; // by the pipeline before

struct pipeline {
    struct command commands[COMMANDS_MAX];
    u32 count;
    enum pipeline_when when;
    bool background;
    const char *text; // as it was typed, for job notices
    struct pipeline *next;
};

// Parses text. Sets *list, to NULL for an empty line and on error. Returns 0, E_AGAIN if the text
// is incomplete (an open quote, nothing after "|"), E_PROTO or E_LIMIT with a *message, or E_NOMEM.
s64 parse(struct arena *arena, const char *text, struct pipeline **list, const char **message);

// Returns true if the first length bytes of text are a name: letters, digits and _, no digit first.
bool is_name(const char *text, u64 length);

#endif

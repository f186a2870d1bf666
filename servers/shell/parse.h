// SPDX-License-Identifier: MIT
// A command line as a list of pipelines. Words keep their quotes: they are expanded when a command
// runs (expand.h).
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
    int file;         // the descriptor that goes elsewhere: 0, 1, 2
    const char *word; // NULL for REDIRECT_SAME: where descriptor 1 goes
    struct redirect *next;
};

struct command {
    const char **words; // assignments first, as far as they look like some
    u32 word_count;
    u32 assignment_count;
    struct redirect *redirects; // in order
};

enum pipeline_when { WHEN_ALWAYS, WHEN_SUCCEEDED, WHEN_FAILED }; // what came before

struct pipeline {
    struct command commands[COMMANDS_MAX];
    u32 count;
    enum pipeline_when when;
    bool background;
    const char *text; // as it was typed, for job notices
    struct pipeline *next;
};

// Parses text. *list is NULL for an empty line. 0; E_AGAIN when the text is only the beginning of
// something (an open quote, nothing after "|"); E_PROTO with *message; E_NOMEM; E_LIMIT with
// *message.
s64 parse(struct arena *arena, const char *text, struct pipeline **list, const char **message);

// Is text (of at least length bytes) a name? Letters, digits and _, no digit first.
bool is_name(const char *text, u64 length);

#endif

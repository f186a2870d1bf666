// SPDX-License-Identifier: MIT
// Expansion of a word: quotes are taken off, $NAME, ${NAME} and $? and their like replaced. Outside
// of quotes a replaced text is split at blanks; a word that becomes nothing at all disappears.
#ifndef SHELL_EXPAND_H
#define SHELL_EXPAND_H

#include "arena.h"

#define FIELDS_MAX 512 // words of a command after expansion

// Text of a variable or special parameter ("?", "$", "!", "#", "0"…"9"), NULL when it is not set.
typedef const char *variable_lookup(void *context, const char *name);

struct expander {
    struct arena *arena;
    variable_lookup *lookup;
    void *context;
};

struct fields {
    char *words[FIELDS_MAX + 1]; // ends with NULL
    u32 count;
};

// Appends what word becomes. 0, E_NOMEM, E_LIMIT, E_PROTO (a bad ${…}).
s64 expand_word(const struct expander *expander, const char *word, struct fields *fields);
// Without splitting: one text. NULL: out of memory or a bad ${…}.
char *expand_text(const struct expander *expander, const char *word);

#endif

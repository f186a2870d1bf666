// SPDX-License-Identifier: MIT
// Expansion of a word. Quotes are removed. $NAME, ${NAME} and special parameters like $? are
// replaced by their values. Outside quotes a value is split at blanks. A word that expands to
// nothing disappears.
#ifndef SHELL_EXPAND_H
#define SHELL_EXPAND_H

#include "arena.h"

#define FIELDS_MAX 512 // words of a command after expansion

// Returns the text of a variable or a special parameter ("?", "$", "!", "#", "0"…"9"), or NULL if
// it is not set.
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

// Appends the fields that a word expands to. Returns 0, E_NOMEM, E_LIMIT (more than FIELDS_MAX
// fields), or E_PROTO (a bad ${…}).
s64 expand_word(const struct expander *expander, const char *word, struct fields *fields);
// Expands a word to one text, without splitting. Returns NULL if there is no memory, or for a bad
// ${…}.
char *expand_text(const struct expander *expander, const char *word);

#endif

// SPDX-License-Identifier: MIT
// Command-line options from tables: the same table parses, checks ranges, and prints the help.
#ifndef KOV_OPTIONS_H
#define KOV_OPTIONS_H

#include "tools/kov.h"

enum option_kind {
    OPTION_FLAG,     // bool *
    OPTION_TEXT,     // const char **
    OPTION_TEXTS,    // struct texts *: may be given several times
    OPTION_NUMBER,   // u64 *, within minimum…maximum
    OPTION_OPTIONAL, // as OPTION_NUMBER; without a number the target stays as it is
    OPTION_BYTES,    // u64 *, within minimum…maximum; K and M may follow the number
    OPTION_SECONDS   // double *, within minimum…maximum
};

#define TEXTS_MAX 16
struct texts {
    const char *texts[TEXTS_MAX]; // in the order of the command line
    u32 count;
};

struct option {
    char letter; // 0: none
    const char *name;
    enum option_kind kind;
    void *target;
    const char *argument; // its name in the help, NULL for a flag
    const char *help;
    u64 minimum, maximum;
    const char *values; // words that the option takes, for completion; NULL: any
};

// Rows of a table.
#define FLAG(letter, name, target, help)                                                           \
    {                                                                                              \
        letter, name, OPTION_FLAG, target, NULL, help, 0, 0, NULL                                  \
    }
#define TEXT(letter, name, target, argument, help)                                                 \
    {                                                                                              \
        letter, name, OPTION_TEXT, target, argument, help, 0, 0, NULL                              \
    }
#define CHOICE(letter, name, target, argument, values, help)                                       \
    {                                                                                              \
        letter, name, OPTION_TEXT, target, argument, help, 0, 0, values                            \
    }
#define LIST(letter, name, target, argument, help)                                                 \
    {                                                                                              \
        letter, name, OPTION_TEXTS, target, argument, help, 0, 0, NULL                             \
    }
#define NUMBER(letter, name, target, minimum, maximum, argument, help)                             \
    {                                                                                              \
        letter, name, OPTION_NUMBER, target, argument, help, minimum, maximum, NULL                \
    }
#define OPTIONAL(letter, name, target, minimum, maximum, argument, help)                           \
    {                                                                                              \
        letter, name, OPTION_OPTIONAL, target, argument, help, minimum, maximum, NULL              \
    }
#define BYTES(letter, name, target, minimum, maximum, help)                                        \
    {                                                                                              \
        letter, name, OPTION_BYTES, target, "SIZE", help, minimum, maximum, NULL                   \
    }
#define SECONDS(letter, name, target, maximum, help)                                               \
    {                                                                                              \
        letter, name, OPTION_SECONDS, target, "SECONDS", help, 0, maximum, NULL                    \
    }
#define OPTIONS_END                                                                                \
    {                                                                                              \
        0, NULL, OPTION_FLAG, NULL, NULL, NULL, 0, 0, NULL                                         \
    }

extern const struct option global_options[];

// Takes options and plain arguments from argv[0 … argc-1] in any order, up to "--". The options are
// the global ones and those of the tables, which end with a NULL. `result->values` and
// `result->workload` point into argv, whose order changes. Returns KOV_OK or KOV_USAGE.
int options_parse(const struct option *const *tables, int argc, char **argv,
                  struct arguments *result);

// Takes options of a table with one row, and no global ones, up to the first argument that is no
// option. *used is how many arguments it took.
int options_parse_leading(const struct option *table, int argc, char **argv, int *used);

// Takes global options only, up to the first argument that is none. *used is how many arguments it
// took.
int options_parse_global(int argc, char **argv, int *used);

void options_print(FILE *out, const struct option *table);

#endif

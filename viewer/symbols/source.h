// SPDX-License-Identifier: MIT
// Lines of source files, found by the names that debug information has for them.
#ifndef KOV_SOURCE_H
#define KOV_SOURCE_H

#include <orrery/types.h>

struct source {
    char *file; // as asked for
    char *path; // that was read; NULL: not found
    char **lines;
    u32 count;
    s64 changed; // seconds since 1970
    bool told;   // for the caller: what is wrong with it has been said
    struct source *next;
};

// Files that were asked for. All zero at first.
struct sources {
    struct source *first;
};

// The file at its own path or, when it is not there, the one in `folder` (or a folder in it) that
// has most of the end of its path. Never NULL; kept until sources_close.
struct source *source_find(struct sources *sources, const char *file, const char *folder);
// Printable, tabs as blanks, from 1; NULL when there is none.
const char *source_line(const struct source *source, u32 line);
void sources_close(struct sources *sources);

#endif

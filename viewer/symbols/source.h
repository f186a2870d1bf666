// SPDX-License-Identifier: MIT
// Lines of source files. Debug information has the files' names.
#ifndef KOV_SOURCE_H
#define KOV_SOURCE_H

#include <orrery/types.h>

struct source {
    char *file; // as asked for
    char *path; // of the file that was read; NULL: not found
    char **lines;
    u32 count;
    s64 changed; // seconds since 1970
    bool told;   // for the caller: it has told what is wrong with the file
    struct source *next;
};

// The files that were asked for. All zero at first.
struct sources {
    struct source *first;
};

// Returns the file at its own path. If it is not there, returns the file in `folder` (or a folder
// in it) that shares most of the end of its path. Never NULL; kept until sources_close.
struct source *source_find(struct sources *sources, const char *file, const char *folder);
// Returns a line, counted from 1, as UTF-8, with blanks for tabs. NULL when there is none.
const char *source_line(const struct source *source, u32 line);
void sources_close(struct sources *sources);

#endif

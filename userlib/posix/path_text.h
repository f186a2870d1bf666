// SPDX-License-Identifier: MIT
// Paths as texts.
#ifndef PATH_TEXT_H
#define PATH_TEXT_H

#include <orrery/types.h>

#define PATH_BYTES 1024 // of a path with its NUL (FS_PATH_MAX + 1)

// Makes the absolute path that `path` names from the absolute directory `from`: without ".", "..",
// doubled or trailing "/". Returns false if `path` is empty, or the result is longer than
// PATH_BYTES.
bool path_absolute(const char *from, const char *path, char out[PATH_BYTES]);

// Is path what path_absolute makes of it? May say no for one that is: then path_absolute has to
// look.
bool path_is_normal(const char *path);

// Returns the rest of path, from a "/" on, if it lies at or below point ("/proc"; both absolute and
// normal): "/" if it is point itself. Otherwise NULL.
const char *path_below(const char *path, const char *point);

#endif

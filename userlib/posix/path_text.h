// SPDX-License-Identifier: MIT
// Paths as texts.
#ifndef PATH_TEXT_H
#define PATH_TEXT_H

#include <orrery/types.h>

#define PATH_BYTES 1024 // of a path with its NUL (FS_PATH_MAX + 1)

// The absolute path that `path` names from the absolute directory `from`: without ".",
// "..", doubled or trailing "/".
// False: it is empty, or longer than PATH_BYTES.
bool path_absolute(const char *from, const char *path, char out[PATH_BYTES]);

// Whether path is what path_absolute makes of it. May say no to one that is: then that has to look.
bool path_is_normal(const char *path);

// Whether path lies at or below point ("/proc"; both absolute and normal): then the rest of it,
// from a "/" on ("/" when it is point itself), else NULL.
const char *path_below(const char *path, const char *point);

#endif

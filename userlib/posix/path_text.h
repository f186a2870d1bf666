// SPDX-License-Identifier: MIT
// Paths as texts.
#ifndef PATH_TEXT_H
#define PATH_TEXT_H

#include <orrery/types.h>

#define PATH_BYTES 1024 // of a path with its NUL (FS_PATH_MAX + 1)
#define NAME_BYTES 255  // of the longest name in it (FS_NAME_MAX)

// Makes the absolute path that `path` names from the absolute directory `from`: without ".", "..",
// doubled or trailing "/". Returns false if `path` is empty, or the result is longer than
// PATH_BYTES.
bool path_absolute(const char *from, const char *path, char out[PATH_BYTES]);

// Is path what path_absolute makes of it? May say no for one that is: then path_absolute has to
// look.
bool path_is_normal(const char *path);

// Finds the next name in path, from *at on, that must be a directory because of what stands behind
// it: "..", or "/" or "." at the end. Returns the bytes of the path up to the name's end, and moves
// *at on. Returns 0 if there is none.
u64 path_next_directory(const char *path, u64 *at);

// Is one of its names longer than NAME_BYTES?
bool path_has_long_name(const char *path);

// Is path's last name this one, whether there are slashes behind it or not?
bool path_ends_with(const char *path, const char *name);

// Returns the rest of path, from a "/" on, if it lies at or below point ("/proc"; both absolute and
// normal): "/" if it is point itself. Otherwise NULL.
const char *path_below(const char *path, const char *point);

#endif

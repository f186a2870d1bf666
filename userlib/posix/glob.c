// SPDX-License-Identifier: MIT
// POSIX's glob by newlib's, which is older: there no name that matches is a success, and "\" takes
// meanings away when one asks for it.
#include <glob.h>

int newlib_glob(const char *restrict pattern, int flags, int (*on_error)(const char *, int),
                glob_t *restrict found);

int glob(const char *restrict pattern, int flags, int (*on_error)(const char *, int),
         glob_t *restrict found)
{
    int before = (flags & GLOB_APPEND) != 0 ? found->gl_pathc : 0;
    int escapes = (flags & GLOB_NOESCAPE) != 0 ? 0 : GLOB_QUOTE;
    int result = newlib_glob(pattern, (flags & ~GLOB_NOESCAPE) | escapes, on_error, found);
    return result == 0 && found->gl_pathc == before ? GLOB_NOMATCH : result;
}

// SPDX-License-Identifier: MIT
// newlib's <glob.h> with what POSIX has beyond it.
#include_next <glob.h>

#ifndef GLOB_NOMATCH
#define GLOB_NOMATCH (-3)
#define GLOB_NOESCAPE 0x10000 // "\" is an ordinary character
#define GLOB_ABORTED GLOB_ABEND
#endif

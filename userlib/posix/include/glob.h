// SPDX-License-Identifier: MIT
// newlib's <glob.h> with what POSIX has beyond it.
#include_next <glob.h>

#ifndef GLOB_NOESCAPE
#define GLOB_NOESCAPE 0x10000 // "\" is an ordinary character
#endif
#ifndef GLOB_ABORTED
#define GLOB_ABORTED GLOB_ABEND
#endif
#ifndef GLOB_NOMATCH // newlib 3.3
#define GLOB_NOMATCH (-3)
#endif

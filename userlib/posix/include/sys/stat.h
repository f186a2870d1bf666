// SPDX-License-Identifier: MIT
// newlib's <sys/stat.h> with what it has on other systems only.
#include_next <sys/stat.h>

#ifndef _POSIX_SYS_STAT_H
#define _POSIX_SYS_STAT_H

int lstat(const char *__restrict path, struct stat *__restrict info); // there are no links: stat

#endif

// SPDX-License-Identifier: MIT
// newlib's, with the function that it does not declare.
#ifndef POSIX_UTIME_H
#define POSIX_UTIME_H

#include_next <utime.h>

int utime(const char *path, const struct utimbuf *times);

#endif

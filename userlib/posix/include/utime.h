// SPDX-License-Identifier: MIT
// newlib's <utime.h>, which needs these types first, with its call.
#include <sys/types.h>
#include_next <utime.h>

#ifndef _POSIX_UTIME_H
#define _POSIX_UTIME_H

int utime(const char *path, const struct utimbuf *times);

#endif

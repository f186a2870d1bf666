// SPDX-License-Identifier: MIT
// The console as a kind of open file.
#ifndef POSIX_CONSOLE_H
#define POSIX_CONSOLE_H

#include <posix/fd.h>

extern const struct fd_ops console_ops;

#endif

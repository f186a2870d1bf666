// SPDX-License-Identifier: MIT
// newlib's <stdio.h> with the functions that it has under other names only.
#include_next <stdio.h>

#ifndef _POSIX_STDIO_H
#define _POSIX_STDIO_H

ssize_t getline(char **__restrict line, size_t *__restrict bytes, FILE *__restrict file);
ssize_t getdelim(char **__restrict line, size_t *__restrict bytes, int end, FILE *__restrict file);

#endif

// SPDX-License-Identifier: MIT
// getline and getdelim under their names of today.
#include <errno.h>
#include <stdio.h>

ssize_t getdelim(char **restrict line, size_t *restrict bytes, int end, FILE *restrict file)
{
    if (line == NULL || bytes == NULL) {
        errno = EINVAL;
        return -1;
    }
    return __getdelim(line, bytes, end, file);
}

ssize_t getline(char **restrict line, size_t *restrict bytes, FILE *restrict file)
{
    return getdelim(line, bytes, '\n', file);
}

// SPDX-License-Identifier: MIT
// newlib 3.3's calloc does not see that its product overflows.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void *calloc(size_t count, size_t bytes)
{
    size_t all;
    if (__builtin_mul_overflow(count, bytes, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    void *memory = malloc(all);
    return memory ? memset(memory, 0, all) : NULL;
}

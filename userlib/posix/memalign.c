// SPDX-License-Identifier: MIT
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
        return EINVAL;
    void *made = memalign(alignment, bytes);
    if (made == NULL)
        return ENOMEM;
    *memory = made;
    return 0;
}

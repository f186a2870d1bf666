// SPDX-License-Identifier: MIT
// What newlib asks of the kernel: its internal allocations (wide formats, locales) use kmalloc.
#include <errno.h>
#include <kernel/memory.h>
#include <reent.h>
#include <stdlib.h>
#include <string.h>

void *_malloc_r(struct _reent *reent, size_t bytes)
{
    void *object = kmalloc(bytes);

    if (object == NULL)
        reent->_errno = ENOMEM;
    return object;
}

void *_calloc_r(struct _reent *reent, size_t count, size_t bytes)
{
    size_t total;

    if (__builtin_mul_overflow(count, bytes, &total)) {
        reent->_errno = ENOMEM;
        return NULL;
    }
    void *object = _malloc_r(reent, total);
    return object != NULL ? memset(object, 0, total) : NULL;
}

void _free_r(struct _reent *reent, void *object)
{
    (void)reent;
    kfree(object);
}

void *_realloc_r(struct _reent *reent, void *object, size_t bytes)
{
    u64 before = object != NULL ? kmalloc_usable(object) : 0;
    void *grown = _malloc_r(reent, bytes);

    if (grown == NULL)
        return NULL;
    if (object != NULL)
        memcpy(grown, object, before < bytes ? before : bytes);
    kfree(object);
    return grown;
}

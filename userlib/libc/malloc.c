// SPDX-License-Identifier: MIT
// malloc and its like: newlib's, or newlib's with checks. malloc and free stand here in place of
// newlib's, which ask a function for the thread's state. The others are what newlib itself calls.
// Each asks first whether it must fail, for tests.
#include "heap_checks.h"
#include "heap_counted.h"
#include "scheduler.h"

#include <errno.h>
#include <malloc.h>
#include <string.h>
#include <user/heap.h>
#include <user/lock.h>

#define CALLER ((u64)__builtin_return_address(0))
#define checked() __builtin_expect(heap_is_checked, 0)

void *__wrap__malloc_r(struct _reent *reent, size_t bytes);
void *__wrap__memalign_r(struct _reent *reent, size_t align, size_t bytes);
void *__wrap__calloc_r(struct _reent *reent, size_t count, size_t bytes);
void __wrap__free_r(struct _reent *reent, void *memory);
void *__wrap__realloc_r(struct _reent *reent, void *memory, size_t bytes);
size_t __wrap__malloc_usable_size_r(struct _reent *reent, void *memory);

static inline struct _reent *own(void)
{
    const struct thread *thread = mutex_caller();
    return __builtin_expect(thread != NULL, 1) ? thread->reent : _GLOBAL_REENT;
}

static void *refused(struct _reent *reent)
{
    reent->_errno = ENOMEM;
    return NULL;
}

// newlib 3.3 does not see that the product overflows.
static void *zeroed(struct _reent *reent, size_t count, size_t bytes, u64 by)
{
    size_t all;
    if (__builtin_mul_overflow(count, bytes, &all) || heap_refuses()) {
        reent->_errno = ENOMEM;
        return NULL;
    }
    void *memory = checked() ? heap_checked_new(reent, 0, all, by) : __real__malloc_r(reent, all);
    return memory ? memset(memory, 0, all) : NULL;
}

void *malloc(size_t bytes)
{
    if (heap_refuses())
        return refused(own());
    return checked() ? heap_checked_new(own(), 0, bytes, CALLER) : __real__malloc_r(own(), bytes);
}

void free(void *memory)
{
    heap_gives(memory);
    if (checked())
        heap_checked_free(own(), memory, CALLER);
    else
        __real__free_r(own(), memory);
}

void *calloc(size_t count, size_t bytes)
{
    return zeroed(own(), count, bytes, CALLER);
}

void *realloc(void *memory, size_t bytes)
{
    if (heap_refuses_more(memory))
        return refused(own());
    return checked() ? heap_checked_resize(own(), memory, bytes, CALLER)
                     : __real__realloc_r(own(), memory, bytes);
}

void *memalign(size_t align, size_t bytes)
{
    return checked() ? heap_checked_new(own(), align, bytes, CALLER)
                     : __real__memalign_r(own(), align, bytes);
}

void *__wrap__malloc_r(struct _reent *reent, size_t bytes)
{
    if (heap_refuses())
        return refused(reent);
    return checked() ? heap_checked_new(reent, 0, bytes, CALLER) : __real__malloc_r(reent, bytes);
}

void *__wrap__memalign_r(struct _reent *reent, size_t align, size_t bytes)
{
    return checked() ? heap_checked_new(reent, align, bytes, CALLER)
                     : __real__memalign_r(reent, align, bytes);
}

void *__wrap__calloc_r(struct _reent *reent, size_t count, size_t bytes)
{
    return zeroed(reent, count, bytes, CALLER);
}

void __wrap__free_r(struct _reent *reent, void *memory)
{
    heap_gives(memory);
    if (checked())
        heap_checked_free(reent, memory, CALLER);
    else
        __real__free_r(reent, memory);
}

void *__wrap__realloc_r(struct _reent *reent, void *memory, size_t bytes)
{
    if (heap_refuses_more(memory))
        return refused(reent);
    return checked() ? heap_checked_resize(reent, memory, bytes, CALLER)
                     : __real__realloc_r(reent, memory, bytes);
}

size_t __wrap__malloc_usable_size_r(struct _reent *reent, void *memory)
{
    return checked() ? heap_checked_bytes(memory, CALLER)
                     : __real__malloc_usable_size_r(reent, memory);
}

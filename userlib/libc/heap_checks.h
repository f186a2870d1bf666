// SPDX-License-Identifier: MIT
// malloc with checks, for a program that asks for them (user/heap.h). Each block has a head before
// it and a guard behind it, which are looked at when it is freed and when the process ends. A freed
// block is kept for a while, so that it is known when it is freed again or written.
#ifndef USERLIB_HEAP_CHECKS_H
#define USERLIB_HEAP_CHECKS_H

#include <orrery/types.h>
#include <reent.h>

// As malloc, memalign, free, realloc. by: the return address of the program's call.
void *heap_checked_new(struct _reent *reent, size_t align, size_t bytes, u64 by);
void heap_checked_free(struct _reent *reent, void *memory, u64 by);
void *heap_checked_resize(struct _reent *reent, void *memory, size_t bytes, u64 by);
// Returns the bytes that may be used.
size_t heap_checked_bytes(const void *memory, u64 by);

// newlib's, which the linker calls so (--wrap in scripts/make/user.mk).
void *__real__malloc_r(struct _reent *reent, size_t bytes);
void *__real__memalign_r(struct _reent *reent, size_t align, size_t bytes);
void __real__free_r(struct _reent *reent, void *memory);
void *__real__realloc_r(struct _reent *reent, void *memory, size_t bytes);
size_t __real__malloc_usable_size_r(struct _reent *reent, void *memory);

#endif

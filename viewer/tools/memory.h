// SPDX-License-Identifier: MIT
// Memory that is there or the program ends with a message, growable arrays, and byte buffers.
#ifndef KOV_MEMORY_H
#define KOV_MEMORY_H

#include <orrery/types.h>

// Zeroed; never NULL.
void *memory_get(size_t bytes);
char *memory_copy_text(const char *text);

// Makes room for one more element behind `count` elements of `size` bytes each; returns the array,
// which may have moved.
void *memory_grow(void *array, size_t count, size_t *capacity, size_t size);

struct bytes {
    u8 *data;
    size_t size, capacity;
};

// Makes room for `more` bytes behind the present ones and returns where they go; size is not
// changed.
u8 *bytes_reserve(struct bytes *bytes, size_t more);
void bytes_append(struct bytes *bytes, const void *data, size_t size);
void bytes_free(struct bytes *bytes);

#endif

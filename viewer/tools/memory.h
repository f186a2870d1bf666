// SPDX-License-Identifier: MIT
// Allocates memory or ends the program with a message; growable arrays; byte buffers.
#ifndef KOV_MEMORY_H
#define KOV_MEMORY_H

#include <orrery/types.h>
#include <stdio.h>

// Returns zeroed memory, never NULL.
void *memory_get(size_t bytes);
char *memory_copy_text(const char *text);
// Begins a stream whose end, fclose, leaves its text and size in these. The caller frees the text.
FILE *memory_stream(char **text, size_t *size);

// Makes room for one more element after `count` elements of `size` bytes each. Returns the array,
// which may have moved.
void *memory_grow(void *array, size_t count, size_t *capacity, size_t size);

struct bytes {
    u8 *data;
    size_t size, capacity;
};

// Makes room for `more` bytes after the present ones. Returns where they go. It does not change
// size.
u8 *bytes_reserve(struct bytes *bytes, size_t more);
void bytes_append(struct bytes *bytes, const void *data, size_t size);
void bytes_free(struct bytes *bytes);

#endif

// SPDX-License-Identifier: MIT
// Allocates memory or ends the program with a message; growable arrays; byte buffers.
#include "tools/memory.h"
#include "tools/kov.h"

#include <stdlib.h>
#include <string.h>

static void *checked(void *memory)
{
    if (memory == NULL)
        exit(fail(KOV_FAILED, "out of memory"));
    return memory;
}

void *memory_get(size_t bytes)
{
    return checked(calloc(1, bytes == 0 ? 1 : bytes));
}

char *memory_copy_text(const char *text)
{
    return checked(strdup(text));
}

FILE *memory_stream(char **text, size_t *size)
{
    return checked(open_memstream(text, size));
}

void *memory_grow(void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    *capacity = *capacity == 0 ? 16 : *capacity * 2;
    return checked(reallocarray(array, *capacity, size));
}

u8 *bytes_reserve(struct bytes *bytes, size_t more)
{
    if (more > SIZE_MAX / 2 - bytes->size)
        exit(fail(KOV_FAILED, "out of memory"));
    if (bytes->size + more > bytes->capacity) {
        size_t capacity = bytes->capacity * 2;
        if (capacity < bytes->size + more)
            capacity = bytes->size + more;
        bytes->data = checked(realloc(bytes->data, capacity));
        bytes->capacity = capacity;
    }
    return bytes->data == NULL ? checked(bytes->data = malloc(1)) : bytes->data + bytes->size;
}

void bytes_append(struct bytes *bytes, const void *data, size_t size)
{
    u8 *place = bytes_reserve(bytes, size);
    if (size > 0)
        memcpy(place, data, size);
    bytes->size += size;
}

void bytes_free(struct bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct bytes){0};
}

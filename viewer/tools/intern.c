// SPDX-License-Identifier: MIT
// A number for each distinct text, so that texts can be compared and counted cheaply.
#include "tools/intern.h"
#include "tools/memory.h"

#include <stdlib.h>
#include <string.h>

// Returns the FNV-1a hash of a text.
static u64 hash(const char *text)
{
    u64 value = 0xcbf29ce484222325u;
    for (; *text != '\0'; text++)
        value = (value ^ (u8)*text) * 0x100000001b3u;
    return value;
}

static u32 *find_slot(struct intern *intern, const char *text)
{
    for (size_t slot = hash(text) % intern->slot_count;; slot = (slot + 1) % intern->slot_count) {
        u32 number = intern->slots[slot];
        if (number == 0 || strcmp(intern->texts[number - 1], text) == 0)
            return &intern->slots[slot];
    }
}

u32 intern_text(struct intern *intern, const char *text)
{
    if (intern->count * 2 >= intern->slot_count) {
        free(intern->slots);
        intern->slot_count = intern->slot_count == 0 ? 256 : intern->slot_count * 2;
        intern->slots = memory_get(intern->slot_count * sizeof(*intern->slots));
        for (size_t i = 0; i < intern->count; i++)
            *find_slot(intern, intern->texts[i]) = (u32)i + 1;
    }
    u32 *slot = find_slot(intern, text);
    if (*slot == 0) {
        intern->texts =
            memory_grow(intern->texts, intern->count, &intern->capacity, sizeof(*intern->texts));
        intern->texts[intern->count++] = memory_copy_text(text);
        *slot = (u32)intern->count;
    }
    return *slot - 1;
}

void intern_free(struct intern *intern)
{
    for (size_t i = 0; i < intern->count; i++)
        free(intern->texts[i]);
    free(intern->texts);
    free(intern->slots);
    *intern = (struct intern){0};
}

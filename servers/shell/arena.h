// SPDX-License-Identifier: MIT
// Memory for one command line: allocated in pieces, freed as a whole. One thread uses an arena.
#ifndef SHELL_ARENA_H
#define SHELL_ARENA_H

#include <orrery/types.h>

struct arena {
    struct arena_block *blocks;
};

// Returns zeroed memory, aligned to 8 bytes, or NULL if there is none.
void *arena_alloc(struct arena *arena, u64 bytes);
// Copies length bytes of text and adds a NUL. Returns NULL if there is no memory.
char *arena_copy(struct arena *arena, const char *text, u64 length);
void arena_free(struct arena *arena);

#endif

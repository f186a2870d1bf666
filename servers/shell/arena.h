// SPDX-License-Identifier: MIT
// Memory for one command line: allocated piece by piece, freed at once.
#ifndef SHELL_ARENA_H
#define SHELL_ARENA_H

#include <orrery/types.h>

struct arena {
    struct arena_block *blocks;
};

void *arena_alloc(struct arena *arena, u64 bytes);                   // zeroed; NULL: out of memory
char *arena_copy(struct arena *arena, const char *text, u64 length); // with a NUL behind
void arena_free(struct arena *arena);

#endif

// SPDX-License-Identifier: MIT
// lwIP's heap, for what is being sent and what the machine sends to itself. Nearly all pieces are
// small and live shortly, so that a few are kept for the next ones; the others are malloc's. All of
// them together have a limit, as lwIP's own heap would.
#include <arch/cc.h>
#include <stdlib.h>

#define HEAP_BYTES (8UL * 1024 * 1024)
#define SMALL_BYTES 240 // headers, and a few bytes
#define KEPT_MAX 64

struct piece {
    size_t bytes;
    struct piece *next; // of those that are kept
};

static struct piece *kept;
static unsigned kept_count;
static size_t held; // bytes of all pieces, kept ones included

void *net_heap_alloc(size_t bytes)
{
    struct piece *piece = kept;

    if (bytes <= SMALL_BYTES && piece != NULL) {
        kept = piece->next;
        kept_count--;
        return piece + 1;
    }
    if (bytes < SMALL_BYTES)
        bytes = SMALL_BYTES;
    if (bytes > HEAP_BYTES - held)
        return NULL;
    piece = malloc(sizeof(*piece) + bytes);
    if (piece == NULL)
        return NULL;
    piece->bytes = bytes;
    held += bytes;
    return piece + 1;
}

void net_heap_free(void *memory)
{
    struct piece *piece = (struct piece *)memory - 1;

    if (piece->bytes == SMALL_BYTES && kept_count < KEPT_MAX) {
        piece->next = kept;
        kept = piece;
        kept_count++;
        return;
    }
    held -= piece->bytes;
    free(piece);
}

// SPDX-License-Identifier: MIT
// Blocks: what a machine's thread has encoded once, for every browser that watches it. A block does
// not change; its references are counted, from any thread.
#ifndef KOV_BLOCKS_H
#define KOV_BLOCKS_H

#include <jansson.h>
#include <orrery/types.h>
#include <stdatomic.h>

struct block {
    atomic_uint references;
    bool frame; // binary; topic and sequence in its head are filled in for each browser
    bool whole; // it replaces what its topic has said before
    size_t size;
    u8 data[];
};

// With one reference, to be filled in before it is shown to anybody.
struct block *block_new(size_t size, bool frame, bool whole);
// Takes the reference to json.
struct block *block_of_json(json_t *json);
// A text of a machine, as long as a browser takes it, up to where it is valid UTF-8. Never NULL.
json_t *block_text(const char *text);
struct block *block_keep(struct block *block);
void block_release(struct block *block); // NULL is fine

#endif

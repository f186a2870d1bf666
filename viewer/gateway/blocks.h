// SPDX-License-Identifier: MIT
// Blocks: what a machine's thread has encoded once for every browser that watches it. A block does
// not change. Any thread may count its references.
#ifndef KOV_BLOCKS_H
#define KOV_BLOCKS_H

#include <jansson.h>
#include <orrery/types.h>
#include <stdatomic.h>

struct block {
    atomic_uint references;
    bool frame; // binary; topic and sequence in its head differ for each browser
    bool whole; // it replaces what its topic said before
    size_t size;
    u8 data[];
};

// Returns a block with one reference. The caller fills it in before anybody else sees it.
struct block *block_new(size_t size, bool frame, bool whole);
// Makes a block, and takes the reference to json.
struct block *block_of_json(json_t *json);
// Returns a text of a machine. It is cut to what a browser takes, and where it stops being valid
// UTF-8. Never NULL.
json_t *block_text(const char *text);
struct block *block_keep(struct block *block);
void block_release(struct block *block); // NULL is allowed

#endif

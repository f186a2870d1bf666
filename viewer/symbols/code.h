// SPDX-License-Identifier: MIT
// The machine code of functions, from their ELF file: where a function begins and ends, and its
// instructions.
#ifndef KOV_CODE_H
#define KOV_CODE_H

#include "symbols/symbols.h"

#define CODE_INSTRUCTION_BYTES 4
#define CODE_MAX_BYTES (1u << 20) // of one function; a longer one is cut

struct code_range {
    u64 start, end; // multiples of CODE_INSTRUCTION_BYTES apart; end is the first address after it
};

// Finds the function that holds an address. Returns false if none is known, or if the file is not
// for a 64-bit PowerPC, big endian. The file does not tell the length of a function in assembly.
// Such a function ends where the next one begins.
bool code_find(struct symbols *symbols, u64 address, struct code_range *range);

// Reads the instruction at an address. Returns false if the file holds nothing there.
bool code_read(struct symbols *symbols, u64 address, u32 *word);

// Returns the addresses of the file's program, from the lowest to the first one after the highest.
struct code_range code_span(struct symbols *symbols);

#endif

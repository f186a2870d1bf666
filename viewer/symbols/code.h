// SPDX-License-Identifier: MIT
// The machine code of functions, from their ELF file: where a function begins and ends,
// and its instructions.
#ifndef KOV_CODE_H
#define KOV_CODE_H

#include "symbols/symbols.h"

#define CODE_INSTRUCTION_BYTES 4
#define CODE_MAX_BYTES (1u << 20) // of one function; what is longer is cut

struct code_range {
    u64 start, end; // multiples of CODE_INSTRUCTION_BYTES apart; end is the first address behind
};

// The function that holds an address. False: none is known, or the file is not for a 64-bit
// PowerPC, big endian.
// A function whose length the file does not tell (written in assembly) ends where
// the next one begins.
bool code_find(struct symbols *symbols, u64 address, struct code_range *range);

// Reads the instruction at an address. False: the file holds nothing there.
bool code_read(struct symbols *symbols, u64 address, u32 *word);

// The addresses that the file's program takes up, from the lowest to behind the highest.
struct code_range code_span(struct symbols *symbols);

#endif

// SPDX-License-Identifier: MIT
// Names of functions, from the table that scripts/mktables.py builds into the program.
#include "scheduler.h"

#include <orrery/lower_bound.h>

struct symbol {
    u32 offset, bytes, name; // from text_start; of the function; in symbol_names
};

extern const u64 symbol_count;
extern const struct symbol symbol_table[];
extern const char symbol_names[];
extern const u8 text_start[], text_end[];

const char *user_symbol(u64 pc, u64 *offset)
{
    if (pc < (u64)text_start || pc >= (u64)text_end)
        return NULL;
    u64 distance = pc - (u64)text_start;
    u64 above = LOWER_BOUND(at, symbol_count, symbol_table[at].offset <= distance);
    if (above == 0)
        return NULL;
    const struct symbol *symbol = &symbol_table[above - 1];
    *offset = distance - symbol->offset;
    return *offset < symbol->bytes ? symbol_names + symbol->name : NULL;
}

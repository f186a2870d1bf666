// SPDX-License-Identifier: MIT
// Function names from the table that scripts/mktables.py links into the image.
#include <kernel/symbols.h>
#include <orrery/lower_bound.h>

struct symbol {
    u32 start; // from text_start
    u32 bytes;
    u32 name; // offset in symbol_names
};

extern const u64 symbol_count;
extern const struct symbol symbol_table[]; // by start
extern const char symbol_names[];
extern const char text_start[];

// Returns the last symbol that starts at or before offset, or NULL.
static const struct symbol *last_before(u32 offset)
{
    u64 behind = LOWER_BOUND(at, symbol_count, symbol_table[at].start <= offset);

    return behind == 0 ? NULL : &symbol_table[behind - 1];
}

const char *symbol_find(u64 pc, u64 *offset)
{
    u64 from_start = pc - (u64)text_start;
    if (pc < (u64)text_start || from_start > UINT32_MAX)
        return NULL;
    const struct symbol *symbol = last_before((u32)from_start);
    if (symbol == NULL || from_start - symbol->start >= symbol->bytes)
        return NULL;
    if (offset != NULL)
        *offset = from_start - symbol->start;
    return symbol_names + symbol->name;
}

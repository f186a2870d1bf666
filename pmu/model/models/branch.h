// SPDX-License-Identifier: MIT
// Direction predictor of one CPU, like that of the 970FX: three tables with entries of one bit. The
// local one, indexed by address, holds the branch's last direction. The global one, indexed by
// address xor history, holds the last direction at this history. The selector, with the same index,
// holds which of the two was right when they last differed (0: local). All start at 0. Conditional
// branches only; targets always count as predicted. No two threads at a time.
#ifndef MODEL_BRANCH_H
#define MODEL_BRANCH_H

#include "machine.h"

// BO's at bits.
#define BRANCH_HINT_NOT_TAKEN 2U
#define BRANCH_HINT_TAKEN 3U

// Bit n of a table is bit n % 8 of byte n / 8.
struct branch_model {
    u8 *local, *global, *selector;
    u64 local_mask;   // entries - 1
    u64 global_mask;  // entries - 1, selector too
    u64 history;      // the last branches, newest in bit 0, 1: taken
    u64 history_mask; // 2^history_bits - 1
};

// Makes tables of machine->geometry's sizes. Returns NULL if out of memory.
struct branch_model *branch_model_new(const struct machine *machine);
void branch_model_free(struct branch_model *model); // NULL: nothing

static inline bool branch_table_get(const u8 *table, u64 entry)
{
    return table[entry / 8] >> entry % 8 & 1;
}

static inline void branch_table_set(u8 *table, u64 entry, bool value)
{
    table[entry / 8] = (u8)((table[entry / 8] & ~(1U << entry % 8)) | (u32)value << entry % 8);
}

// Records that a conditional branch at pc was executed. hint: BO's at bits, 0 … 3; 1 is reserved
// and no hint. A hint overrides the tables, and such a branch changes neither them nor the history.
// Returns whether it was predicted right.
static inline bool branch_model_resolve(struct branch_model *model, u64 pc, u32 hint, bool taken)
{
    if (hint == BRANCH_HINT_NOT_TAKEN || hint == BRANCH_HINT_TAKEN)
        return taken == (hint == BRANCH_HINT_TAKEN);
    u64 local_entry = pc / 4 & model->local_mask;
    u64 global_entry = (pc / 4 ^ model->history) & model->global_mask;
    bool local = branch_table_get(model->local, local_entry);
    bool global = branch_table_get(model->global, global_entry);
    model->history = (model->history << 1 | taken) & model->history_mask;
    if (local == taken && global == taken)
        return true;
    if (local != taken)
        branch_table_set(model->local, local_entry, taken);
    if (global != taken)
        branch_table_set(model->global, global_entry, taken);
    if (local == global)
        return false;
    bool by_global = branch_table_get(model->selector, global_entry);
    branch_table_set(model->selector, global_entry, global == taken);
    return (by_global ? global : local) == taken;
}

#endif

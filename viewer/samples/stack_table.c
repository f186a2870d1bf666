// SPDX-License-Identifier: MIT
// Numbers for stacks: a hash table over one array of limited size.
#include "samples/stack_table.h"
#include "tools/memory.h"

#include <stdlib.h>
#include <string.h>

static size_t slots_for(size_t limit)
{
    size_t slots = 64;
    while (slots / 4 * 3 < limit)
        slots *= 2;
    return slots;
}

size_t stack_table_bytes(size_t limit)
{
    return limit * sizeof(struct stack_place) + slots_for(limit) * sizeof(u32);
}

void stack_table_begin(struct stack_table *table, size_t limit)
{
    *table = (struct stack_table){.limit = limit, .slot_count = slots_for(limit)};
    table->places = memory_get(limit * sizeof(*table->places));
    table->slots = memory_get(table->slot_count * sizeof(*table->slots));
}

static u64 mixed(u64 hash, u64 value)
{
    hash = (hash ^ value) * 0xff51afd7ed558ccdu;
    return hash ^ hash >> 32;
}

static u64 hash_of(const struct stack_place *place)
{
    u64 hash = mixed(place->pc, (u64)place->pid << 16 | (u64)place->kind << 8 | place->kernel);
    hash = mixed(hash, place->coid);
    for (u32 i = 0; i < place->caller_count; i++)
        hash = mixed(hash, place->callers[i]);
    return hash;
}

static bool same_place(const struct stack_place *left, const struct stack_place *right)
{
    return left->pc == right->pc && left->coid == right->coid && left->pid == right->pid &&
           left->kernel == right->kernel && left->kind == right->kind &&
           left->caller_count == right->caller_count &&
           memcmp(left->callers, right->callers, left->caller_count * sizeof(u64)) == 0;
}

u32 stack_table_number(struct stack_table *table, const struct stack_place *place)
{
    size_t slot = hash_of(place) & (table->slot_count - 1);
    while (table->slots[slot] != 0 && !same_place(&table->places[table->slots[slot] - 1], place))
        slot = (slot + 1) & (table->slot_count - 1);
    if (table->slots[slot] != 0)
        return table->slots[slot];
    if (table->count == table->limit) {
        table->refused++;
        return 0;
    }
    table->places[table->count] = *place;
    return table->slots[slot] = (u32)++table->count;
}

const struct stack_place *stack_table_place(const struct stack_table *table, u64 number)
{
    return number == 0 || number > table->count ? NULL : &table->places[number - 1];
}

void stack_table_free(struct stack_table *table)
{
    free(table->places);
    free(table->slots);
    *table = (struct stack_table){0};
}

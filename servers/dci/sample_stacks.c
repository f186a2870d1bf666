// SPDX-License-Identifier: MIT
// Samples by stack: a hash table over one array of stacks, and sums by number.
#include "sample_stacks.h"

#include <dci/dci.pb.h>
#include <string.h>

_Static_assert(STACKS_MAX < UINT16_MAX, "slots have 16 bits");
_Static_assert(STACKS_SLOTS / 4 * 3 >= STACKS_MAX, "at most three of four slots are taken");

static u64 mixed(u64 hash, u64 value)
{
    hash = (hash ^ value) * 0xff51afd7ed558ccdu;
    return hash ^ hash >> 32;
}

// Fills all bytes of *stack but those of callers that there are not.
static void fill(struct stack *stack, const struct sys_sample *sample)
{
    bool kernel = (sample->flags & SYS_SAMPLE_KERNEL) != 0;
    u8 kind = sample_sums_kind(sample);
    u32 callers = sample->caller_count < SYS_CALLERS_MAX ? sample->caller_count : SYS_CALLERS_MAX;
    coid_t coid = kind == dci_SampleSumKind_SUM_OBJECT ? sample->coid : 0;
    u64 hash = mixed(sample->pc, (u64)sample->pid << 16 | (u64)kind << 8 | kernel);

    hash = mixed(hash, coid);
    for (u32 i = 0; i < callers; i++)
        hash = mixed(hash, sample->callers[i]);
    stack->hash = hash;
    stack->coid = coid;
    stack->pc = sample->pc;
    stack->pid = sample->pid;
    stack->kernel = kernel;
    stack->kind = kind;
    stack->caller_count = (u16)callers;
    memcpy(stack->callers, sample->callers, callers * sizeof(u64));
}

static bool is_same(const struct stack *left, const struct stack *right)
{
    return left->hash == right->hash && left->pc == right->pc && left->coid == right->coid &&
           left->pid == right->pid && left->kernel == right->kernel && left->kind == right->kind &&
           left->caller_count == right->caller_count &&
           memcmp(left->callers, right->callers, left->caller_count * sizeof(u64)) == 0;
}

// Returns the number of a sample's stack, a new one if need be. 0: there is no room for it.
static u32 number_of(struct sample_stacks *stacks, const struct sys_sample *sample)
{
    struct stack stack;

    fill(&stack, sample);
    u32 slot = (u32)(stack.hash % STACKS_SLOTS);
    while (stacks->slots[slot] != 0 && !is_same(&stacks->stacks[stacks->slots[slot] - 1], &stack))
        slot = (slot + 1) % STACKS_SLOTS;
    if (stacks->slots[slot] == 0 && stacks->count < STACKS_MAX) {
        stacks->stacks[stacks->count] = stack;
        stacks->slots[slot] = (u16)++stacks->count;
    }
    return stacks->slots[slot];
}

void sample_stacks_add(struct sample_stacks *stacks, u32 cpu, u32 index, u32 weight,
                       const struct sys_sample *sample)
{
    if ((sample->flags & SYS_SAMPLE_IDLE) != 0)
        return;
    sample_sums_add_stack(&stacks->sums, cpu, index, weight, number_of(stacks, sample), sample);
}

bool sample_stacks_near_full(const struct sample_stacks *stacks, u32 samples)
{
    return stacks->count + samples > STACKS_MAX || sample_sums_near_full(&stacks->sums, samples);
}

static void begin_table(struct sample_stacks *stacks)
{
    if (stacks->count == 0)
        return;
    stacks->table++;
    stacks->count = stacks->told = 0;
    memset(stacks->slots, 0, sizeof(stacks->slots));
}

void sample_stacks_pushed(struct sample_stacks *stacks)
{
    stacks->told = stacks->count;
    if (stacks->count > STACKS_MAX / 2)
        begin_table(stacks);
}

void sample_stacks_forget(struct sample_stacks *stacks)
{
    if (stacks->sums.count != 0)
        sample_sums_drop(&stacks->sums, stacks->sums.count);
    begin_table(stacks);
}

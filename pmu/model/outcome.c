// SPDX-License-Identifier: MIT
// Counts branches, store conditionals and last instructions of blocks, once their outcome is known.
#include "outcome.h"

#include "counters.h"
#include "decode.h"
#include "plan.h"

static void branch(struct vcpu *cpu, u64 pc, u64 next, u32 hint, bool user)
{
    bool taken = next != pc + 4;
    if (taken && planned(EVENT(MODEL_TAKEN)))
        count_event(cpu, MODEL_TAKEN, user, pc);
    if (planned(EVENT(MODEL_MISPREDICTED)) && !branch_model_resolve(cpu->branch, pc, hint, taken))
        count_event(cpu, MODEL_MISPREDICTED, user, pc);
}

static void complete(struct vcpu *cpu, u64 pc, u64 events, bool user)
{
    for (unsigned event = 0; event < MODEL_EVENTS; event++) {
        if (events & EVENT(event))
            count_event(cpu, event, user, pc | PC_AFTER);
    }
    if (events & EVENT(MODEL_STCX) && planned(EVENT(MODEL_STCX_FAILED)) &&
        !(guest_register(GUEST_CR) & CR0_EQ))
        count_event(cpu, MODEL_STCX_FAILED, user, pc);
}

static __attribute__((noinline)) void block_slowly(unsigned number, const void *data)
{
    struct vcpu *cpu = vcpu_enter(number);
    u64 open = cpu->board->pending[0], how = cpu->board->pending[1];
    u64 pc = open & ~3UL, next = place_pc(data);
    bool user = open & PENDING_USER;
    cpu->board->pending[0] = 0;
    if (open == 0) // a new attachment has begun
        return;
    bool interrupted = (u64)(uintptr_t)data & 1;
    if ((how & 3) == UNFINISHED) {
        if (!interrupted || guest_register(GUEST_SRR0) != pc)
            complete(cpu, pc, how >> 2, user);
        return;
    }
    // An interrupt came between the branch and its destination.
    if (interrupted && next != pc + 4 && next != (how & ~3UL))
        next = guest_register(GUEST_SRR0);
    branch(cpu, pc, next, (u32)(how & 3), user);
}

// Events that a branch's outcome may add to.
#define BRANCH_COSTS (EVENT(MODEL_TAKEN) | EVENT(MODEL_MISPREDICTED) | EVENT(MODEL_CYCLES))

// A branch without interrupt or overflow is handled without a call, as there are so many.
void outcome_block(unsigned number, void *data)
{
    struct vcpu *cpu = &unit.vcpu[number];
    struct board *board = cpu->board;
    u64 open = board->pending[0], how = board->pending[1];
    u64 pc = open & ~3UL, next = place_pc(data);
    if (!vcpu_is_current(cpu) || open == 0 || (how & 3) == UNFINISHED || (u64)(uintptr_t)data & 1 ||
        plan.overflowing & BRANCH_COSTS) {
        block_slowly(number, data);
        return;
    }
    u64 user = open >> 1 & 1;
    bool taken = next != pc + 4;
    board->pending[0] = 0;
    if (planned(EVENT(MODEL_TAKEN)))
        board->total[MODEL_TAKEN][user] += taken;
    if (planned(EVENT(MODEL_MISPREDICTED)))
        board->total[MODEL_MISPREDICTED][user] +=
            !branch_model_resolve(cpu->branch, pc, (u32)(how & 3), taken);
}

void outcome_stcx(unsigned number, void *data)
{
    struct vcpu *cpu = vcpu_enter(number);
    if (!(guest_register(GUEST_CR) & CR0_EQ))
        count_event(cpu, MODEL_STCX_FAILED, (u64)(uintptr_t)data & PENDING_USER, place_pc(data));
}

void outcome_due(unsigned number, void *data)
{
    struct vcpu *cpu = vcpu_enter(number);
    counters_update(cpu, (u64)(uintptr_t)data);
    counters_arm(cpu);
}

void outcome_return(unsigned number, void *data)
{
    (void)data;
    vcpu_enter(number);
}

// SPDX-License-Identifier: MIT
// Counters are views of a CPU's totals: nothing is added to them while events happen, only when
// somebody looks, or one overflows, or the tag changes. All functions: on the CPU's own thread.
#ifndef MODEL_COUNTERS_H
#define MODEL_COUNTERS_H

#include "plan.h"

// Of an address, as pc below: the instruction there, no branch, has changed the registers already.
#define PC_AFTER 1UL

// Brings all values up to date, and handles overflows. pc: of the instruction that has just been
// counted, and PC_AFTER or 0.
void counters_settle(struct vcpu *cpu, u64 pc);

// Sets out in the board when the next overflow of each event is due.
// After any change to the counters.
void counters_arm(struct vcpu *cpu);

// The number of events of one kind that a filter (MODEL_KERNEL, MODEL_USER) has seen.
u64 counters_seen(const struct vcpu *cpu, const struct model_program *program);

// The number of events to the first overflow, with its random bits; 0: there is none.
u64 counters_first_period(struct vcpu *cpu, const struct model_program *program);

// Overflows that adding to due may have brought. pc: of the instruction that has just been counted.
void counters_check(struct vcpu *cpu, enum model_event event, bool user, u64 number, u64 pc);

// Adds to the total of cycles what events have cost since the last time. Before that total is read,
// and before their costs change.
void counters_cost(struct vcpu *cpu);

// Counts an event and its cost in cycles, and handles the overflow that this may be. pc: of its
// instruction. From callbacks that may read registers, if there can be a precise counter of the
// event or of cycles.
static inline void count_event(struct vcpu *cpu, enum model_event event, bool user, u64 pc)
{
    u64 cost = plan.cost[event];
    cpu->board->total[event][user]++;
    if (__builtin_expect(!plan.overflowing, 1))
        return;
    if (plan.overflowing & EVENT(event))
        counters_check(cpu, event, user, 1, pc);
    if (cost && plan.overflowing & EVENT(MODEL_CYCLES))
        counters_check(cpu, MODEL_CYCLES, user, cost, pc);
}

#endif

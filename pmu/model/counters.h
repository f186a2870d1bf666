// SPDX-License-Identifier: MIT
// Counters are views of a CPU's totals. They are updated only when somebody looks, when one
// overflows, or when the tag changes, not at each event. All functions: on the CPU's own thread.
#ifndef MODEL_COUNTERS_H
#define MODEL_COUNTERS_H

#include "plan.h"

// Flag in a pc: the instruction there, which is no branch, has already changed the registers.
#define PC_AFTER 1UL

// Updates all values and handles overflows. pc: the instruction just counted, and PC_AFTER or 0.
void counters_update(struct vcpu *cpu, u64 pc);

// Stores in the board when the next overflow of each event is due. After any change to the
// counters.
void counters_arm(struct vcpu *cpu);

// Returns the number of events of one kind that a filter (MODEL_KERNEL, MODEL_USER) has seen.
u64 counters_seen(const struct vcpu *cpu, const struct model_program *program);

// Returns the number of events to the first overflow, with its random bits; 0: none.
u64 counters_first_period(struct vcpu *cpu, const struct model_program *program);

// Handles overflows that an addition to due may have caused. pc: the instruction just counted.
void counters_check(struct vcpu *cpu, enum model_event event, bool user, u64 number, u64 pc);

// Adds the cost of events since the last call to the total of cycles. Call it before that total is
// read, and before costs change.
void counters_cost(struct vcpu *cpu);

// Counts an event and its cost in cycles, and handles a resulting overflow. pc: its instruction.
// From callbacks that may read registers, if the event or cycles can have a precise counter.
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

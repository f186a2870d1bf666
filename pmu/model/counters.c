// SPDX-License-Identifier: MIT
// Values, periods and overflows.
#include "counters.h"

#include "interrupt.h"
#include "record.h"

static bool counts(const struct vcpu *cpu, const struct counter *counter)
{
    return counter->enabled && (!cpu->excluded || counter->program.flags & MODEL_TAGGED);
}

u64 counters_seen(const struct vcpu *cpu, const struct model_program *program)
{
    const u64 *total = cpu->board->total[program->event];
    u64 seen = 0;
    if (program->flags & MODEL_KERNEL)
        seen += total[0];
    if (program->flags & MODEL_USER)
        seen += total[1];
    return seen;
}

// xorshift64: a long period and few instructions suffice.
static u64 next_random(struct vcpu *cpu)
{
    cpu->random ^= cpu->random << 13;
    cpu->random ^= cpu->random >> 7;
    cpu->random ^= cpu->random << 17;
    return cpu->random;
}

static u64 next_period(struct vcpu *cpu, const struct model_program *program)
{
    if (program->random == 0)
        return program->period;
    u64 range = 1UL << program->random;
    return program->period - range / 2 + (next_random(cpu) >> 20 & (range - 1));
}

u64 counters_first_period(struct vcpu *cpu, const struct model_program *program)
{
    u64 period = next_period(cpu, program);
    return program->flags & MODEL_PHASE ? 1 + next_random(cpu) % period : period;
}

static void overflow(struct vcpu *cpu, unsigned number, u64 pc)
{
    const struct model_program *program = &cpu->counters[number].program;
    guest_write(&cpu->slot->overflow_count[number], ++cpu->counters[number].overflows);
    if (program->flags & MODEL_PRECISE)
        record_write(cpu, program, pc);
    if (program->flags & MODEL_INTERRUPT)
        cpu->overflows |= 1UL << number;
}

void counters_cost(struct vcpu *cpu)
{
    struct board *board = cpu->board;
    for (unsigned event = 0; event < MODEL_EVENTS; event++) {
        for (unsigned user = 0; user < 2; user++) {
            u64 events = board->total[event][user] - cpu->costed[event][user];
            cpu->costed[event][user] += events;
            if (event != MODEL_CYCLES)
                board->total[MODEL_CYCLES][user] += events * plan.cost[event];
        }
    }
}

void counters_update(struct vcpu *cpu, u64 pc)
{
    u64 before = cpu->overflows;
    counters_cost(cpu);
    for (unsigned i = 0; i < MODEL_COUNTERS; i++) {
        struct counter *counter = &cpu->counters[i];
        if (!counter->enabled)
            continue;
        u64 seen = counters_seen(cpu, &counter->program);
        u64 events = seen - counter->seen;
        counter->seen = seen;
        if (!counts(cpu, counter))
            continue;
        counter->value += events;
        if (counter->program.period == 0)
            continue;
        while (events >= counter->remaining) {
            events -= counter->remaining;
            counter->remaining = next_period(cpu, &counter->program);
            overflow(cpu, i, pc);
        }
        counter->remaining -= events;
    }
    // Leaves the guest's copy alone: it may be about to read what MODEL_TAKE has put there.
    if (cpu->overflows != before)
        interrupt_raise(cpu);
}

static enum filter filter_of(const struct model_program *program)
{
    switch (program->flags & (MODEL_KERNEL | MODEL_USER)) {
    case MODEL_KERNEL:
        return FILTER_KERNEL;
    case MODEL_USER:
        return FILTER_USER;
    default:
        return FILTER_BOTH;
    }
}

void counters_arm(struct vcpu *cpu)
{
    for (unsigned event = 0; event < MODEL_EVENTS; event++) {
        for (unsigned filter = 0; filter < FILTERS; filter++)
            cpu->board->due[event][filter] = 0;
    }
    for (unsigned i = 0; i < MODEL_COUNTERS; i++) {
        const struct counter *counter = &cpu->counters[i];
        if (!counts(cpu, counter) || counter->program.period == 0)
            continue;
        u64 *due = &cpu->board->due[counter->program.event][filter_of(&counter->program)];
        if (*due < DUE - counter->remaining)
            *due = DUE - counter->remaining;
    }
}

void vcpu_tagged(struct vcpu *cpu, u64 tag)
{
    bool excluded = be64toh(tag) & MODEL_TAG_EXCLUDED;
    cpu->tag = tag;
    cpu->space = be64toh(tag) & MODEL_TAG_SPACE;
    if (excluded == cpu->excluded)
        return;
    counters_update(cpu, 0);
    cpu->excluded = excluded;
    counters_arm(cpu);
}

void counters_check(struct vcpu *cpu, enum model_event event, bool user, u64 number, u64 pc)
{
    u64 *own = &cpu->board->due[event][user ? FILTER_USER : FILTER_KERNEL];
    u64 *both = &cpu->board->due[event][FILTER_BOTH];
    *own += number;
    *both += number;
    if (*own < DUE && *both < DUE)
        return;
    counters_update(cpu, pc);
    counters_arm(cpu);
}

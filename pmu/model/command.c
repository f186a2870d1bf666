// SPDX-License-Identifier: MIT
// Commands. Each checks all its arguments, then acts; the second part cannot fail.
#include "command.h"

#include <stdio.h>
#include <string.h>

#include "counters.h"
#include "interrupt.h"
#include "plan.h"

// Counted one by one, not by a model of a machine.
#define EXACT                                                                                      \
    (EVENT(MODEL_INSTRUCTIONS) | EVENT(MODEL_LARX) | EVENT(MODEL_STCX) |                           \
     EVENT(MODEL_STCX_FAILED) | EVENT(MODEL_BRANCHES) | EVENT(MODEL_TAKEN) | EVENT(MODEL_LOADS) |  \
     EVENT(MODEL_STORES))

static void fill_head(struct model_page *page)
{
    const struct machine *machine = &unit.machine;
    u64 events = 0;
    for (unsigned i = 0; i < MODEL_EVENTS; i++) {
        events |= machine->counters[i] ? EVENT(i) : 0;
        guest_write(&page->counters[i], machine->counters[i]);
    }
    guest_write(&page->version, MODEL_VERSION);
    guest_write(&page->cpus, unit.cpus);
    guest_write(&page->events, events);
    guest_write(&page->exact, events & EXACT);
    memcpy(page->machine, machine->name, sizeof(page->machine));
    const u64 *numbers = (const u64 *)&machine->geometry;
    for (size_t i = 0; i < sizeof(machine->geometry) / sizeof(u64); i++)
        guest_write((u64 *)&page->geometry + i, numbers[i]);
}

// Reports only once: a guest may try as often as it likes.
static void tell_version(u64 version)
{
    static bool told;
    if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
        fprintf(stderr, "pmu-model: refused: the guest speaks version %lu, this plugin %d\n",
                version, MODEL_VERSION);
}

static u64 attach(unsigned number, u64 address)
{
    struct model_page *page = guest_memory_at(address, MODEL_PAGE_BYTES);
    if (!page || address % MODEL_PAGE_BYTES)
        return MODEL_BAD_COMMAND;
    u64 version = guest_read(&page->version);
    if (version != MODEL_VERSION) {
        tell_version(version);
        guest_write(&page->version, MODEL_VERSION);
        guest_write(&page->cpu[number].result, MODEL_BAD_VERSION);
        return MODEL_BAD_VERSION;
    }
    for (unsigned i = 0; i < unit.cpus; i++) {
        struct model_cpu *slot = &page->cpu[i];
        guest_write(&slot->enabled, 0);
        guest_write(&slot->overflows, 0);
        guest_write(&slot->interrupts, 0);
    }
    fill_head(page);
    plan_attach(page);
    guest_publish(&page->magic, MODEL_MAGIC);
    return MODEL_OK;
}

// Another CPU may detach at the same time, and be faster.
static void detach(const struct vcpu *cpu)
{
    struct model_page *page = __atomic_load_n(&unit.page, __ATOMIC_ACQUIRE);
    guest_write(&cpu->slot->result, MODEL_OK);
    if (page)
        guest_publish(&page->magic, 0);
    plan_attach(NULL);
}

static u64 check_program(struct vcpu *cpu, const struct model_program *program)
{
    if (program->counter >= MODEL_COUNTERS)
        return MODEL_BAD_COUNTER;
    if (program->event >= MODEL_EVENTS || unit.machine.counters[program->event] == 0)
        return MODEL_BAD_EVENT;
    if (!(unit.machine.counters[program->event] >> program->counter & 1))
        return MODEL_BAD_COUNTER;
    if (program->flags & ~MODEL_FLAGS || !(program->flags & (MODEL_KERNEL | MODEL_USER)))
        return MODEL_BAD_FLAGS;
    if (program->flags & MODEL_INTERRUPT && !interrupt_possible(cpu))
        return MODEL_BAD_FLAGS;
    if (program->period == 0)
        return program->random || program->flags & MODEL_PHASE ? MODEL_BAD_PERIOD : MODEL_OK;
    if (program->period < MODEL_PERIOD_MIN || program->period > MODEL_PERIOD_MAX)
        return MODEL_BAD_PERIOD;
    if (program->random > MODEL_RANDOM_MAX || 1UL << program->random >= program->period)
        return MODEL_BAD_PERIOD;
    return MODEL_OK;
}

static void write_enabled(struct vcpu *cpu)
{
    u64 mask = 0;
    for (unsigned i = 0; i < MODEL_COUNTERS; i++)
        mask |= (u64)cpu->counters[i].enabled << i;
    guest_write(&cpu->slot->enabled, mask);
}

static u64 program(struct vcpu *cpu)
{
    const u64 *arguments = cpu->slot->arguments;
    struct model_program program = {
        .counter = guest_read(&arguments[0]),
        .event = guest_read(&arguments[1]),
        .flags = guest_read(&arguments[2]),
        .period = guest_read(&arguments[3]),
        .random = guest_read(&arguments[4]),
    };
    u64 result = check_program(cpu, &program);
    if (result != MODEL_OK)
        return result;
    counters_update(cpu, 0);
    cpu->counters[program.counter] = (struct counter){
        .program = program, .programmed = true, .remaining = counters_first_period(cpu, &program)};
    guest_write(&cpu->slot->overflow_count[program.counter], 0);
    counters_arm(cpu);
    plan_enabled(cpu);
    write_enabled(cpu);
    return MODEL_OK;
}

static bool ring_good(u64 address, u64 records)
{
    if (address == 0)
        return true;
    if (records < 8 || records > 65536 || records & (records - 1))
        return false;
    return address % sizeof(struct model_record) == 0 &&
           guest_memory_at(address, records * sizeof(struct model_record));
}

static u64 enable(struct vcpu *cpu)
{
    u64 mask = guest_read(&cpu->slot->arguments[0]);
    u64 address = guest_read(&cpu->slot->ring.address),
        records = guest_read(&cpu->slot->ring.records);
    if (mask >> MODEL_COUNTERS)
        return MODEL_BAD_COUNTER;
    for (unsigned i = 0; i < MODEL_COUNTERS; i++) {
        if (mask >> i & 1 && !cpu->counters[i].programmed)
            return MODEL_BAD_COUNTER;
    }
    if (!ring_good(address, records))
        return MODEL_BAD_RING;

    if (address != cpu->ring.address || records != cpu->ring.records) {
        cpu->ring = (struct ring){.address = address, .records = records};
        guest_write(&cpu->slot->ring.head, 0);
        guest_write(&cpu->slot->ring.lost, 0);
    }
    counters_update(cpu, 0);
    for (unsigned i = 0; i < MODEL_COUNTERS; i++) {
        struct counter *counter = &cpu->counters[i];
        bool before = counter->enabled;
        counter->enabled = mask >> i & 1;
        if (counter->enabled && !before)
            counter->seen = counters_seen(cpu, &counter->program);
    }
    counters_arm(cpu);
    plan_enabled(cpu);
    write_enabled(cpu);
    return MODEL_OK;
}

static u64 read_values(struct vcpu *cpu)
{
    counters_update(cpu, 0);
    counters_arm(cpu);
    for (unsigned i = 0; i < MODEL_COUNTERS; i++)
        guest_write(&cpu->slot->value[i], cpu->counters[i].value);
    guest_write(&cpu->slot->overflows, cpu->overflows);
    return MODEL_OK;
}

static u64 write_value(struct vcpu *cpu)
{
    u64 number = guest_read(&cpu->slot->arguments[0]), value = guest_read(&cpu->slot->arguments[1]);
    if (number >= MODEL_COUNTERS || !cpu->counters[number].programmed)
        return MODEL_BAD_COUNTER;
    counters_update(cpu, 0);
    counters_arm(cpu);
    cpu->counters[number].value = value;
    return MODEL_OK;
}

static u64 take(struct vcpu *cpu)
{
    counters_update(cpu, 0);
    counters_arm(cpu);
    guest_write(&cpu->slot->overflows, cpu->overflows);
    cpu->overflows = 0;
    interrupt_taken(cpu);
    return MODEL_OK;
}

static u64 totals(struct vcpu *cpu)
{
    counters_cost(cpu);
    for (unsigned event = 0; event < MODEL_EVENTS; event++) {
        guest_write(&cpu->slot->totals[event][0], cpu->board->total[event][0]);
        guest_write(&cpu->slot->totals[event][1], cpu->board->total[event][1]);
    }
    return MODEL_OK;
}

static u64 act(struct vcpu *cpu, u32 number)
{
    plan_review();
    switch (number) {
    case MODEL_PROGRAM:
        return program(cpu);
    case MODEL_ENABLE:
        return enable(cpu);
    case MODEL_READ:
        return read_values(cpu);
    case MODEL_WRITE:
        return write_value(cpu);
    case MODEL_TAKE:
        return take(cpu);
    case MODEL_TOTALS:
        return totals(cpu);
    default:
        return MODEL_BAD_COMMAND;
    }
}

void command_run(unsigned number, void *data)
{
    u32 word = (u32)(uintptr_t)data;
    u32 command = word & 0xff;
    bool user = word >> 16;
    u64 result = MODEL_BAD_COMMAND;
    if (command == MODEL_ATTACH && !user)
        result = attach(number, guest_register(word >> 8 & 31));
    struct vcpu *cpu = vcpu_enter(number);
    if (!cpu->slot)
        return; // no place for a result
    guest_write(&cpu->slot->command, command);
    if (command == MODEL_DETACH && !user) {
        detach(cpu);
        return;
    }
    if (command != MODEL_ATTACH && (!user || command == MODEL_READ))
        result = act(cpu, command);
    guest_write(&cpu->slot->result, result);
}

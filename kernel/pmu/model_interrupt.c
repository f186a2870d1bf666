// SPDX-License-Identifier: MIT
// Sampling by interrupts of the model unit. The unit types at a console of the CPU's own, beside
// the system's, when a counter has overflowed. The console's interrupt cannot wait: it is handled
// where it comes, before anything else, so that the code that it finds is what made the counter
// overflow, or the next block.
#include <kernel/console.h>
#include <kernel/hcall.h>
#include <kernel/irq.h>
#include <kernel/model_unit.h>
#include <kernel/timer.h>
#include <orrery/errors.h>
#include <orrery/sys.h>
#include <string.h>

#include "sample.h"
#include "unit.h"

#define PROBE_PERIOD 1000
#define PROBE_MICROSECONDS 30000000UL // an emulator on a busy host may be late

static u32 console[ORRERY_MAX_CPUS]; // hypercall numbers

// What each CPU samples. Changed by its own CPU only, hard-masked.
static struct {
    struct sample_buffer *buffers[MODEL_COUNTERS]; // NULL: a counter without interrupts
    u64 counters;                                  // that are enabled, bit n: counter n
} session[ORRERY_MAX_CPUS];

// What is typed has no meaning, but would come again as an interrupt.
static void empty_console(void)
{
    const u64 arguments[8] = {console[cpu_id()]};
    u64 out[4];

    while (hcall(H_GET_TERM_CHAR, arguments, out) == H_SUCCESS && out[0] != 0)
        ;
}

static void model_on_interrupt(const struct frame *interrupted)
{
    struct interrupted code = interrupted_of(interrupted);
    u64 state = unwind_state(interrupted->pc);

    empty_console();
    u64 overflows = model_take();
    if (overflows == 0)
        pmu_cpu()->spurious++;
    for (; overflows != 0; overflows &= overflows - 1) {
        struct sample_buffer *buffer = session[cpu_id()].buffers[__builtin_ctzl(overflows)];
        if (buffer != NULL)
            sample_take(buffer, &code, interrupted->pc, interrupted->msr, state);
        else
            pmu_cpu()->spurious++; // that of a probe
    }
}

void model_interrupts_init(void)
{
    u32 irq;

    for (u32 cpu = 0; model_present() && cpu < cpu_count; cpu++)
        if (!console_spare(cpu, &console[cpu], &irq) ||
            irq_register_at_once(irq, cpu, model_on_interrupt) != 0)
            kprintf("pmu: the model unit cannot interrupt CPU %u\n", cpu);
}

// ---- the unit -----------------------------------------------------------------------------------

static bool has_event(u32 event)
{
    return model_present() && event >= SYS_PMU_MODEL && event < SYS_PMU_MODEL + MODEL_EVENTS &&
           model_machine()->counters[event - SYS_PMU_MODEL] != 0;
}

static s64 program(const struct pmu_source *source)
{
    const struct model_program program = {
        .counter = source->counter,
        .event = source->event - SYS_PMU_MODEL,
        .flags = source->filter | (source->precise ? MODEL_PRECISE : MODEL_INTERRUPT),
        .period = source->period,
        .random = source->randomise,
    };

    return model_program(&program);
}

// Overflows that come while an interrupt is on its way, because the host is busy, become one with
// it; the unit counts them all the same.
static void stop(void)
{
    model_enable(0);
    model_take(); // one that is on its way finds nothing
    memset(&session[cpu_id()], 0, sizeof(session[0]));
}

static s64 model_start(const struct pmu_source *sources, u32 count)
{
    u64 counters = 0;
    s64 error = 0;

    for (u32 i = 0; i < count && error == 0; i++) {
        error = program(&sources[i]);
        session[cpu_id()].buffers[sources[i].counter] =
            sources[i].precise ? NULL : sources[i].buffer;
        counters |= 1UL << sources[i].counter;
    }
    session[cpu_id()].counters = counters;
    return error != 0 ? error : model_enable(counters);
}

static const u64 *counted(u32 cpu, u32 counter)
{
    return &model_slot_of(cpu)->overflow_count[counter];
}

// The counter stands still before it is programmed,
// or an overflow might come in between that nobody has counted.
static s64 change(const struct pmu_source *source, u64 *before)
{
    u64 counters = session[cpu_id()].counters;
    s64 error = model_enable(counters & ~(1UL << source->counter));

    *before += __atomic_load_n(counted(cpu_id(), source->counter), __ATOMIC_RELAXED);
    if (error == 0)
        error = program(source);
    return error != 0 ? error : model_enable(counters);
}

static s64 probe(void)
{
    struct pmu_cpu *cpu = pmu_cpu();
    struct pmu_source source = {.event = SYS_PMU_MODEL + MODEL_INSTRUCTIONS,
                                .filter = MODEL_KERNEL | MODEL_USER,
                                .period = PROBE_PERIOD};
    u64 deadline = timebase() + microseconds_to_ticks(PROBE_MICROSECONDS);
    const volatile u64 *now = &cpu->spurious;
    u64 before = *now;

    if (!has_event(source.event))
        return E_NOTSUP;
    source.counter = (u32)__builtin_ctzl(model_machine()->counters[MODEL_INSTRUCTIONS]);
    if (model_start(&source, 1) != 0)
        return E_NOTSUP;
    while (*now == before && timebase() < deadline)
        __asm__ volatile("or 31,31,31"); // lets an emulator's other threads run
    stop();
    return *now != before ? 0 : E_NOTSUP;
}

const struct pmu_unit pmu_model_unit = {
    .name = "model unit",
    .has_event = has_event,
    .reset = model_init_cpu,
    .probe = probe,
    .acquire = model_acquire,
    .release = model_release,
    .start = model_start,
    .change = change,
    .stop = stop,
    .counted = counted,
    .counts_overflows = true,
};

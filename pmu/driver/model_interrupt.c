// SPDX-License-Identifier: MIT
// Sampling by interrupts of the model unit. The unit types at a console of the CPU's own, beside the system's, when a
// counter has overflowed. The console's interrupt cannot wait: it is handled where it comes, before anything else, so
// that the code that it finds is what made the counter overflow, or the next block.
#include <kernel/console.h>
#include <kernel/hcall.h>
#include <kernel/irq.h>
#include <kernel/timer.h>
#include <orrery/errors.h>
#include <orrery/sys.h>
#include <pmu/model.h>
#include <pmu/unit.h>

#include "src/sample.h"

#define PROBE_PERIOD 1000
#define PROBE_MICROSECONDS 200000 // an emulator on a busy host may be late

static u32 console[ORRERY_MAX_CPUS]; // hypercall numbers

// What each CPU samples. Changed by its own CPU only, hard-masked.
static struct {
    u64 counter, period;
    u64 taken;
} session[ORRERY_MAX_CPUS];

// What is typed has no meaning, but would come again as an interrupt.
static void empty_console(void)
{
    const u64 arguments[8] = {console[cpu_id()]};
    u64 out[4];

    while (hcall(H_GET_TERM_CHAR, arguments, out) == H_SUCCESS && out[0] != 0)
        ;
}

static void on_interrupt(const struct frame *interrupted)
{
    struct pmu_cpu *cpu = pmu_cpu();
    struct interrupted code = interrupted_of(interrupted);

    empty_console();
    u64 overflows = model_take();
    if (overflows == 0 || cpu->buffer == NULL) {
        cpu->spurious++;
        return;
    }
    session[cpu_id()].taken++;
    sample_take(&code, interrupted->pc, interrupted->msr, unwind_state(interrupted->pc));
}

void model_interrupts_init(void)
{
    u32 irq;

    for (u32 cpu = 0; model_present() && cpu < cpu_count; cpu++)
        if (!console_spare(cpu, &console[cpu], &irq) ||
            irq_register_at_once(irq, cpu, on_interrupt) != 0)
            kprintf("pmu: the model unit cannot interrupt CPU %u\n", cpu);
}

// ---- the unit ------------------------------------------------------------------------------------

static bool has_event(u32 event)
{
    return model_present() && event >= SYS_PMU_MODEL && event < SYS_PMU_MODEL + MODEL_EVENTS &&
           model_machine()->counters[event - SYS_PMU_MODEL] != 0;
}

static u64 counter_for(u32 event)
{
    return (u64)__builtin_ctzl(model_machine()->counters[event - SYS_PMU_MODEL]);
}

static s64 run(u32 event, u64 period, u64 random_mask)
{
    const struct model_program program = {
        .counter = counter_for(event),
        .event = event - SYS_PMU_MODEL,
        .flags = MODEL_KERNEL | MODEL_USER | MODEL_INTERRUPT,
        .period = period,
        .random = (u64)__builtin_popcountl(random_mask),
    };

    s64 error = model_program(&program);
    return error != 0 ? error : model_enable(1UL << program.counter);
}

// Overflows that come while an interrupt is on its way, because the host is busy, become one with it. The counter knows
// of all.
static void stop(void)
{
    u64 values[MODEL_COUNTERS], periods = 0;
    u32 cpu = cpu_id();

    model_enable(0);
    model_take(); // one that is on its way finds nothing
    if (session[cpu].period != 0 && model_read(values) == 0)
        periods = values[session[cpu].counter] / session[cpu].period;
    if (periods > session[cpu].taken)
        pmu_cpu()->missed += periods - session[cpu].taken;
    session[cpu].period = 0;
}

static void start(u32 event, u64 period, u64 random_mask)
{
    u32 cpu = cpu_id();

    session[cpu].counter = counter_for(event);
    session[cpu].period = period;
    session[cpu].taken = 0;
    run(event, period, random_mask); // has_event and probe have seen to it that it can
}

static s64 probe(void)
{
    struct pmu_cpu *cpu = pmu_cpu();
    u64 deadline = timebase() + microseconds_to_ticks(PROBE_MICROSECONDS);
    const volatile u64 *now = &cpu->spurious;
    u64 before = *now;

    if (!has_event(SYS_PMU_MODEL + MODEL_INSTRUCTIONS) ||
        run(SYS_PMU_MODEL + MODEL_INSTRUCTIONS, PROBE_PERIOD, 0) != 0)
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
    .start = start,
    .stop = stop,
};

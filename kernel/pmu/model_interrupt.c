// SPDX-License-Identifier: MIT
// Samples by interrupts of the model unit. When a counter has overflowed, the unit types at a
// console of the CPU's own, beside the system's. The console's interrupt cannot wait: it is handled
// at once, before anything else. So it finds the code that made the counter overflow, or the next
// block.
#include <kernel/console.h>
#include <kernel/hcall.h>
#include <kernel/irq.h>
#include <kernel/model_unit.h>
#include <kernel/softmask.h>

#include "sample.h"

static u32 console[ORRERY_MAX_CPUS]; // hypercall numbers

// Destinations of samples. Only the own CPU changes them, hard-masked.
static struct {
    struct sample_buffer *buffers[MODEL_COUNTERS]; // NULL: nobody's
    u64 stale; // bit n: an overflow of counter n is on its way for the last owner
} deliveries[ORRERY_MAX_CPUS];

// Takes the typed bytes. They have no meaning, but would come again as an interrupt.
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
    u64 overflows = model_take(), stale = deliveries[cpu_id()].stale;
    deliveries[cpu_id()].stale &= ~overflows;
    overflows &= ~stale;
    if (overflows == 0)
        pmu_cpu()->spurious++;
    for (; overflows != 0; overflows &= overflows - 1) {
        struct sample_buffer *buffer = deliveries[cpu_id()].buffers[__builtin_ctzl(overflows)];
        if (buffer != NULL)
            sample_take(buffer, &code, interrupted->pc, interrupted->msr, state);
        else
            pmu_cpu()->spurious++; // a probe's
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

// A busy host delays an interrupt. Overflows in the meantime merge with it, but the unit counts
// them all.
void model_deliver(u32 counter, struct sample_buffer *buffer)
{
    u64 values[MODEL_COUNTERS];
    u64 msr = hard_mask();

    model_read(values); // also updates overflows
    deliveries[cpu_id()].stale |= model_slot()->overflows & 1UL << counter;
    deliveries[cpu_id()].buffers[counter] = buffer;
    hard_mask_restore(msr);
}

const u64 *model_overflow_count(u32 counter)
{
    return &model_slot()->overflow_count[counter];
}

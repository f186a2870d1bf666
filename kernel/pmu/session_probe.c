// SPDX-License-Identifier: MIT
// Checks that the model unit's interrupts arrive. It samples them for a moment, into no buffer.
#include <kernel/irq.h>
#include <kernel/model_unit.h>
#include <kernel/timer.h>
#include <orrery/errors.h>

#include "sample.h"
#include "session.h"

#define PROBE_PERIOD 1000
#define PROBE_MICROSECONDS 30000000UL // an emulator on a busy host may be late

struct probe {
    u64 before[ORRERY_MAX_CPUS]; // interrupts without a destination
    u32 failed;                  // bit n: CPU n
};

static void await_interrupt_here(void *argument)
{
    struct probe *probe = argument;
    u64 deadline = timebase() + microseconds_to_ticks(PROBE_MICROSECONDS);
    const volatile u64 *now = &pmu_cpu()->spurious;

    while (*now == probe->before[cpu_id()] && timebase() < deadline)
        __asm__ volatile("or 31,31,31"); // lets an emulator's other threads run
    if (*now == probe->before[cpu_id()])
        __atomic_fetch_or(&probe->failed, 1u << cpu_id(), __ATOMIC_RELAXED);
}

s64 session_probe(char *message, u64 bytes)
{
    static struct pmu_claim claim;
    static struct engine_session session;
    static struct pmu_sampled sampled[ORRERY_MAX_CPUS];
    struct probe probe = {.failed = 0};
    u64 all = (1UL << cpu_count) - 1;

    claim = (struct pmu_claim){.request = {.items = 1, .sets = 1, .share = {1}}, .steady = true};
    claim.request.item[0] =
        (struct pmu_item){.event = MODEL_INSTRUCTIONS,
                          .filter = MODEL_KERNEL | MODEL_USER,
                          .source = 1,
                          .counters = (u32)model_machine()->counters[MODEL_INSTRUCTIONS]};
    session = (struct engine_session){.claim = &claim, .cpus = all};
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        probe.before[cpu] = ((const struct pmu_cpu *)percpu_of(cpu)->pmu)->spurious;
        sampled[cpu] = (struct pmu_sampled){.period = PROBE_PERIOD, .flags = MODEL_INTERRUPT};
        session.tally[cpu].sampled = &sampled[cpu];
    }
    s64 error = engine_join(&session, message, bytes);
    if (error != 0)
        return error;
    cpus_call(all, await_interrupt_here, &probe);
    engine_leave(&session);
    return probe.failed == 0 ? 0 : E_NOTSUP;
}

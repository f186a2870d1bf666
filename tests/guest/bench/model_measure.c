// SPDX-License-Identifier: MIT
// Counting the events of loops: events are packed into groups of counters, each group is programmed
// on all CPUs, then all loops run.
#include "model_measure.h"

#include <kernel/model_unit.h>
#include <kernel/percpu.h>
#include <kernel/softmask.h>
#include <string.h>

#include "bench.h"

#define NO_EVENT MODEL_EVENTS

u64 model_turns(const struct model_case *one, u32 limit)
{
    static const u64 limits[MODEL_LIMITS] = {100, 3001, 20000};
    u64 turns = one->shorter != 0 ? limits[limit] / one->shorter : limits[limit];
    return turns != 0 ? turns : 1;
}

// Which event each counter of a group counts; NO_EVENT: none.
struct group {
    u32 event[MODEL_COUNTERS];
};

struct measurement {
    const struct model_case *cases;
    u32 count;
    struct group group;
    struct model_found *found;
};

// Finds a counter for an event, moving others if need be (augmenting paths).
// tried: counters looked at.
static bool place_event(struct group *group, u32 event, u32 *tried)
{
    for (u32 counter = 0; counter < MODEL_COUNTERS; counter++) {
        u32 bit = 1u << counter;
        if ((model_machine()->counters[event] & bit) == 0 || (*tried & bit) != 0)
            continue;
        *tried |= bit;
        if (group->event[counter] == NO_EVENT || place_event(group, group->event[counter], tried)) {
            group->event[counter] = event;
            return true;
        }
    }
    return false;
}

// A group of as many of the events as fit; they are taken out of the mask.
static struct group take_group(u64 *events)
{
    struct group group;

    for (u32 counter = 0; counter < MODEL_COUNTERS; counter++)
        group.event[counter] = NO_EVENT;
    for (u32 event = 0; event < MODEL_EVENTS; event++) {
        u32 tried = 0;
        if ((*events >> event & 1) != 0 && place_event(&group, event, &tried))
            *events &= ~(1UL << event);
    }
    return group;
}

static void start_group(struct bench_worker *worker)
{
    const struct measurement *measurement = worker->argument;
    u64 used = 0;

    for (u32 counter = 0; counter < MODEL_COUNTERS; counter++) {
        if (measurement->group.event[counter] == NO_EVENT)
            continue;
        const struct model_program program = {
            .counter = counter, .event = measurement->group.event[counter], .flags = MODEL_KERNEL};
        worker->result += model_program(&program) != 0;
        used |= 1UL << counter;
    }
    worker->result += model_enable(used) != 0;
}

static void stop_group(struct bench_worker *worker)
{
    worker->result = model_enable(0) != 0;
}

static struct model_work work[ORRERY_MAX_CPUS];

void model_window(const struct model_case *one, u64 turns, u64 counts[MODEL_COUNTERS])
{
    struct model_work *own = &work[cpu_id()];
    const u64 *value = model_slot()->value;

    u64 msr = hard_mask();
    one->body(turns, value, own, one->a, one->b, one->c);
    for (u32 counter = 0; counter < MODEL_COUNTERS; counter++)
        counts[counter] = value[counter] - own->before[counter];
    hard_mask_restore(msr);
}

u64 model_window_opened(u64 counter)
{
    return work[cpu_id()].before[counter];
}

static void run_cases(struct bench_worker *worker)
{
    const struct measurement *measurement = worker->argument;
    const struct group *group = &measurement->group;
    struct model_found *found = &measurement->found[worker->cpu];

    for (u32 i = 0; i < measurement->count; i++) {
        for (u32 limit = 0; limit < MODEL_LIMITS; limit++) {
            u64 counts[MODEL_COUNTERS];
            const struct model_case *one = &measurement->cases[i];
            model_window(one, model_turns(one, limit), counts);
            for (u32 counter = 0; counter < MODEL_COUNTERS; counter++)
                if (group->event[counter] != NO_EVENT)
                    found->events[i][limit][group->event[counter]] = counts[counter];
        }
    }
}

// Everywhere, and errors are added up.
static void measure_everywhere(struct measurement *measurement,
                               void (*function)(struct bench_worker *))
{
    struct bench_worker workers[ORRERY_MAX_CPUS];

    if (bench_on_cpus(bench_all_cpus(), function, measurement, workers) != 0) {
        measurement->found[0].errors++;
        return;
    }
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        measurement->found[cpu].errors += workers[cpu].result;
}

void model_measure(const struct model_case cases[], u32 count, struct model_found found[])
{
    struct measurement measurement = {.cases = cases, .count = count, .found = found};
    u64 events = model_machine()->events;

    while (events != 0) {
        u64 before = events;
        measurement.group = take_group(&events);
        if (events == before) { // events that no counter can count
            found[0].errors++;
            return;
        }
        measure_everywhere(&measurement, start_group);
        measure_everywhere(&measurement, run_cases);
        measure_everywhere(&measurement, stop_group);
    }
}

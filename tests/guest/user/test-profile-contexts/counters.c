// SPDX-License-Identifier: MIT
// Counters as sources: what was told, lost and missed is what the unit has counted. The unit counts
// user code alone, and the machine has no other process.
#include "tests.h"

#include <orrery/pmu.h>
#include <orrery/pmu_model.h>
#include <orrery/sys.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <waiting.h>

#define PERIOD 200000
#define CYCLES 20
#define NOBODY_PART 8 // of the overflows at most one in so many hits nobody
#define ENOUGH 40

static const char *const sensors[] = {"pc", "caller1", "thread", "object"};
static u32 source, other; // other: of another event, where there are some
static u64 seen, places, last[ORRERY_MAX_CPUS], wrong;
static volatile u64 sink;

static bool has_model(void)
{
    struct sys_pmu_event event;
    return sys_pmu_event_get(0, &event) == 0;
}

static struct profile_source counter(const char *name, u32 event, u32 context, u64 period)
{
    return (struct profile_source){.name = name,
                                   .kind = PROFILE_COUNTER,
                                   .context = context,
                                   .event = event,
                                   .filter = event == SYS_PMU_CYCLES ? SYS_PMU_KERNEL | SYS_PMU_USER
                                                                     : SYS_PMU_USER,
                                   .period = period};
}

static void make(void)
{
    u32 context = context_of("hit", 4, sensors);
    if (!has_model()) {
        source = source_of(counter("cycles", SYS_PMU_CYCLES, context, PERIOD * CYCLES));
        return;
    }
    source =
        source_of(counter("instructions", SYS_PMU_MODEL + MODEL_INSTRUCTIONS, context, PERIOD));
    other = source_of(counter("stores", SYS_PMU_MODEL + MODEL_STORES, context, PERIOD / 10));
}

static void look(const struct logged *event)
{
    wrong += event->id != event_id("hit") || event->words != 6 || event->word[2] == 0 ||
             (logged_unknown(event) & 1) != 0;
    if (logged_source(event) != source)
        return;
    wrong += event->word[0] <= last[event->cpu];
    last[event->cpu] = event->word[0];
    u64 offset;
    places += user_symbol(event->word[2], &offset) != NULL;
    seen++;
}

__attribute__((noinline)) static void work(void)
{
    for (u32 i = 0; i < 20000; i++)
        sink = sink * 3 + i;
}

static s64 work_until_enough(void *unused)
{
    struct profile_source_counts counts = {0};
    u64 deadline = patience();

    (void)unused;
    do {
        work();
        profile_source_count(source, &counts);
    } while (counts.events < ENOUGH && wait_more(deadline));
    return 0;
}

static void work_on_all(void)
{
    struct thread *threads[ORRERY_MAX_CPUS];
    struct thread_attributes attributes = THREAD_ATTRIBUTES;

    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        attributes.cpu = cpu;
        EXPECT(thread_create(&threads[cpu], &attributes, work_until_enough, NULL) == 0);
    }
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        EXPECT(thread_join(threads[cpu], NULL) == 0);
}

static u64 events_of(u32 number)
{
    struct profile_source_counts counts = {0};
    EXPECT(number == 0 || profile_source_count(number, &counts) == 0);
    EXPECT(counts.events == counts.written);
    return counts.events;
}

static void check(void)
{
    struct profile_overflow_counts counts;

    profile_overflow_count(&counts);
    EXPECT(counts.told == events_of(source) + events_of(other));
    EXPECT(counts.overflows == counts.told + counts.lost + counts.missed + counts.others);
    // The unit counts this program's instructions alone. An interrupt that comes once the CPU has
    // nothing more to do hits nobody. Cycles hit whoever runs.
    EXPECT(counts.others <= counts.overflows / (has_model() ? NOBODY_PART : 1)); // not below 0
    EXPECT(seen == events_of(source) && seen >= ENOUGH && places > 0 && wrong == 0);
    printf("test-profile-contexts: %lu overflows: %lu told, %lu lost, %lu missed, %lu others\n",
           counts.overflows, counts.told, counts.lost, counts.missed, counts.others);
}

// The session goes through each set of counters.
static void switch_counters(void)
{
    EXPECT(profile_enable(source, true) == 0);
    work_on_all();
    if (other != 0) {
        EXPECT(profile_enable(other, true) == 0);
        work();
        EXPECT(profile_enable(source, false) == 0);
        work();
    }
    EXPECT(profile_enable(PROFILE_ALL, false) == 0);
}

// Somebody else samples: nothing is switched on, and own sources go on as they were.
static void refused(void)
{
    struct sys_sampling sampling = {.event_count = 1,
                                    .events = {{.event = SYS_PMU_CYCLES,
                                                .filter = SYS_PMU_KERNEL | SYS_PMU_USER,
                                                .period = SYS_PERIOD_MAX}}};
    s64 session = E_BUSY;

    EXPECT(WAIT_FOR((session = sys_sampling_start(&sampling, NULL, 0)) != E_BUSY) && session > 0);
    EXPECT(profile_enable(source, true) == E_BUSY);
    EXPECT(profile_enable(PROFILE_ALL, true) == E_BUSY);
    u64 before = events_of(source);
    work();
    EXPECT(sys_sampling_stop(session) == 0 && events_of(source) == before);
}

void counter_events(void)
{
    make();
    record_begin();
    switch_counters();
    record_end(look);
    check();
    refused();
}

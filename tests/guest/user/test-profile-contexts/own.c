// SPDX-License-Identifier: MIT
// Own sources: each trigger is one event, with the values that were there.
#include "tests.h"

#include <orrery/sys.h>
#include <string.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

#define TRIGGERS 1000u
#define SHARED 300u // triggers of a CPU, all at once

// ---- a program's own sensors --------------------------------------------------------------------

static u64 turn;

static s64 sample_turn(const struct profile_event *event, u64 *value)
{
    (void)event;
    *value = turn;
    return 0;
}

// Unknown each third time.
static s64 sample_third(const struct profile_event *event, u64 *value)
{
    *value = (u64)-event->number;
    return event->number % 3 == 0 ? E_STALE : 0;
}

static const struct profile_sensor turn_sensor = {"turn", "turns", PROFILE_U64, PROFILE_SAFE,
                                                  sample_turn};
static const struct profile_sensor third_sensor = {"third", "", PROFILE_S64, PROFILE_SAFE,
                                                   sample_third};

// Five: two events of the trace.
static const char *const sensors[] = {"a", "b", "turn", "thread", "third"};
static const char *const places[] = {"pc", "caller1", "cpu", "time"};
static u32 source, place_source;

static void make(void)
{
    EXPECT(profile_sensor_add(&turn_sensor) == 0);
    EXPECT(profile_sensor_add(&third_sensor) == 0);
    u32 context = context_of("picked", 5, sensors), place = context_of("place", 4, places);
    source =
        source_of((struct profile_source){.name = "own", .kind = PROFILE_OWN, .context = context});
    place_source =
        source_of((struct profile_source){.name = "place", .kind = PROFILE_OWN, .context = place});
}

static void trigger_all(void)
{
    for (turn = 0; turn < TRIGGERS; turn++)
        profile_trigger(source, turn * 7, ~turn);
}

static void count_is(u32 of, u64 events, u64 written)
{
    struct profile_source_counts counts = {0};
    EXPECT(profile_source_count(of, &counts) == 0);
    EXPECT(counts.events == events && counts.written == written && counts.missed == 0);
}

// ---- what is logged -----------------------------------------------------------------------------

static u64 first_seen, second_seen, wrong;

static void look(const struct logged *event)
{
    if (event->id == event_id("picked")) {
        u64 at = first_seen++;
        wrong += event->words != 6 || event->word[0] != at + 1 || logged_source(event) != source ||
                 event->word[2] != at * 7 || event->word[3] != ~at || event->word[4] != at ||
                 event->word[5] != thread_id(thread_current()) || event->word[1] >> 32 != 0;
        wrong += logged_unknown(event) != ((at + 1) % 3 == 0 ? 1u << 4 : 0);
    } else if (event->id == event_id("picked_2")) {
        u64 number = ++second_seen;
        u64 third = number % 3 == 0 ? (u64)E_STALE : (u64)-number;
        wrong += event->words != 3 || event->word[0] != number || event->word[2] != third;
    } else {
        wrong++;
    }
}

static void each_trigger_is_an_event(void)
{
    trigger_all(); // nobody records, and it is off
    EXPECT(profile_enable(source, true) == 0);
    trigger_all(); // nobody records
    EXPECT(profile_enable(source, false) == 0);
    record_begin();
    trigger_all(); // it is off
    EXPECT(profile_enable(source, true) == 0);
    trigger_all();
    EXPECT(profile_enable(source, false) == 0);
    trigger_all();
    record_end(look);
    count_is(source, TRIGGERS, TRIGGERS);
    EXPECT(first_seen == TRIGGERS && second_seen == TRIGGERS && wrong == 0);
    printf("test-profile-contexts: %lu and %lu events of %u triggers\n", first_seen, second_seen,
           TRIGGERS);
}

static void what_is_no_own_source(void)
{
    record_begin();
    first_seen = wrong = 0;
    profile_trigger(0, 1, 1);
    profile_trigger(PROFILE_SOURCES, 1, 1);
    profile_trigger(UINT32_MAX, 1, 1);
    record_end(look);
    EXPECT(first_seen == 0 && wrong == 0);
}

// ---- where it was -------------------------------------------------------------------------------

// Places come from all CPUs; each number once, in order on each CPU.
static u64 seen[ORRERY_MAX_CPUS], last[ORRERY_MAX_CPUS];
static u8 numbers[ORRERY_MAX_CPUS * SHARED];
static u64 begun;

static bool is_function(u64 pc, const char *name)
{
    u64 offset;
    const char *found = user_symbol(pc, &offset);
    return found != NULL && strcmp(found, name) == 0;
}

static void look_at_place(const struct logged *event)
{
    u64 number = event->word[0];

    wrong += event->id != event_id("place") || event->words != 6 || event->word[4] != event->cpu ||
             logged_unknown(event) != 0 || number <= last[event->cpu] || number > sizeof(numbers) ||
             event->word[5] < begun || event->word[5] > time_now() ||
             !is_function(event->word[2], "trigger_here") ||
             !is_function(event->word[3], "trigger_by");
    if (number - 1 < sizeof(numbers))
        numbers[number - 1]++;
    last[event->cpu] = number;
    seen[event->cpu]++;
}

__attribute__((noinline)) static void trigger_here(void)
{
    profile_trigger(place_source, 0, 0);
    __asm__ volatile("");
}

__attribute__((noinline)) static s64 trigger_by(void *unused)
{
    (void)unused;
    for (u32 i = 0; i < SHARED; i++) {
        trigger_here();
        if (i % 32 == 0)
            thread_yield();
    }
    return 0;
}

static void all_cpus_at_once(void)
{
    struct thread *threads[ORRERY_MAX_CPUS];
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    u32 cpus = user_cpu_count();

    record_begin();
    wrong = 0;
    begun = time_now();
    EXPECT(profile_enable(place_source, true) == 0);
    for (u32 cpu = 0; cpu < cpus; cpu++) {
        attributes.cpu = cpu;
        EXPECT(thread_create(&threads[cpu], &attributes, trigger_by, NULL) == 0);
    }
    for (u32 cpu = 0; cpu < cpus; cpu++)
        EXPECT(thread_join(threads[cpu], NULL) == 0);
    EXPECT(profile_enable(PROFILE_ALL, false) == 0);
    record_end(look_at_place);
    for (u32 cpu = 0; cpu < cpus; cpu++)
        EXPECT(seen[cpu] == SHARED);
    for (u32 i = 0; i < cpus * SHARED; i++)
        EXPECT(numbers[i] == 1);
    EXPECT(wrong == 0);
    count_is(place_source, cpus * SHARED, cpus * SHARED);
    printf("test-profile-contexts: %u CPUs triggered %u each\n", cpus, SHARED);
}

void own_events(void)
{
    make();
    each_trigger_is_an_event();
    what_is_no_own_source();
    all_cpus_at_once();
}

void own_recorded(void)
{
    make();
    EXPECT(profile_enable(source, true) == 0);
    trigger_all();
    EXPECT(profile_enable(source, false) == 0);
    count_is(source, TRIGGERS, TRIGGERS);
    printf("test-profile-contexts: source %u, thread %u\n", source, thread_id(thread_current()));
}

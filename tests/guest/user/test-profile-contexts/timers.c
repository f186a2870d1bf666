// SPDX-License-Identifier: MIT
// Timers: each period is an event or is missed, and no event comes before its time.
#include "tests.h"

#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

#define PERIOD 1000 // microseconds
#define ENOUGH 50

static const char *const sensors[] = {"time", "cpu", "thread", "pc", "a"};
static u32 sources[2]; // on the first and on the last CPU
static u64 seen[2], numbers[2], last_time[2], with_pc[2], wrong;
static volatile u64 sink;

static struct profile_source timer_on(const char *name, u32 context, u32 cpu)
{
    return (struct profile_source){
        .name = name, .kind = PROFILE_TIMER, .context = context, .cpu = cpu, .period = PERIOD};
}

static void make(void)
{
    u32 context = context_of("tick", 5, sensors);
    sources[0] = source_of(timer_on("first", context, 0));
    sources[1] = source_of(timer_on("last", context, user_cpu_count() - 1));
}

static u64 events_of(u32 source, u64 *missed)
{
    struct profile_source_counts counts = {0};
    EXPECT(profile_source_count(source, &counts) == 0);
    *missed = counts.missed;
    return counts.events;
}

// Switches off a timer that has had enough. Returns whether it has.
static bool end_if_enough(u32 source)
{
    u64 missed;

    return events_of(source, &missed) >= ENOUGH && profile_enable(source, false) == 0;
}

// A busy host may leave one of the CPUs out for long: the events of the other one have to fit into
// its ring.
static void work_until_enough(void)
{
    u64 deadline = patience();
    u32 enough = 0;

    do {
        for (u32 i = 0; i < 10000; i++)
            sink += i;
        for (u32 i = 0; i < 2; i++)
            enough |= (u32)end_if_enough(sources[i]) << i;
    } while (enough != 3 && time_now() < deadline);
}

static void look(const struct logged *event)
{
    u32 at = logged_source(event) == sources[1];
    u64 time = event->word[2];

    if (event->id != event_id("tick"))
        return; // its second part
    u64 cpu = at == 0 ? 0 : user_cpu_count() - 1;
    wrong += logged_source(event) != sources[at] || event->word[0] != ++numbers[at] ||
             event->word[3] != cpu || event->cpu != cpu || time <= last_time[at] ||
             (logged_unknown(event) & 1u << 4) == 0; // a: a timer has none
    last_time[at] = time;
    seen[at]++;
    if ((logged_unknown(event) & 1u << 3) == 0)
        with_pc[at] += user_symbol(event->word[5], &time) != NULL;
}

// Periods that have gone by: not one more than there was time for, and the last tick that was due
// may still be under way.
static void check(u32 at, u64 took)
{
    u64 missed, events = events_of(sources[at], &missed);

    EXPECT(events >= ENOUGH && events == seen[at]);
    EXPECT(events + missed <= took / time_from_us(PERIOD));
    printf("test-profile-contexts: timer %u: %lu events, %lu missed, %lu with a place\n", at,
           events, missed, with_pc[at]);
}

static void nothing_comes_any_more(void)
{
    u64 missed, before = events_of(sources[0], &missed);
    thread_sleep_us(PERIOD * 20);
    EXPECT(events_of(sources[0], &missed) == before);
}

void timer_events(void)
{
    make();
    record_begin();
    u64 begun = time_now();
    EXPECT(profile_enable(sources[0], true) == 0 && profile_enable(sources[1], true) == 0);
    work_until_enough();
    EXPECT(profile_enable(sources[0], false) == 0 && profile_enable(sources[1], false) == 0);
    u64 took = time_now() - begun;
    nothing_comes_any_more();
    record_end(look);
    check(0, took);
    check(1, took);
    EXPECT(wrong == 0 && with_pc[0] > 0); // this thread worked on the first CPU
}

void timer_recorded(void)
{
    u64 missed;

    make();
    EXPECT(profile_enable(sources[0], true) == 0 && profile_enable(sources[1], true) == 0);
    work_until_enough();
    EXPECT(profile_enable(sources[0], false) == 0 && profile_enable(sources[1], false) == 0);
    for (u32 i = 0; i < 2; i++)
        printf("test-profile-contexts: timer %u: %lu events\n", sources[i],
               events_of(sources[i], &missed));
}

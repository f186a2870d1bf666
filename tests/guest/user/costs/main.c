// SPDX-License-Identifier: MIT
// `costs [MEASURING [LOAD…]]`: runs loads of fixed size while something is measured, or nothing
// (the default). Without a LOAD it runs the first five. It prints "BEGIN load", then "PART ns" for
// each part that it is timed in, then what it took in all: "COST load ns events". A nanosecond is
// an instruction under -icount shift=0 on one CPU. `events` is how often what measures had
// something to do meanwhile. `costs child` does nothing. Needs RIGHT_MONITOR for anything but
// nothing, and the servers.
#include "costs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <user/thread.h>
#include <user/time.h>

#define USUAL_LOADS 5   // the first of loads[]
#define PARTS 10        // that a load is timed in
#define SETTLE_US 60000 // longer than reapers wait before they look again

void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("costs: ");
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    exit(1);
}

static void nothing(void)
{
}

static u64 no_events(void)
{
    return 0;
}

static const struct measuring measuring_nothing = {"nothing", nothing, nothing, no_events, false};
static const struct measuring measuring_nothing_at_once = {"at-once", nothing, nothing, no_events,
                                                           true};

static const struct measuring *find_measuring(const char *name)
{
    static const struct measuring *const all[] = {
        &measuring_nothing,     &measuring_nothing_at_once, &measuring_counts,
        &measuring_drefs,       &measuring_all_drefs,       &measuring_scans,
        &measuring_sleep_locks, &measuring_recorded};
    for (u32 i = 0; i < ARRAY_SIZE(all); i++) {
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    }
    for (const struct measuring *samples = measuring_samples; samples->name != NULL; samples++) {
        if (strcmp(samples->name, name) == 0)
            return samples;
    }
    fail("no measuring '%s'", name);
}

static const struct load *find_load(const char *name)
{
    for (u32 i = 0; i < load_count; i++) {
        if (strcmp(loads[i].name, name) == 0)
            return &loads[i];
    }
    fail("no load '%s'", name);
}

// Servers reclaim what a load has destroyed in batches, when clock ticks have told that nobody uses
// it any more. So parts begin when all is reclaimed, and with the first tick as far away: then runs
// repeat, and what differs between two is what was measured. Without it one that makes and closes
// many files differs by half a per cent from run to run.
static u64 time_part(const struct load *load, u64 times, const struct measuring *measuring,
                     u64 *events)
{
    if (!measuring->at_once)
        thread_sleep_us(SETTLE_US);
    u64 events_before = measuring->events();
    u64 begin = time_now();
    load->run(times);
    u64 ticks = time_now() - begin;
    u64 events_after = measuring->events(); // fewer, where what was counted ended meanwhile
    *events += events_after > events_before ? events_after - events_before : 0;
    return ticks;
}

static double nanoseconds(u64 ticks)
{
    return (double)ticks * 1e9 / (double)time_hz();
}

// The first time is not timed: it fills caches, and makes what is made once.
static void time_load(const struct load *load, const struct measuring *measuring)
{
    u64 parts = measuring->at_once || load->times < PARTS ? 1 : PARTS;
    u64 ticks = 0, events = 0;
    load->run(1);
    printf("BEGIN %s\n", load->name);
    for (u64 part = 0; part < parts; part++) {
        u64 taken = time_part(load, load->times / parts, measuring, &events);
        ticks += taken;
        printf("PART %.0f\n", nanoseconds(taken));
    }
    printf("COST %s %.0f %lu\n", load->name, nanoseconds(ticks), events);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "child") == 0)
        return 0;
    const struct measuring *measuring = find_measuring(argc > 1 ? argv[1] : "nothing");
    measuring->begin();
    for (int i = 2; i < argc; i++)
        time_load(find_load(argv[i]), measuring);
    for (u32 i = 0; argc <= 2 && i < USUAL_LOADS; i++)
        time_load(&loads[i], measuring);
    measuring->end();
    return 0;
}

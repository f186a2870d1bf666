// SPDX-License-Identifier: MIT
// `costs [MEASURING [LOAD…]]`: runs loads of fixed size, all without a LOAD, while something is measured or nothing (the
// default), and prints "BEGIN load", and what it took: "COST load ns events", a nanosecond being an instruction under -icount shift=0 on
// one CPU, and events how often what measures had something to do meanwhile. `costs child` does nothing. Needs
// RIGHT_MONITOR for anything but nothing, and the servers.
#include "costs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <user/time.h>

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

static const struct measuring measuring_nothing = {"nothing", nothing, nothing, no_events};

static const struct measuring *find_measuring(const char *name)
{
    static const struct measuring *const all[] = {&measuring_nothing, &measuring_counts,
                                                  &measuring_drefs,   &measuring_all_drefs,
                                                  &measuring_scans,   &measuring_sleep_locks};
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

// The first time is not timed: it fills caches, and makes what is made once.
static void time_load(const struct load *load, const struct measuring *measuring)
{
    load->run(1);
    printf("BEGIN %s\n", load->name);
    u64 events = measuring->events();
    u64 begin = time_now();
    load->run(load->times);
    u64 ticks = time_now() - begin;
    u64 after = measuring->events(); // fewer, where what was counted ended meanwhile
    events = after > events ? after - events : 0;
    printf("COST %s %.0f %lu\n", load->name, (double)ticks * 1e9 / (double)time_hz(), events);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "child") == 0)
        return 0;
    const struct measuring *measuring = find_measuring(argc > 1 ? argv[1] : "nothing");
    measuring->begin();
    for (int i = 2; i < argc; i++)
        time_load(find_load(argv[i]), measuring);
    for (u32 i = 0; argc <= 2 && i < load_count; i++)
        time_load(&loads[i], measuring);
    measuring->end();
    return 0;
}

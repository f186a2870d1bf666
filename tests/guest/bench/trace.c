// SPDX-License-Identifier: MIT
// Trace events of 0 to 4 data words, on all CPUs at once. They are read back word by word in the
// order in which they were emitted. In discard mode what is read and what was discarded add up.
#include <kernel/percpu.h>
#include <workloads/test_events.h>

#include "bench.h"
#include "benches.h"
#include "test_trace.h"

#define EVENTS 20000 // fit into the smallest buffers: 4 sub-buffers of 64 KB hold 6,500 of 5 words
#define MIXED 5

struct emission {
    u32 words; // MIXED: sequence % 5
    u64 events;
};

static u32 words_of(const struct emission *emission, u64 sequence)
{
    return emission->words == MIXED ? (u32)(sequence % MIXED) : emission->words;
}

static void trace_emit(struct bench_worker *worker)
{
    const struct emission *emission = worker->argument;
    for (u64 i = 0; i < emission->events; i++)
        test_event_emit(words_of(emission, i), worker->cpu, i);
}

struct check {
    const struct emission *emission;
    u32 cpu;
    u64 next;  // sequence expected
    u64 wrong; // events that are not what was emitted
};

static void trace_check(const struct seen_event *event, void *argument)
{
    struct check *check = argument;
    u32 words = words_of(check->emission, check->next);
    bool same = event->major == TRACE_MAJOR_TEST && event->minor == words && event->words == words;
    for (u32 i = 0; same && i < words; i++)
        same = event->data[i] == test_event_word(i, check->cpu, check->next);
    check->wrong += !same;
    check->next++;
}

static void read_back(const struct emission *emission, struct bench_tally *events,
                      struct bench_tally *discarded, u64 *wrong)
{
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        struct sys_trace_stat stat = {0};
        struct trace_reading reading = {0};
        struct check checking = {.emission = emission, .cpu = cpu};
        s64 error = sys_trace_stat(cpu, &stat);
        error += test_trace_read(cpu, trace_check, &checking, &reading);
        bench_compare(events, emission->events, reading.events + stat.discarded);
        bench_compare(discarded, stat.events, reading.events);
        *wrong += checking.wrong + reading.malformed + reading.backwards + (u64)-error;
    }
}

static void round_trip(const struct emission *emission, const char *what)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    struct bench_tally events = {0}, logged = {0};
    struct test_trace trace;
    u64 wrong = 0;
    test_trace_begin(&trace, SYS_TRACE_DISCARD, TRACE_MASK_TEST);
    bench_on_cpus(bench_all_cpus(), trace_emit, (void *)emission, workers);
    test_trace_end();
    read_back(emission, &events, &logged, &wrong);
    test_trace_restore(&trace);
    bench_tally_row(&events, "events read + discarded, %s, %u CPUs", what, cpu_count);
    bench_tally_row(&logged, "  events read, of those counted as logged");
    bench_exact(0, wrong, "  wrong words, order or time");
}

// Disabled points log nothing.
static void disabled(void)
{
    struct emission emission = {MIXED, EVENTS};
    struct bench_worker workers[ORRERY_MAX_CPUS];
    struct bench_tally none = {0};
    struct test_trace trace;
    test_trace_begin(&trace, SYS_TRACE_DISCARD, 0);
    bench_on_cpus(bench_all_cpus(), trace_emit, &emission, workers);
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        struct sys_trace_stat stat = {0};
        sys_trace_stat(cpu, &stat);
        bench_compare(&none, 0, stat.events + stat.discarded);
    }
    test_trace_restore(&trace);
    bench_tally_row(&none, "events of %u disabled points", EVENTS);
}

void bench_trace(void)
{
    static const char *const names[] = {"0 words", "1 word",  "2 words",
                                        "3 words", "4 words", "mixed words"};
    for (u32 words = 0; words <= MIXED; words++)
        round_trip(&(struct emission){words, EVENTS}, names[words]);
    round_trip(&(struct emission){MIXED, 20 * EVENTS}, "more than fits");
    disabled();
}

// SPDX-License-Identifier: MIT
// The flight recorder: in overwrite mode the newest events are kept without a gap, and overwritten
// + kept = emitted, per CPU, exactly.
#include <kernel/percpu.h>
#include <workloads/test_events.h>

#include "bench.h"
#include "benches.h"
#include "test_trace.h"

#define WORDS 4
#define ROUNDS 3 // times that the buffer is filled

static u64 events_to_emit(void)
{
    struct sys_trace_stat stat = {0};
    sys_trace_stat(0, &stat);
    return ROUNDS * stat.subbuffers * stat.subbuffer_bytes / ((WORDS + 1) * sizeof(u64));
}

static void overwrite_emit(struct bench_worker *worker)
{
    u64 events = *(u64 *)worker->argument + worker->cpu;
    for (u64 i = 0; i < events; i++)
        test_event_emit(WORDS, worker->cpu, i);
}

struct newest {
    u64 first, next;
    u64 gaps;
};

static void overwrite_check(const struct seen_event *event, void *argument)
{
    struct newest *newest = argument;
    u64 sequence = event->words == WORDS ? event->data[0] : UINT64_MAX;
    if (newest->next == 0)
        newest->first = newest->next = sequence;
    newest->gaps += sequence != newest->next;
    newest->next = sequence + 1;
}

void bench_overwrite(void)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    struct bench_tally logged = {0}, kept = {0}, last = {0}, order = {0};
    struct test_trace trace;
    u64 events = events_to_emit();
    test_trace_begin(&trace, SYS_TRACE_OVERWRITE, TRACE_MASK_TEST);
    bench_on_cpus(bench_all_cpus(), overwrite_emit, &events, workers);
    test_trace_end();
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        struct sys_trace_stat stat = {0};
        struct trace_reading reading = {0};
        struct newest newest = {0};
        s64 error = test_trace_read(cpu, overwrite_check, &newest, &reading);
        error += sys_trace_stat(cpu, &stat);
        bench_compare(&logged, events + cpu, stat.events);
        bench_compare(&kept, events + cpu, stat.overwritten + reading.events);
        bench_compare(&last, events + cpu, newest.next);
        bench_compare(&order, 0, newest.gaps + reading.backwards + reading.malformed + (u64)-error);
    }
    test_trace_restore(&trace);
    bench_tally_row(&logged, "events logged, %u CPUs", cpu_count);
    bench_tally_row(&kept, "  overwritten + kept");
    bench_tally_row(&last, "  the newest one is kept");
    bench_tally_row(&order, "  gaps, or time going back");
}

// SPDX-License-Identifier: MIT
// `kov locks`: shows for which objects' spin locks threads wait, from samples of larx. With --sleep
// it shows sleep locks.
#include "commands/commands.h"
#include "counts/event_list.h"
#include "locks/contention_print.h"
#include "locks/sleep_locks.h"
#include "samples/sampling_window.h"
#include "tools/interrupt.h"
#include "wire/session.h"

#include <inttypes.h>
#include <string.h>

static double duration;
static bool sleep_locks, acquisitions;
static u64 rows;

static const struct option own_options[] = {
    FLAG(0, "sleep", &sleep_locks, "sleep locks (queues of blocked threads) instead"),
    SECONDS('d', "duration", &duration, 86400, "how long (5; with a workload, as long as it runs)"),
    NUMBER('F', "frequency", &sampling_options.frequency, 1, 1000000, "HZ",
           "samples a second on the CPU where the event comes most often (1000)"),
    NUMBER('c', "period", &sampling_options.period, SYS_PRECISE_PERIOD_MIN, SYS_PERIOD_MAX,
           "THRESHOLD", "larx a sample, in place of a frequency"),
    FLAG(0, "precise", &sampling_options.precise,
         "samples that the model unit writes itself: exact places, no interrupts"),
    FLAG('a', "acquisitions", &acquisitions, "sample stcx too: how often the locks were taken"),
    NUMBER(0, "cpus", &sampling_options.cpu_mask, 1, UINT32_MAX, "MASK",
           "CPUs to sample, bit 0 is CPU 0 (all)"),
    NUMBER(0, "randomise", &sampling_options.randomise, 0, 16, "BITS",
           "low bits of the threshold to randomise (10)"),
    TEXT(0, "pid", &sampling_options.pids, "PIDS",
         "only what was done by, or for, these processes: a list; 0: for none"),
    TEXT(0, "except-pid", &sampling_options.except_pids, "PIDS", "nothing of these processes"),
    NUMBER('n', "rows", &rows, 1, UINT32_MAX, "ROWS", "at most so many objects (all)"),
    OPTIONS_END,
};

// In the order of enum contention_event. Instructions are only for comparison: the threshold of
// larx is not theirs.
static const char larx_events[] = "larx,instructions";
static const char larx_events_fixed[] = "larx,instructions@10000000";
static const char stcx_events[] = "stcx,stcx-failed";

static struct sampling_window run;

static int check_machine(void)
{
    struct event_list list = {0};
    int code = event_list_fetch(&list);
    if (code == KOV_OK && event_list_find(&list, "larx", strlen("larx")) == NULL)
        code = fail(KOV_FAILED, "the machine does not count larx: it runs without the model unit "
                                "(scripts/qemu --pmu model)");
    event_list_free(&list);
    return code;
}

static int measure(const struct arguments *arguments)
{
    int code = session_begin(true);
    run.request.with_workload = arguments->has_workload;
    if (code == KOV_OK)
        code = check_machine();
    if (code == KOV_OK)
        code = sampling_choose(&sampling_options, &run.request);
    return code == KOV_OK ? sampling_window_run(arguments, duration, &run) : code;
}

static void show(bool workload)
{
    struct contention contention;
    contention_compute(&run.samples, run.request.events.count,
                       run.request.pids.count + run.request.except_pids.count != 0, &run.snapshot,
                       &contention);
    struct contention_view view = {.contention = &contention,
                                   .request = &run.request,
                                   .frequency = &run.frequency,
                                   .samples = &run.samples,
                                   .workload = workload ? &run.workload : NULL,
                                   .seconds = run.seconds,
                                   .max_rows = rows};
    contention_show(&view);
    contention_free(&contention);
}

static int spin_locks(const struct arguments *arguments)
{
    struct texts *events = &sampling_options.events;
    bool fixed = sampling_options.period != SAMPLING_NOT_GIVEN;
    events->texts[events->count++] = fixed ? larx_events_fixed : larx_events;
    if (acquisitions)
        events->texts[events->count++] = stcx_events;
    sampling_options.callers = 0;
    int code = sampling_decide(&sampling_options, &run.request);
    if (code != KOV_OK)
        return code;
    interrupt_catch();
    code = measure(arguments);
    if (code == KOV_OK) {
        show(arguments->has_workload);
        code = workload_verdict(&run.workload);
    }
    sampling_window_free(&run);
    return code;
}

static int run_command(const struct arguments *arguments)
{
    if (sleep_locks)
        return sleep_locks_run(arguments, duration, sampling_options.pids);
    return spin_locks(arguments);
}

const struct command command_locks = {
    .name = "locks",
    .synopsis =
        "[--sleep] [-d SECONDS] [-F HZ | -c THRESHOLD] [--precise] [-a] [--pid PIDS] [-n ROWS] "
        "[-- WORKLOAD [KEY=VALUE…] | run PROGRAM…]",
    .summary = "Which objects' locks are waited for",
    .details =
        "Samples larx, on which spin locks spin, by object: each object's part of all of them is "
        "its\n"
        "part of the contention, with the half width of a 99 % interval. A lock that was free has\n"
        "cost one larx too. TIME is 4 larx of all instructions, because a turn is four. "
        "--sleep, with\n"
        "-d and --pid, shows queues of threads that wait for sleep locks in their place.",
    .options = {own_options, sleep_locks_options},
    .takes_workload = true,
    .has_csv = true,
    .run = run_command,
};

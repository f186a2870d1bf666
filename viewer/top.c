// SPDX-License-Identifier: MIT
// `kov top`: where the machine spends its time now, refreshed again and again.
#include "commands.h"
#include "decode.h"
#include "interrupt.h"
#include "kernel.h"
#include "programs.h"
#include "resume.h"
#include "sampling.h"
#include "scan.h"
#include "session.h"
#include "table.h"

#include <inttypes.h>
#include <orrery/sys.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PLAIN_ROWS 20
#define HEADER_LINES 5

static u64 iterations;
static double delay = 2;
static const char *sort_text = "object";
static bool with_idle;

static const struct option own_options[] = {
    NUMBER('n', "iterations", &iterations, 1, UINT32_MAX, "COUNT",
           "end after so many refreshes (never)"),
    SECONDS('d', "delay", &delay, 3600, "between refreshes (2)"),
    TEXT('s', "sort", &sort_text, "KEYS",
         "by these, of process,object,class,function,line,thread,cpu (object)"),
    FLAG(0, "idle", &with_idle, "count idle samples too"),
    OPTIONS_END,
};

struct top {
    struct sampling_request request;
    struct sort sort;
    struct snapshot snapshot;
    struct symbols *symbols;
    struct sample_set samples; // since the last refresh
    u64 lost_before;
    struct json *json; // NULL: tables
};

static int take_event(void *context, const Orrery__Dci__Event *event)
{
    struct top *top = context;
    if (event->body_case == ORRERY__DCI__EVENT__BODY_SAMPLES)
        decode_samples(event->samples, &top->samples);
    return KOV_OK;
}

static bool names_missing(const struct top *top)
{
    for (size_t i = 0; i < top->samples.count; i++) {
        const struct sample *sample = &top->samples.samples[i];
        if ((sample->flags & SYS_SAMPLE_ATTRIBUTED) != 0 &&
            snapshot_object(&top->snapshot, sample_space(sample), sample->coid) == NULL)
            return true;
    }
    return false;
}

static size_t rows_that_fit(void)
{
    struct winsize window;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 ||
        window.ws_row <= HEADER_LINES)
        return PLAIN_ROWS;
    return (size_t)window.ws_row - HEADER_LINES;
}

static void print_refresh(const struct top *top, const struct aggregate *aggregate, u64 lost)
{
    const struct sample_totals *totals = &top->samples.totals;
    u64 busy = totals->samples - totals->idle;
    if (isatty(STDOUT_FILENO))
        fputs("\033[H\033[2J", stdout);
    printf("%s port %" PRIu64 ": %" PRIu64 " samples in %g s, lost %" PRIu64 ", idle %.1f %%\n",
           settings.host, settings.port, totals->samples, delay, lost,
           totals->samples == 0 ? 0.0 : 100.0 * (double)totals->idle / (double)totals->samples);
    printf("not idle %" PRIu64 ": attributed %" PRIu64 ", unattributed %" PRIu64 ", stale %" PRIu64
           "; soft-masked %" PRIu64 "\n\n",
           busy, totals->attributed, totals->unattributed, totals->stale, totals->soft_masked);
    table_print(stdout, aggregate, rows_that_fit());
    if (!isatty(STDOUT_FILENO))
        putchar('\n');
    fflush(stdout);
}

static void json_refresh(const struct top *top, const struct aggregate *aggregate, u64 lost)
{
    const struct sample_totals *totals = &top->samples.totals;
    json_open_object(top->json, NULL);
    json_u64(top->json, "samples", totals->samples);
    json_u64(top->json, "lost", lost);
    json_u64(top->json, "idle", totals->idle);
    json_u64(top->json, "attributed", totals->attributed);
    json_u64(top->json, "unattributed", totals->unattributed);
    json_u64(top->json, "stale", totals->stale);
    json_u64(top->json, "soft_masked", totals->soft_masked);
    table_json(top->json, "table", aggregate, 0);
    json_close(top->json);
    fflush(stdout);
}

static void show(struct top *top)
{
    struct aggregate aggregate = {
        .snapshot = &top->snapshot, .symbols = top->symbols, .programs = true, .sort = top->sort};
    for (size_t i = 0; i < top->samples.count; i++) {
        const struct sample *sample = &top->samples.samples[i];
        if (with_idle || (sample->flags & SYS_SAMPLE_IDLE) == 0)
            aggregate_add(&aggregate, sample);
    }
    aggregate_order(&aggregate);
    u64 lost = samples_lost(&top->samples);
    if (top->json != NULL)
        json_refresh(top, &aggregate, lost - top->lost_before);
    else
        print_refresh(top, &aggregate, lost - top->lost_before);
    top->lost_before = lost;
    aggregate_free(&aggregate);
}

// Keeps each CPU's count of losses, which goes on from refresh to refresh.
static void forget_samples(struct top *top)
{
    struct sample_set empty = {0};
    for (size_t i = 0; i < top->samples.cpu_count; i++) {
        const struct sample_cpu *cpu = &top->samples.cpus[i];
        struct sample_cpu *kept = samples_cpu(&empty, (u32)i);
        kept->lost = cpu->lost;
        kept->lost_before = cpu->lost_before;
    }
    samples_free(&top->samples);
    top->samples = empty;
}

static int refresh(struct top *top)
{
    int code = dci_listen(delay);
    if (code == KOV_OK && names_missing(top))
        code = scan_objects(&top->snapshot, SCAN_ALL);
    if (code == KOV_OK) {
        show(top);
        forget_samples(top);
    }
    return code;
}

static int watch_again(void *context)
{
    struct top *top = context;
    int code = scan_objects(&top->snapshot, SCAN_ALL);
    if (code == KOV_OK)
        code = sampling_start(&top->request);
    if (code == KOV_OK)
        decode_sampling_start(&top->samples);
    return code;
}

static int watch(struct top *top)
{
    dci_on_event(take_event, top);
    resume_begin(resume_nothing, NULL);
    int code = scan_objects(&top->snapshot, SCAN_ALL);
    if (code == KOV_OK)
        code = sampling_start(&top->request);
    resume_begin(watch_again, top);
    for (u64 i = 0; code == KOV_OK && !interrupted() && (iterations == 0 || i < iterations); i++)
        code = refresh(top);
    if (code == KOV_OK)
        code = sampling_stop(&top->samples);
    resume_end();
    dci_on_event(NULL, NULL);
    return code;
}

static int watch_as_json(struct top *top)
{
    struct json json = json_begin(stdout);
    json_open_array(&json, "refreshes");
    top->json = &json;
    int code = watch(top);
    top->json = NULL;
    json_close(&json);
    json_end(&json);
    return code;
}

static int run(const struct arguments *arguments)
{
    (void)arguments;
    struct top top = {0};
    int code = sampling_decide(&top.request);
    if (code == KOV_OK)
        code = sort_parse(sort_text, &top.sort);
    if (code != KOV_OK)
        return code;
    interrupt_catch();
    code = session_begin(true);
    if (code != KOV_OK)
        return code;
    const dci_system_info *machine = session_machine();
    kernel_use_build_id(machine->build_id.data, machine->build_id.len);
    top.symbols = kernel_symbols();
    code = settings.json ? watch_as_json(&top) : watch(&top);
    programs_close();
    kernel_close();
    snapshot_free(&top.snapshot);
    samples_free(&top.samples);
    return code;
}

const struct command command_top = {
    .name = "top",
    .synopsis = "[-n COUNT] [-d SECONDS] [--sort KEYS] [--pid PIDS] [--idle]",
    .summary = "Watch where the machine spends its time",
    .details = "Ctrl-C ends it. Without a terminal the tables follow each other.",
    .options = {own_options, sampling_option_table},
    .run = run,
};

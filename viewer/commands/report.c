// SPDX-License-Identifier: MIT
// `kov report`: what a recording says about objects, classes and functions.
#include "commands/commands.h"
#include "samples/event_summary.h"
#include "samples/sample_choice.h"
#include "samples/table.h"
#include "symbols/kernel.h"
#include "symbols/programs.h"
#include "tools/options.h"

#include <inttypes.h>
#include <string.h>

static const char *path = RECORDING_DEFAULT_PATH;
static const char *sort_text, *event_text;
static bool with_chains, with_idle;
static u64 max_rows;
static u64 pid = SAMPLE_ANY_PID;

static const struct option own_options[] = {
    TEXT('i', "input", &path, "FILE", "the recording (samples.kov); -: standard input"),
    TEXT('e', "event", &event_text, "EVENTS", "tables of these of its events only: EVENT[:u|:k],…"),
    CHOICE('s', "sort", &sort_text, "KEYS", "process object class function line thread cpu",
           "one table by these, of process,object,class,function,line,thread,cpu"),
    FLAG('g', "chains", &with_chains, "call chains under each row"),
    NUMBER(0, "pid", &pid, 0, UINT32_MAX, "PID",
           "only samples of this process, also in the kernel; 0: of none"),
    FLAG(0, "idle", &with_idle, "count idle samples too"),
    NUMBER('n', "rows", &max_rows, 1, UINT32_MAX, "ROWS", "at most so many rows a table (all)"),
    OPTIONS_END,
};

// The tables without --sort. The first one is for recordings with processes, the second for others;
// JSON and CSV have all.
static const char *const default_tables[] = {"process,object", "object", "class", "function"};

static double percent(u64 part, u64 whole)
{
    return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

static void print_header(const struct recording *recording)
{
    const struct sample_totals *totals = &recording->samples.totals;
    u64 busy = totals->samples - totals->idle;
    printf("%s: %" PRIu64 " samples of %" PRIu32 " CPUs, lost %" PRIu64 "%s\n", path,
           totals->samples, recording->cpu_count, samples_lost(&recording->samples),
           recording->request.precise ? "; precise" : "");
    event_summary_print(&recording->request, &recording->samples);
    printf("not idle %" PRIu64 ": attributed %" PRIu64 " (%.2f %%), unattributed %" PRIu64
           ", stale %" PRIu64 "; soft-masked %" PRIu64 "\n",
           busy, totals->attributed, percent(totals->attributed, busy), totals->unattributed,
           totals->stale, totals->soft_masked);
    if (totals->processes != 0)
        printf("of processes %" PRIu64 " (%.2f %%); in the kernel, for them or not, %" PRIu64 "\n",
               totals->processes, percent(totals->processes, busy), totals->kernel);
    if (samples_filtered(&recording->samples) != 0)
        printf("%" PRIu64 " samples of other processes were not asked for\n",
               samples_filtered(&recording->samples));
    if (samples_missed(&recording->samples) != 0)
        printf("%" PRIu64 " periods without a sample: the emulator interrupted too late\n",
               samples_missed(&recording->samples));
    printf("idle %" PRIu64 " (%.2f %%), %s\n", totals->idle, percent(totals->idle, totals->samples),
           with_idle ? "counted in the tables" : "not counted in the tables (--idle counts them)");
}

static void put_header(json_t *json, const struct recording *recording)
{
    put_text(json, "file", path);
    put_bool(json, "complete", !recording->cut);
    put_u64(json, "cpus", recording->cpu_count);
    put_bool(json, "precise", recording->request.precise);
    put_bool(json, "idle_counted", with_idle);
    sample_totals_put(json, &recording->samples);
    event_summary_put(json, &recording->request, &recording->samples, false);
}

static void fill(struct aggregate *aggregate, const struct recording *recording, u32 index)
{
    const struct sample_choice choice = {.idle = with_idle, .pid = pid, .event = index};
    aggregate->share = samples_share(&recording->samples, index);
    aggregate->unseen = samples_unseen_error(&recording->samples, index);
    for (size_t i = 0; i < recording->samples.count; i++) {
        const struct sample *sample = &recording->samples.samples[i];
        if (sample_is_chosen(recording, &choice, sample))
            aggregate_add(aggregate, sample);
    }
    aggregate_order(aggregate);
}

// What the tables are made from.
struct show {
    const struct recording *recording;
    struct symbols *symbols;
    struct programs *programs;
    json_t *tables;
    u32 selected; // bit n: event n
    // JSON is printed in the end. Of the other forms each table is printed when it is made.
    enum output_form form;
};

static void show_table(const struct show *show, u32 index, const char *sort)
{
    struct aggregate aggregate = {.snapshot = &show->recording->snapshot,
                                  .symbols = show->symbols,
                                  .programs = show->programs,
                                  .chains = with_chains};
    if (sort_parse(sort, &aggregate.sort) != KOV_OK)
        return; // it was parsed before
    fill(&aggregate, show->recording, index);
    const json_t *table = table_put(show->tables, &aggregate,
                                    &show->recording->request.events.events[index], max_rows);
    bool is_csv = show->form == OUTPUT_CSV, for_people = show->form == OUTPUT_TABLES;
    if (for_people || (is_csv && json_array_size(show->tables) > 1))
        putchar('\n');
    if (is_csv)
        table_csv(&aggregate, table);
    else if (for_people)
        table_print(&aggregate, table);
    aggregate_free(&aggregate);
}

static void show_tables(const struct show *show, u32 index)
{
    if (sort_text != NULL) {
        show_table(show, index, sort_text);
        return;
    }
    size_t left_out = show->recording->samples.by_event[index].processes > 0 ? 1 : 0;
    for (size_t i = 0; i < ARRAY_SIZE(default_tables); i++)
        if (i != left_out || show->form != OUTPUT_TABLES)
            show_table(show, index, default_tables[i]);
}

static void show_events(const struct show *show)
{
    const struct sampled_events *events = &show->recording->request.events;
    char title[SAMPLED_TITLE_BYTES];
    for (u32 i = 0; i < events->count; i++) {
        if ((show->selected >> i & 1) == 0)
            continue;
        if (show->form == OUTPUT_TABLES && events->count > 1)
            printf("\n---- %s\n", sampled_event_title(&events->events[i], title));
        show_tables(show, i);
    }
}

// Selects the events that -e names, or all.
static int select_events(const struct sampled_events *events, u32 *selected)
{
    *selected = event_text == NULL ? ~0u : 0;
    for (const char *text = event_text; text != NULL;) {
        size_t length = strcspn(text, ",");
        u32 found = sampled_events_find(events, text, length);
        if (found == 0)
            return fail(KOV_USAGE, "--event: %s has no samples of '%.*s'", path, (int)length, text);
        *selected |= found;
        text = text[length] == '\0' ? NULL : text + length + 1;
    }
    return KOV_OK;
}

static void show(const struct recording *recording, u32 selected)
{
    struct kernel kernel = {0};
    struct programs programs = {0};
    kernel_use_build_id(&kernel, recording->build_id, recording->build_id_size);
    json_t *document = json_object();
    put_header(document, recording);
    const struct show show = {.recording = recording,
                              .symbols = kernel_symbols(&kernel),
                              .programs = &programs,
                              .tables = put_array(document, "tables"),
                              .selected = selected,
                              .form = output_form()};
    if (show.form == OUTPUT_TABLES)
        print_header(recording);
    show_events(&show);
    document_tell(document, NULL);
    programs_close(&programs);
    kernel_close(&kernel);
}

static int run(const struct arguments *arguments)
{
    (void)arguments;
    struct sort sort;
    int code = sort_text == NULL ? KOV_OK : sort_parse(sort_text, &sort);
    if (code != KOV_OK)
        return code;
    struct recording recording = {0};
    code = recording_load(path, &recording);
    u32 selected;
    if (code == KOV_OK)
        code = select_events(&recording.request.events, &selected);
    if (code == KOV_OK)
        show(&recording, selected);
    recording_free(&recording);
    return code;
}

const struct command command_report = {
    .name = "report",
    .synopsis = "[-i FILE] [-e EVENTS] [--sort KEYS] [--pid PID] [-g] [--idle] [-n ROWS]",
    .summary = "Show where a recording's samples are, by object, class and function",
    .details =
        "When processes were sampled, each is listed with the objects that its time went to: its\n"
        "own, and the kernel's that worked for it; so with every --sort that begins with process.\n"
        "Percentages are of the samples that are not idle. \"[none]\" is code at work for no\n"
        "object, \"[stale]\" one whose object is gone when the sample is read, \"[gone]\" one\n"
        "that no scan saw. MASKED counts the samples inside soft-masked sections. "
        "EVENTS is how many\n"
        "events they stand for, each for its THRESHOLD; +- is how far off that is: by chance, at\n"
        "most in 99 of 100 cases, and by what was lost or missed, which may all be missing in\n"
        "this row. Each event has tables of its own.",
    .options = {own_options},
    .has_csv = true,
    .run = run,
};

// SPDX-License-Identifier: MIT
// A refresh of `kov top`: as tables, or as JSON.
#include "commands/top.h"
#include "machine/failures_print.h"
#include "samples/event_summary.h"
#include "samples/table.h"
#include "tools/lines.h"

#include <inttypes.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PLAIN_ROWS 20
#define HEADER_LINES 8

static size_t rows_that_fit(void)
{
    struct winsize window;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 ||
        window.ws_row <= HEADER_LINES)
        return settings.rows != 0 ? settings.rows : PLAIN_ROWS;
    size_t room = (size_t)window.ws_row - HEADER_LINES;
    return settings.rows != 0 && settings.rows < room ? settings.rows : room;
}

// Prints the failures on one line, since the screen is for objects. JSON has all of them.
static void print_failures(const struct snapshot *snapshot)
{
    const struct failures *failures = &snapshot->failures;
    char name[OBJECT_NAME_BYTES];
    if (failures->count == 0)
        return;
    snapshot_process_name(snapshot, failures->list[0].pid, name);
    printf("%s: %s", name, failures->list[0].reason);
    if (failures->count > 1)
        printf(", and %zu more whose own objects have no names", failures->count - 1);
    putchar('\n');
}

static void print_begin(const struct top *top, double seconds, u64 lost)
{
    const struct sample_totals *totals = &top->samples.totals;
    u64 busy = totals->samples - totals->idle;
    lines_clear_screen();
    printf("%s port %" PRIu64 ": %" PRIu64 " samples in %g s, lost %" PRIu64 ", idle %.1f %%\n",
           settings.host, settings.port, totals->samples, seconds, lost,
           totals->samples == 0 ? 0.0 : 100.0 * (double)totals->idle / (double)totals->samples);
    printf("not idle %" PRIu64 ": attributed %" PRIu64 ", unattributed %" PRIu64 ", stale %" PRIu64
           "; soft-masked %" PRIu64 "\n",
           busy, totals->attributed, totals->unattributed, totals->stale, totals->soft_masked);
    print_failures(&top->snapshot);
}

static void json_refresh(struct top *top, u64 lost)
{
    const struct sample_totals *totals = &top->samples.totals;
    json_t *row = top->refresh = json_object();
    put_u64(row, "samples", totals->samples);
    put_u64(row, "lost", lost);
    put_u64(row, "idle", totals->idle);
    put_u64(row, "attributed", totals->attributed);
    put_u64(row, "unattributed", totals->unattributed);
    put_u64(row, "stale", totals->stale);
    put_u64(row, "soft_masked", totals->soft_masked);
    failures_json(row, &top->snapshot.failures, &top->snapshot);
    top->tables = put_array(row, "tables");
}

void top_begin(struct top *top, double seconds, u64 lost)
{
    if (output_form() == OUTPUT_JSON) // has all events and rows; a terminal has not room for them
        json_refresh(top, lost);
    else
        print_begin(top, seconds, lost);
}

void top_show(const struct top *top, u32 index, const struct aggregate *aggregate)
{
    const struct sampled_event *event = &top->request.events.events[index];
    char title[SAMPLED_TITLE_BYTES];
    if (top->refresh != NULL) {
        put_bool(table_put(top->tables, aggregate, event, 0), "too_rare",
                 frequency_is_rare_now(&top->frequency, &top->samples, index));
        return;
    }
    printf("%s%s: %" PRIu64 " samples, one every %" PRIu64 "\n\n", top->keys ? "" : "\n",
           sampled_event_title(event, title), top->samples.by_event[index].samples, event->period);
    json_t *tables = json_array();
    table_print(aggregate, table_put(tables, aggregate, event, rows_that_fit()));
    json_decref(tables);
    frequency_print_rare_now(&top->frequency, &top->samples, index);
}

static void print_end(const struct top *top)
{
    columns_tell_left_out();
    if (!top->keys)
        putchar('\n');
    else if (top->note[0] != '\0')
        fputs(top->note, stdout);
    else
        fputs(top->request.events.count > 1
                  ? "q quit  + double the threshold  - halve it  1-8, Tab another event"
                  : "q quit  + double the threshold  - halve it",
              stdout);
}

void top_end(const struct top *top)
{
    if (top->refresh != NULL)
        series_add(top->refresh);
    else
        print_end(top);
    fflush(stdout);
}

json_t *top_counts(const struct top *top)
{
    json_t *counts = json_object(), *list = put_array(counts, "events");
    for (u32 i = 0; i < top->request.events.count; i++) {
        struct sample_stream stream = samples_sum(&top->samples, SAMPLES_ALL, i);
        json_t *row = put_object(list, NULL);
        event_name_json(row, &top->request.events.events[i]);
        put_u64(row, "taken", stream.taken);
        put_u64(row, "filtered", stream.filtered);
        put_u64(row, "lost", stream.lost);
        put_u64(row, "missed", stream.missed);
    }
    return counts;
}

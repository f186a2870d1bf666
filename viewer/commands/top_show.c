// SPDX-License-Identifier: MIT
// A refresh of `kov top`: as tables, or as JSON.
#include "commands/top.h"
#include "machine/failures_print.h"
#include "samples/event_summary.h"
#include "samples/table.h"

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
        return PLAIN_ROWS;
    return (size_t)window.ws_row - HEADER_LINES;
}

// One line, as the screen is for objects: JSON has all of them.
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
    if (isatty(STDOUT_FILENO))
        fputs("\033[H\033[2J", stdout);
    printf("%s port %" PRIu64 ": %" PRIu64 " samples in %g s, lost %" PRIu64 ", idle %.1f %%\n",
           settings.host, settings.port, totals->samples, seconds, lost,
           totals->samples == 0 ? 0.0 : 100.0 * (double)totals->idle / (double)totals->samples);
    printf("not idle %" PRIu64 ": attributed %" PRIu64 ", unattributed %" PRIu64 ", stale %" PRIu64
           "; soft-masked %" PRIu64 "\n",
           busy, totals->attributed, totals->unattributed, totals->stale, totals->soft_masked);
    print_failures(&top->snapshot);
}

static void json_begin_refresh(const struct top *top, u64 lost)
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
    failures_json(top->json, &top->snapshot.failures, &top->snapshot);
    json_open_array(top->json, "tables");
}

void top_begin(const struct top *top, double seconds, u64 lost)
{
    if (top->json != NULL)
        json_begin_refresh(top, lost);
    else
        print_begin(top, seconds, lost);
}

void top_show(const struct top *top, u32 index, const struct aggregate *aggregate)
{
    const struct sampled_event *event = &top->request.events.events[index];
    char title[SAMPLED_TITLE_BYTES];
    if (top->json != NULL) {
        table_json(top->json, aggregate, event, 0);
        return;
    }
    printf("%s%s: %" PRIu64 " samples, one every %" PRIu64 "\n\n", top->keys ? "" : "\n",
           sampled_event_title(event, title), top->samples.by_event[index].samples, event->period);
    table_print(stdout, aggregate, rows_that_fit());
}

static void print_end(const struct top *top)
{
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
    if (top->json != NULL) {
        json_close(top->json);
        json_close(top->json);
    } else {
        print_end(top);
    }
    fflush(stdout);
}

// SPDX-License-Identifier: MIT
// The topics of values over time: metrics and series.
#include "gateway/machine_state.h"
#include "tools/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SERIES_POINTS_MAX 2048
#define FIRST_SECONDS 3600.0  // of history, for a new browser
#define SAMPLED_SECONDS 300.0 // of history, for values computed from samples

// ---- metrics, counted --------------------------------------------------------------------------

static void send_metric(struct machine *machine, struct published *published, u32 count, bool whole,
                        const struct frame_metric *from)
{
    struct block *block = block_new(frame_metric_bytes(count), true, whole);
    struct frame_metric rows;
    frame_metric_lay(block->data, count, &rows);
    for (u32 i = 0; i < count; i++) {
        rows.time[i] = from->time[i];
        rows.value[i] = from->value[i];
        rows.error[i] = from->error[i];
        rows.measured[i] = from->measured[i];
    }
    struct frame_head head = {.kind = FRAME_METRIC,
                              .flags = whole ? FRAME_WHOLE : 0,
                              .rows = count,
                              .t0 = count > 0 ? rows.time[0] : 0,
                              .complete = count > 0 ? rows.time[count - 1] : 0};
    frame_head_write(block->data, &head);
    machine_publish(machine, published, block);
}

// Points that are collected until their number is known.
struct points {
    double times[SERIES_POINTS_MAX];
    float values[SERIES_POINTS_MAX], errors[SERIES_POINTS_MAX], measured[SERIES_POINTS_MAX];
    u32 count;
};

static void add_point(struct points *points, double time, double value, double error,
                      double measured)
{
    if (points->count == SERIES_POINTS_MAX) { // the oldest goes
        memmove(points->times, points->times + 1, sizeof(points->times) - sizeof(double));
        memmove(points->values, points->values + 1, sizeof(points->values) - sizeof(float));
        memmove(points->errors, points->errors + 1, sizeof(points->errors) - sizeof(float));
        memmove(points->measured, points->measured + 1, sizeof(points->measured) - sizeof(float));
        points->count--;
    }
    u32 at = points->count++;
    points->times[at] = time;
    points->values[at] = (float)value;
    points->errors[at] = (float)error;
    points->measured[at] = (float)measured;
}

static void send_points(struct machine *machine, struct published *published, struct points *points,
                        bool whole)
{
    struct frame_metric rows = {points->times, points->values, points->errors, points->measured};
    send_metric(machine, published, points->count, whole, &rows);
}

static int publish_counted(struct machine *machine, struct published *published, u32 metric,
                           u32 cpu)
{
    int code = KOV_OK;
    if (machine->live)
        code = metric_counts_attend(&machine->metric_counts, &machine->background.list,
                                    machine->history);
    const struct track *track =
        machine->history == NULL ? NULL : history_track(machine->history, metric, cpu);
    if (machine->metric_counts.refused)
        publish_stop(machine, published, machine->failure);
    if (machine->metric_counts.running && machine->player == NULL)
        published->due = machine->metric_counts.due; // told as soon as it is read
    if (code != KOV_OK || track == NULL)
        return code;
    double now = machine_time(machine, background_now(&machine->background));
    struct track_node *nodes = memory_get(SERIES_POINTS_MAX * sizeof(*nodes));
    struct points *points = memory_get(sizeof(*points));
    u64 fresh = track->values - published->said;
    double from = published->afresh ? now - FIRST_SECONDS * 1e9 : now - 16e9;
    size_t count = track_range(track, from, now + 1e9, nodes, SERIES_POINTS_MAX);
    size_t first = published->afresh || fresh > count ? 0 : count - fresh;
    for (size_t i = first; i < count; i++)
        add_point(points, nodes[i].to, nodes[i].last, nodes[i].error, nodes[i].measured);
    published->said = track->values;
    if (points->count > 0)
        send_points(machine, published, points, published->afresh);
    free(points);
    free(nodes);
    return KOV_OK;
}

// ---- metrics and series, from samples ----------------------------------------------------------

struct collection {
    struct machine *machine;
    const struct metric *metric;
    u32 event;
    struct ranking_thing thing;
    struct points points;
};

static void visit_metric(void *context, double from, double to, const struct site_sums *sums)
{
    struct collection *collection = context;
    u32 count;
    const struct sampled_event *events = history_events(collection->machine->history, &count);
    (void)from;
    struct metric_value value = ranking_metric(sums, events, count, collection->metric, COUNT_ALL,
                                               &collection->thing, &collection->machine->snapshot);
    add_point(&collection->points, to, value.value, value.error, 1);
}

static void visit_series(void *context, double from, double to, const struct site_sums *sums)
{
    struct collection *collection = context;
    struct sample_sum sum;
    struct estimate estimate = {NAN, NAN};
    u64 covered = site_sums_covered(sums, collection->event); // what heat divides by, too
    double seconds = (double)covered / (double)collection->machine->timebase_hz;
    (void)from;
    if (covered > 0 && ranking_thing(sums, collection->event, &collection->thing,
                                     &collection->machine->snapshot, &sum))
        estimate = (struct estimate){(double)sum.events, samples_error(sum.square)};
    add_point(&collection->points, to, estimate.value / seconds, estimate.error / seconds, 1);
}

static void collect(struct machine *machine, struct collection *collection, double seconds,
                    void visit(void *context, double from, double to, const struct site_sums *sums))
{
    double now = machine_time(machine, background_now(&machine->background));
    if (machine->history != NULL)
        history_cells(machine->history, now - seconds * 1e9, now, visit, collection);
}

int publish_metric(struct machine *machine, struct published *published)
{
    u32 cpu;
    struct collection *collection = memory_get(sizeof(*collection));
    const char *name = publish_text(published, "metric");
    int code = KOV_OK;
    u32 metric = 0;
    while (metric < metric_count && strcmp(metrics[metric].name, name) != 0)
        metric++;
    if (metric == metric_count)
        publish_stop(machine, published, "there is no metric of that name");
    else if (!publish_thing(publish_text(published, "of"), &collection->thing, &cpu))
        publish_stop(machine, published, "of: m, c:CPU, p:PID, o:PID:COID or k:CLASS");
    else if (collection->thing.kind == SITE_ALL)
        code = publish_counted(machine, published, metric, cpu);
    else {
        collection->machine = machine;
        collection->metric = &metrics[metric];
        collect(machine, collection, SAMPLED_SECONDS, visit_metric);
        send_points(machine, published, &collection->points, true);
    }
    free(collection);
    return code;
}

int publish_series(struct machine *machine, struct published *published)
{
    u32 cpu;
    struct collection *collection = memory_get(sizeof(*collection));
    collection->machine = machine;
    collection->event = publish_measure(machine, published);
    if (!publish_thing(publish_text(published, "of"), &collection->thing, &cpu)) {
        publish_stop(machine, published, "of: m, p:PID, o:PID:COID or k:CLASS");
    } else {
        if (collection->event != HISTORY_NO_EVENT)
            collect(machine, collection, SAMPLED_SECONDS, visit_series);
        const struct points *points = &collection->points;
        struct block *block = block_new(frame_series_bytes(points->count), true, true);
        struct frame_series rows;
        frame_series_lay(block->data, points->count, &rows);
        for (u32 i = 0; i < points->count; i++) {
            rows.time[i] = points->times[i];
            rows.min[i] = rows.max[i] = rows.last[i] = points->values[i];
            rows.error[i] = points->errors[i];
        }
        struct frame_head head = {.kind = FRAME_SERIES,
                                  .flags = FRAME_WHOLE,
                                  .rows = points->count,
                                  .t0 = points->count > 0 ? points->times[0] : 0,
                                  .complete =
                                      points->count > 0 ? points->times[points->count - 1] : 0};
        frame_head_write(block->data, &head);
        machine_publish(machine, published, block);
    }
    free(collection);
    return KOV_OK;
}

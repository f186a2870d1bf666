// SPDX-License-Identifier: MIT
// Sums up each event of a sampling session.
#include "samples/event_summary.h"
#include "counts/stat_cell.h"

#include <string.h>

double samples_attributed_percent(const struct sample_totals *totals)
{
    u64 busy = totals->samples - totals->idle;
    return busy == 0 ? 0 : 100.0 * (double)totals->attributed / (double)busy;
}

void sample_totals_put(json_t *json, const struct sample_set *samples)
{
    const struct sample_totals *totals = &samples->totals;
    put_u64(json, "samples", totals->samples);
    put_u64(json, "lost", samples_lost(samples));
    put_u64(json, "missed", samples_missed(samples));
    put_u64(json, "filtered", samples_filtered(samples));
    put_u64(json, "idle", totals->idle);
    put_u64(json, "kernel", totals->kernel);
    put_u64(json, "processes", totals->processes);
    put_u64(json, "attributed", totals->attributed);
    put_u64(json, "unattributed", totals->unattributed);
    put_u64(json, "stale", totals->stale);
    put_u64(json, "soft_masked", totals->soft_masked);
    put_number(json, "attributed_percent", samples_attributed_percent(totals));
}

void event_name_json(json_t *json, const struct sampled_event *event)
{
    put_text(json, "event", event->name);
    put_text(json, "mode", count_mode_name(event->mode));
    put_u64(json, "period", event->period);
    put_u64(json, "randomise", event->randomise);
}

static void json_stream(json_t *json, const struct sample_stream *stream,
                        const struct sample_share *share)
{
    put_u64(json, "samples", stream->received);
    put_u64(json, "taken", stream->taken);
    put_u64(json, "filtered", stream->filtered);
    put_u64(json, "lost", stream->lost);
    put_u64(json, "missed", stream->missed);
    put_u64(json, "overflows", stream->overflows);
    put_number(json, "time_percent", 100 * sample_share_part(share));
    put_u64(json, "turns", share->turns);
}

static void json_cpus(json_t *json, const struct sample_set *samples, u32 index)
{
    json_t *list = put_array(json, "cpus");
    for (size_t i = 0; i < samples->cpu_count; i++) {
        json_t *row = put_object(list, NULL);
        put_u64(row, "cpu", samples->cpus[i].cpu);
        const struct sample_stream *stream = &samples->cpus[i].streams[index];
        json_stream(row, stream, &stream->share);
    }
}

json_t *event_summary_put(json_t *json, const struct sampling_request *request,
                          const struct sample_set *samples, bool per_cpu)
{
    json_t *list = put_array(json, "events");
    for (u32 i = 0; i < request->events.count; i++) {
        const struct sample_totals *totals = &samples->by_event[i];
        struct sample_stream stream = samples_sum(samples, SAMPLES_ALL, i);
        struct sample_share share = samples_share(samples, i);
        struct sample_sum sum = samples_events(samples, i);
        json_t *row = put_object(list, NULL);
        event_name_json(row, &request->events.events[i]);
        put_u64(row, "changes", samples->changes[i]);
        json_stream(row, &stream, &share);
        put_u64(row, "events", sum.events);
        put_number(row, "events_error",
                   samples_error(sum.square) + samples_unseen_error(samples, i));
        put_u64(row, "idle", totals->idle);
        put_u64(row, "attributed", totals->attributed);
        put_u64(row, "unattributed", totals->unattributed);
        put_u64(row, "stale", totals->stale);
        if (per_cpu)
            json_cpus(row, samples, i);
    }
    return list;
}

void event_error_cell(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    double events = json_number_value(json_object_get(row, "events"));
    double error = json_number_value(json_object_get(row, column->key));
    strcpy(text, CELL_UNKNOWN);
    if (events != 0)
        snprintf(text, CELL_BYTES, "%.2f %%", 100 * error / events);
}

static void changes_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    json_int_t changes = json_integer_value(json_object_get(row, column->key));
    text[0] = '\0';
    if (changes != 0)
        snprintf(text, CELL_BYTES, "(at first: changed %" JSON_INTEGER_FORMAT " times)", changes);
}

const struct column event_summary_columns[] = {
    COLUMN("EVENT", "event", -16, .compose = stat_cell_title),
    HIDDEN("mode"),
    COLUMN("SAMPLES", "samples", 10),
    COLUMN("LOST", "lost", 9),
    COLUMN("MISSED", "missed", 9),
    COLUMN("THRESHOLD", "period", 11),
    COLUMN("TIME", "time_percent", 9, .decimals = 2, .unit = " %", .rank = RANK_RARE),
    COLUMN("EVENTS", "events", 16),
    COLUMN("+-", "events_error", 10, .compose = event_error_cell),
    HIDDEN("idle"),
    HIDDEN("attributed"),
    HIDDEN("unattributed"),
    HIDDEN("stale"),
    COLUMN("", "changes", -1, .compose = changes_text),
    COLUMNS_END,
};

void event_summary_print(const struct sampling_request *request, const struct sample_set *samples)
{
    json_t *document = json_object();
    columns_print(event_summary_columns, event_summary_put(document, request, samples, false), "");
    json_decref(document);
}

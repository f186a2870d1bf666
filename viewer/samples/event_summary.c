// SPDX-License-Identifier: MIT
// What came of each event of a sampling session: samples, losses,
// and how many events they stand for.
#include "samples/event_summary.h"

#include <inttypes.h>

const char *event_error_text(const struct sample_sum *sum, char text[ERROR_TEXT_BYTES])
{
    if (sum->events == 0)
        snprintf(text, ERROR_TEXT_BYTES, "-");
    else
        snprintf(text, ERROR_TEXT_BYTES, "%.2f %%",
                 100 * samples_error(sum->square) / (double)sum->events);
    return text;
}

static void print_event(FILE *out, const struct sampled_event *event,
                        const struct sample_set *samples, u32 index)
{
    struct sample_stream stream = samples_sum(samples, SAMPLES_ALL, index);
    struct sample_share share = samples_share(samples, index);
    struct sample_sum sum = samples_events(samples, index);
    char title[SAMPLED_TITLE_BYTES], error[ERROR_TEXT_BYTES];
    fprintf(
        out,
        "%-16s %10" PRIu64 " %9" PRIu64 " %9" PRIu64 " %11" PRIu64 " %7.2f %% %16" PRIu64 " %10s",
        sampled_event_title(event, title), sum.samples, stream.lost, stream.missed, event->period,
        100 * sample_share_part(&share), sum.events, event_error_text(&sum, error));
    if (samples->changes[index] != 0)
        fprintf(out, "  (at first: changed %" PRIu32 " times)", samples->changes[index]);
    fputc('\n', out);
}

void event_summary_print(FILE *out, const struct sampling_request *request,
                         const struct sample_set *samples)
{
    fprintf(out, "%-16s %10s %9s %9s %11s %9s %16s %10s\n", "EVENT", "SAMPLES", "LOST", "MISSED",
            "THRESHOLD", "TIME", "EVENTS", "+-");
    for (u32 i = 0; i < request->events.count; i++)
        print_event(out, &request->events.events[i], samples, i);
}

void event_name_json(struct json *json, const struct sampled_event *event)
{
    json_text(json, "event", event->name);
    json_text(json, "mode", count_mode_name(event->mode));
    json_u64(json, "period", event->period);
    json_u64(json, "randomise", event->randomise);
}

static void json_stream(struct json *json, const struct sample_stream *stream,
                        const struct sample_share *share)
{
    json_u64(json, "samples", stream->received);
    json_u64(json, "taken", stream->taken);
    json_u64(json, "filtered", stream->filtered);
    json_u64(json, "lost", stream->lost);
    json_u64(json, "missed", stream->missed);
    json_u64(json, "overflows", stream->overflows);
    json_number(json, "time_percent", 100 * sample_share_part(share));
    json_u64(json, "turns", share->turns);
}

static void json_cpus(struct json *json, const struct sample_set *samples, u32 index)
{
    json_open_array(json, "cpus");
    for (size_t i = 0; i < samples->cpu_count; i++) {
        json_open_object(json, NULL);
        json_u64(json, "cpu", samples->cpus[i].cpu);
        const struct sample_stream *stream = &samples->cpus[i].streams[index];
        json_stream(json, stream, &stream->share);
        json_close(json);
    }
    json_close(json);
}

void event_summary_json(struct json *json, const char *key, const struct sampling_request *request,
                        const struct sample_set *samples, bool per_cpu)
{
    json_open_array(json, key);
    for (u32 i = 0; i < request->events.count; i++) {
        const struct sample_totals *totals = &samples->by_event[i];
        struct sample_stream stream = samples_sum(samples, SAMPLES_ALL, i);
        struct sample_share share = samples_share(samples, i);
        struct sample_sum sum = samples_events(samples, i);
        json_open_object(json, NULL);
        event_name_json(json, &request->events.events[i]);
        json_u64(json, "changes", samples->changes[i]);
        json_stream(json, &stream, &share);
        json_u64(json, "events", sum.events);
        json_number(json, "events_error", samples_error(sum.square));
        json_u64(json, "idle", totals->idle);
        json_u64(json, "attributed", totals->attributed);
        json_u64(json, "unattributed", totals->unattributed);
        json_u64(json, "stale", totals->stale);
        if (per_cpu)
            json_cpus(json, samples, i);
        json_close(json);
    }
    json_close(json);
}

// SPDX-License-Identifier: MIT
// Writes the lines of JSON. A slice is written as begin and end, each with its exact time. Readers
// that compute with durations would make neighbours overlap by a rounding error.
#include "export/chrome.h"
#include "tools/text.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#define NANOSECONDS 1000000000UL
#define EXACT_MAX (1UL << 53) // largest exact number of JavaScript

static u64 nanoseconds(const struct chrome *chrome, u64 ticks)
{
    return (u64)((unsigned __int128)ticks * NANOSECONDS / chrome->engine->descriptions.hz);
}

static void write_head(struct chrome *chrome, const char *phase, struct chrome_track track,
                       u64 time)
{
    u64 ns = nanoseconds(chrome, time);
    fprintf(chrome->out,
            ",\n{\"ph\":\"%s\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64 ",\"ts\":%" PRIu64
            ".%03" PRIu64,
            phase, track.pid, track.tid, ns / 1000, ns % 1000);
}

static void write_string(FILE *out, const char *text)
{
    char *escaped = text_copy_escaped(text); // viewers show it, and JSON is UTF-8
    json_t *string = json_string(escaped);
    char *quoted = json_dumps(string, JSON_ENCODE_ANY);
    fputs(quoted, out);
    free(quoted);
    json_decref(string);
    free(escaped);
}

static void write_name(struct chrome *chrome, const char *what, struct chrome_track track,
                       const char *name, u64 number)
{
    char text[2 * TRACE_TEXT_BYTES];
    fprintf(chrome->out,
            ",\n{\"ph\":\"M\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64
            ",\"name\":\"%s\",\"args\":{\"name\":",
            track.pid, track.tid, what);
    if (number == UINT64_MAX)
        snprintf(text, sizeof(text), "%s", name);
    else
        snprintf(text, sizeof(text), "%s %" PRIu64, name, number);
    write_string(chrome->out, text);
    fputs("}}", chrome->out);
}

// Returns the name that the trace gives it, or `otherwise`.
static const char *named(const struct chrome *chrome, enum label_kind kind, u64 number,
                         const char *otherwise)
{
    const char *name = labels_find(&chrome->labels, kind, number);
    return name != NULL ? name : otherwise;
}

static void name_process(struct chrome *chrome, struct chrome_track track)
{
    if (chrome_mark_find(&chrome->named, track.pid << 32) != NULL)
        return;
    chrome_mark_get(&chrome->named, track.pid << 32);
    if (track.pid == CHROME_CPUS)
        write_name(chrome, "process_name", track, "CPUs", UINT64_MAX);
    else if (track.pid == CHROME_THREADS)
        write_name(chrome, "process_name", track, "kernel and processes not known", UINT64_MAX);
    else
        write_name(chrome, "process_name", track,
                   named(chrome, LABEL_PROCESS, track.pid, "process"), track.pid);
}

u64 chrome_track_id(struct chrome_track track)
{
    return track.pid << 32 | (u32)(track.tid + 1);
}

// Names a track once, before anything is written on it.
static void name_track(struct chrome *chrome, struct chrome_track track)
{
    u64 id = chrome_track_id(track);
    if (chrome_mark_find(&chrome->named, id) != NULL)
        return;
    name_process(chrome, track);
    chrome_mark_get(&chrome->named, id);
    if (track.pid == CHROME_CPUS)
        write_name(chrome, "thread_name", track, "CPU", track.tid);
    else if (track.tid >= CHROME_USER_THREADS)
        write_name(chrome, "thread_name", track, "user thread", track.tid - CHROME_USER_THREADS);
    else
        write_name(chrome, "thread_name", track, named(chrome, LABEL_THREAD, track.tid, "thread"),
                   track.tid);
}

static void write_edge(struct chrome *chrome, const char *phase, struct chrome_track track,
                       const char *name, u64 time)
{
    name_track(chrome, track);
    write_head(chrome, phase, track, time);
    fprintf(chrome->out, ",\"name\":\"%s\"}", name);
}

void chrome_write_slice_begin(struct chrome *chrome, struct chrome_track track, const char *name,
                              u64 time)
{
    write_edge(chrome, "B", track, name, time);
    chrome->slices++;
}

void chrome_write_slice_end(struct chrome *chrome, struct chrome_track track, const char *name,
                            u64 time)
{
    write_edge(chrome, "E", track, name, time);
}

// The account stands at the end: speedscope puts slices together that begin alike.
void chrome_write_many(struct chrome *chrome, const struct chrome_many *many,
                       struct chrome_track track)
{
    chrome_write_slice_begin(chrome, track, "many", many->from);
    write_head(chrome, "E", track, many->to);
    fprintf(chrome->out, ",\"name\":\"many\",\"args\":{\"slices\":%" PRIu64 ",\"ns\":%" PRIu64 "}}",
            many->slices, nanoseconds(chrome, many->ticks));
}

void chrome_write_arrow(struct chrome *chrome, const char *name, const struct chrome_mark *from,
                        const struct chrome_mark *to)
{
    if (chrome_is_short(chrome, from->time, to->time)) {
        chrome->left_out++;
        return;
    }
    u64 id = ++chrome->arrows;
    write_head(chrome, "s", from->track, from->time);
    fprintf(chrome->out, ",\"cat\":\"%s\",\"name\":\"%s\",\"id\":%" PRIu64 "}", name, name, id);
    write_head(chrome, "f", to->track, to->time);
    fprintf(chrome->out, ",\"bp\":\"e\",\"cat\":\"%s\",\"name\":\"%s\",\"id\":%" PRIu64 "}", name,
            name, id);
}

static void write_field(FILE *out, const struct trace_field *field, u64 value)
{
    fprintf(out, "\"%s\":", field->name);
    if (field->type == TRACE_X64)
        fprintf(out, "\"%#" PRIx64 "\"", value);
    else if (field->type == TRACE_S64 && (s64)value < 0 && value > -EXACT_MAX)
        fprintf(out, "%" PRId64, (s64)value);
    else if (field->type == TRACE_S64 && (s64)value < 0)
        fprintf(out, "\"%" PRId64 "\"", (s64)value);
    else
        fprintf(out, value <= EXACT_MAX ? "%" PRIu64 : "\"%" PRIu64 "\"", value);
}

// Writes the text field of an event, which is its last one.
static void write_text(FILE *out, const struct trace_event *event)
{
    const struct trace_event_info *info = &event->description->info;
    char text[TRACE_TEXT_BYTES];
    trace_event_string(event, text);
    fprintf(out, "\"%s\":", info->fields[info->field_count - 1].name);
    write_string(out, text);
}

void chrome_write_instant(struct chrome *chrome, struct chrome_track track,
                          const struct trace_event *event)
{
    u64 values[TRACE_MAX_FIELDS];
    const struct event_description *description = event->description;
    name_track(chrome, track);
    write_head(chrome, "i", track, event->time);
    fprintf(chrome->out, ",\"s\":\"t\",\"name\":\"%s\",\"args\":{\"CPU\":%" PRIu32,
            description->full_name, event->cpu);
    trace_event_fields(event, values);
    for (u32 i = 0; i < description->info.field_count; i++) {
        fputc(',', chrome->out);
        if (description->info.fields[i].type == TRACE_TEXT)
            write_text(chrome->out, event);
        else
            write_field(chrome->out, &description->info.fields[i], values[i]);
    }
    fputs("}}", chrome->out);
    chrome->instants++;
}

void chrome_write_loss(struct chrome *chrome, const struct trace_loss *loss)
{
    struct chrome_track track = {CHROME_CPUS, loss->cpu};
    name_track(chrome, track);
    write_head(chrome, "i", track, loss->from < chrome->begin ? chrome->begin : loss->from);
    fprintf(chrome->out,
            ",\"s\":\"t\",\"name\":\"lost\",\"args\":{\"pid\":%" PRIu32 ",\"packets\":%" PRIu64
            ",\"discarded\":%" PRIu64 "}}",
            loss->pid, loss->packets, loss->discarded);
    chrome->lost_packets += loss->packets;
    chrome->discarded += loss->discarded;
}

void chrome_write_counters(struct chrome *chrome, const struct trace_event *event)
{
    u64 values[TRACE_MAX_FIELDS];
    struct chrome_track track = {CHROME_CPUS, event->cpu};
    trace_event_fields(event, values);
    for (u32 i = 0; i < event->description->info.field_count && i < CHROME_COUNTERS_MAX; i++) {
        if (chrome->counter_events[i] == 0)
            continue;
        name_track(chrome, track);
        write_head(chrome, "C", track, event->time);
        fprintf(chrome->out,
                ",\"name\":\"CPU %" PRIu32 " event %" PRIu64 "\",\"args\":{\"count\":%" PRIu64 "}}",
                event->cpu, chrome->counter_events[i] - 1, values[i]);
    }
}

void chrome_write_begin(struct chrome *chrome)
{
    struct chrome_track cpus = {CHROME_CPUS, 0};
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", chrome->out);
    fprintf(chrome->out,
            "{\"ph\":\"M\",\"pid\":%lu,\"tid\":0,\"name\":\"process_sort_index\","
            "\"args\":{\"sort_index\":-1}}",
            CHROME_CPUS);
    name_process(chrome, cpus);
}

void chrome_write_end(struct chrome *chrome)
{
    fprintf(chrome->out,
            "\n],\"otherData\":{\"hz\":%" PRIu64 ",\"lost_packets\":%" PRIu64
            ",\"discarded\":%" PRIu64 "}}\n",
            chrome->engine->descriptions.hz, chrome->lost_packets, chrome->discarded);
}

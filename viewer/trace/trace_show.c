// SPDX-License-Identifier: MIT
// Events as rows: time, CPU, process, event, and the text of its description.
#include "trace/trace_show.h"
#include "output/columns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 512

static void process_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    json_int_t pid = json_integer_value(json_object_get(row, column->key));
    if (pid == 0)
        strcpy(text, "kernel");
    else
        snprintf(text, CELL_BYTES, "%" JSON_INTEGER_FORMAT, pid);
}

static const struct column columns[] = {
    COLUMN("TIME", "time", 18),
    HIDDEN("ticks"),
    COLUMN("CPU", "cpu", 3),
    COLUMN("PROCESS", "pid", 7, .compose = process_text),
    COLUMN("EVENT", "event", -22),
    COLUMN("TEXT", "text", -1),
    COLUMNS_END,
};

static json_t *make_row(const struct trace_show *show, u64 time, u32 cpu, u32 pid)
{
    char text[TRACE_TIME_BYTES];
    json_t *row = json_object();
    trace_time_text(time, show->hz, text);
    put_text(row, "time", text);
    put_u64(row, "ticks", time);
    put_u64(row, "cpu", cpu);
    put_u64(row, "pid", pid);
    return row;
}

static void put_fields(json_t *row, const struct trace_event_info *info, const u64 *values,
                       const char *string)
{
    json_t *fields = put_object(row, "fields");
    for (u32 i = 0; i < info->field_count; i++) {
        const struct trace_field *field = &info->fields[i];
        if (field->type == TRACE_TEXT)
            put_text(fields, field->name, string);
        else if (field->type == TRACE_X64)
            put_hex(fields, field->name, values[i]);
        else if (field->type == TRACE_S64)
            put_s64(fields, field->name, (s64)values[i]);
        else
            put_u64(fields, field->name, values[i]);
    }
}

// The format is one of trace/events/*.def, or is made of names. It has one conversion for each
// field, for 64 bits or for a text's address.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void event_text(const struct trace_event_info *info, const u64 *v, char text[TEXT_BYTES])
{
    snprintf(text, TEXT_BYTES, info->format, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
}
#pragma GCC diagnostic pop

static int show_event(void *context, const struct trace_event *event)
{
    struct trace_show *show = context;
    u64 values[TRACE_MAX_FIELDS] = {0};
    char text[TEXT_BYTES], string[TRACE_TEXT_BYTES];
    if (!trace_choice_has(show->choice, event))
        return KOV_OK;
    if (show->shown >= show->most)
        return VISIT_ENOUGH;
    json_t *row = make_row(show, event->time, event->cpu, event->pid);
    if (event->description != NULL) {
        trace_event_fields(event, values);
        if (trace_event_string(event, string))
            values[event->description->info.field_count - 1] = (uintptr_t)string;
        event_text(&event->description->info, values, text);
        put_text(row, "event", event->description->full_name);
    } else {
        snprintf(text, sizeof(text), "id=%#" PRIx32 " words=%" PRIu32, event->id, event->words);
        put_text(row, "event", "unknown");
    }
    put_text(row, "text", text);
    // Nobody else sees them, and they take more time than the text.
    if (output_form() == OUTPUT_JSON && event->description != NULL)
        put_fields(row, &event->description->info, values, string);
    rows_add(columns, row);
    return ++show->shown == show->most ? VISIT_ENOUGH : KOV_OK;
}

static int show_loss(void *context, const struct trace_loss *loss)
{
    struct trace_show *show = context;
    char text[TEXT_BYTES], until[TRACE_TIME_BYTES];
    if (!trace_choice_has_stream(show->choice, loss->pid, loss->cpu))
        return KOV_OK;
    show->lost_packets += loss->packets;
    show->discarded += loss->discarded;
    trace_time_text(loss->to, show->hz, until);
    snprintf(text, sizeof(text),
             "%" PRIu64 " packets missing, %" PRIu64 " events discarded, until %s", loss->packets,
             loss->discarded, until);
    json_t *row = make_row(show, loss->from, loss->cpu, loss->pid);
    put_text(row, "event", "lost");
    put_text(row, "text", text);
    put_u64(row, "until_ticks", loss->to);
    put_u64(row, "packets", loss->packets);
    put_u64(row, "discarded", loss->discarded);
    rows_add(columns, row);
    return KOV_OK;
}

void trace_show_begin(void)
{
    rows_begin("events", columns);
}

struct visitor trace_show_visitor(struct trace_show *show)
{
    return (struct visitor){show_event, show_loss, show};
}

void trace_show_end(const struct trace_show *show)
{
    json_t *rest = json_object();
    put_u64(rest, "hz", show->hz);
    put_u64(rest, "shown", show->shown);
    put_u64(rest, "lost_packets", show->lost_packets);
    put_u64(rest, "discarded", show->discarded);
    rows_end(rest);
}

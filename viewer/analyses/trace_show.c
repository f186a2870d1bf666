// SPDX-License-Identifier: MIT
// Events as rows: time, CPU, process, event, and the text of its description. The kernel's events
// are those of the process whose thread ran, as for `trace breakdown`.
#include "analyses/trace_show.h"
#include "output/columns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 2048
#define LEARNT_AHEAD 1000000 // events, when only a few are shown

static const struct column columns[] = {
    COLUMN("TIME", "time", 18),
    HIDDEN("ticks"),
    COLUMN("CPU", "cpu", 3, .rank = RANK_RARE),
    COLUMN("PROCESS", "process", -11),
    HIDDEN("pid"),
    COLUMN("EVENT", "event", -22, .rank = RANK_KEEP),
    COLUMN("TEXT", "text", -1),
    COLUMNS_END,
};

static json_t *make_row(const struct trace_show *show, u64 time, u32 cpu, u32 stream)
{
    char text[TRACE_TIME_BYTES];
    json_t *row = json_object();
    trace_time_text(time, show->walk.hz, text);
    put_text(row, "time", text);
    put_u64(row, "ticks", time);
    put_u64(row, "cpu", cpu);
    put_u64(row, "stream_pid", stream);
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

static void put_names(json_t *row, struct trace_show *show, const struct trace_event *event,
                      const u64 *values, u64 pid)
{
    const struct trace_event_info *info = &event->description->info;
    char word[WORD_BYTES];
    json_t *names = put_object(row, "names");
    for (u32 i = 0; i < info->field_count; i++)
        if (event_word(&show->words, event, i, values, pid, word))
            put_text(names, info->fields[i].name, word);
}

// Without SCHED a thread that was told to run would seem to run for ever.
static void note_scheduling(struct trace_show *show, const struct trace_event *event)
{
    u64 major = (u64)1 << (event->id >> 16 & 63);
    show->knows_threads |=
        (show->walk.dispatchers & (show->walk.model.machine.enabled | major)) != 0;
}

static u64 thread_of(const struct trace_show *show, const struct trace_event *event)
{
    return event->pid == 0 && show->knows_threads ? show->walk.model.machine.doer
                                                  : ACTIVITY_NO_THREAD;
}

static u64 process_of(const struct trace_show *show, const struct trace_event *event, u64 thread)
{
    if (event->pid != 0)
        return event->pid;
    return thread == ACTIVITY_NO_THREAD ? ACTIVITY_NO_PID : trace_walk_pid(&show->walk, thread);
}

static void put_event(struct trace_show *show, json_t *row, const struct trace_event *event,
                      u64 pid)
{
    u64 values[TRACE_MAX_FIELDS] = {0};
    char text[TEXT_BYTES], string[TRACE_TEXT_BYTES] = "";
    trace_event_fields(event, values);
    trace_event_string(event, string);
    event_words_text(&show->words, event, values, string, pid, text, sizeof(text));
    put_text(row, "event", event->description->full_name);
    put_text(row, "text", text);
    // Nobody else sees them, and they take more time than the text.
    if (output_form() == OUTPUT_JSON) {
        put_fields(row, &event->description->info, values, string);
        put_names(row, show, event, values, pid);
    }
}

static int add(struct trace_show *show, json_t *row)
{
    if (show->into == NULL)
        rows_add(columns, row);
    else
        json_array_append_new(show->into, row);
    return show->into != NULL && json_array_size(show->into) == show->most ? VISIT_ENOUGH : KOV_OK;
}

static int show_event(void *context, const struct trace_event *event)
{
    struct trace_show *show = context;
    char text[64];
    note_scheduling(show, event);
    u64 thread = thread_of(show, event), pid = process_of(show, event, thread);
    if (!trace_choice_has_of_any(show->choice, event) ||
        (show->choice->pid != TRACE_ANY && show->choice->pid != pid))
        return KOV_OK;
    if (show->shown >= show->most)
        return VISIT_ENOUGH;
    json_t *row = make_row(show, event->time, event->cpu, event->pid);
    trace_tool_put_process(row, &show->walk, pid, thread,
                           activity_is_idle(&show->walk.model.machine, thread));
    if (thread == ACTIVITY_NO_THREAD)
        put_text(row, "thread", NULL);
    else
        put_u64(row, "thread", thread);
    if (event->description != NULL) {
        put_event(show, row, event, pid);
    } else {
        snprintf(text, sizeof(text), "id=%#" PRIx32 " words=%" PRIu32, event->id, event->words);
        put_text(row, "event", "unknown");
        put_text(row, "text", text);
    }
    int code = add(show, row);
    return ++show->shown == show->most ? VISIT_ENOUGH : code;
}

// What the kernel did for a process may be among what is missing of the kernel's events.
static bool has_loss(const struct trace_choice *choice, const struct trace_loss *loss)
{
    return trace_choice_has_stream(choice, loss->pid, loss->cpu) ||
           (loss->pid == 0 && (choice->cpu == TRACE_ANY || choice->cpu == loss->cpu));
}

static int show_loss(void *context, const struct trace_loss *loss)
{
    struct trace_show *show = context;
    char text[128], until[TRACE_TIME_BYTES];
    if (!has_loss(show->choice, loss))
        return KOV_OK;
    show->lost_packets += loss->packets;
    show->discarded += loss->discarded;
    trace_time_text(loss->to, show->walk.hz, until);
    snprintf(text, sizeof(text),
             "%" PRIu64 " packets missing, %" PRIu64 " events discarded, until %s", loss->packets,
             loss->discarded, until);
    json_t *row = make_row(show, loss->from, loss->cpu, loss->pid);
    trace_tool_put_process(row, &show->walk, loss->pid, ACTIVITY_NO_THREAD, false);
    put_text(row, "event", "lost");
    put_text(row, "text", text);
    put_u64(row, "until_ticks", loss->to);
    put_u64(row, "packets", loss->packets);
    put_u64(row, "discarded", loss->discarded);
    return add(show, row);
}

static void begin(struct trace_show *show, const struct trace_choice *choice, u64 most)
{
    *show = (struct trace_show){.choice = choice, .most = most};
    show->walk = (struct trace_walk){
        .choice = choice, .event = show_event, .loss = show_loss, .context = show};
}

void trace_show_begin(struct trace_show *show, const struct trace_choice *choice, u64 most)
{
    begin(show, choice, most);
    rows_begin("events", columns);
}

void trace_show_find(struct trace_show *show, const struct descriptions *descriptions)
{
    event_words_begin(&show->words, &show->walk, descriptions);
}

static void end(struct trace_show *show)
{
    event_words_free(&show->words);
    trace_walk_free(&show->walk);
}

void trace_show_end(struct trace_show *show)
{
    json_t *rest = json_object();
    put_u64(rest, "hz", show->walk.hz);
    put_u64(rest, "shown", show->shown);
    put_u64(rest, "lost_packets", show->lost_packets);
    put_u64(rest, "discarded", show->discarded);
    put_u64(rest, "left_out_packets", show->left_out);
    rows_end(rest);
    if (show->choice->pid != TRACE_ANY && !show->knows_threads)
        warn("SCHED: not recorded; so for which process the kernel's events were is not known, and "
             "only what the process itself logged is shown. Add it to -e");
    end(show);
}

static int walk(struct trace_show *show, struct engine *engine)
{
    bool all = show->most == TRACE_ANY || show->choice->pid != TRACE_ANY;
    trace_show_find(show, &engine->descriptions);
    int code = trace_walk_knowing(&show->walk, engine, all ? UINT64_MAX : LEARNT_AHEAD);
    show->left_out = engine->left_out;
    return code;
}

int trace_show(struct engine *engine, const struct trace_choice *choice, u64 most)
{
    struct trace_show show;
    trace_show_begin(&show, choice, most);
    int code = walk(&show, engine);
    trace_show_end(&show);
    return code;
}

int trace_show_rows(struct engine *engine, const struct trace_choice *choice, u64 most,
                    json_t *into)
{
    struct trace_show show;
    begin(&show, choice, most);
    show.into = into;
    int code = walk(&show, engine);
    end(&show);
    return code;
}

// SPDX-License-Identifier: MIT
// Topics that say all of it each time, as JSON: status, workloads, marks, the server. Also the
// console, whose bytes come as they are printed.
#include "gateway/machine_state.h"
#include "machine/server_account.h"
#include "output/document.h"
#include "tools/clock.h"
#include "tools/memory.h"
#include "wire/dci.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- status ------------------------------------------------------------------------------------

static void put_events(json_t *data, const struct background *background)
{
    json_t *list = put_array(data, "events");
    for (u32 i = 0; i < background->events.count && background->running; i++) {
        const struct sampled_event *event = &background->events.events[i];
        char title[SAMPLED_TITLE_BYTES];
        json_t *json = put_object(list, NULL);
        put_text(json, "title", sampled_event_title(event, title));
        put_text(json, "name", event->name);
        put_u64(json, "period", event->period);
    }
}

static void put_possible_events(json_t *data, const struct event_list *list)
{
    json_t *names = put_array(data, "possible");
    put_text(names, NULL, RUN_CYCLES_NAME);
    for (size_t i = 0; i < list->count; i++)
        put_text(names, NULL, list->events[i].name);
}

static void put_recording(json_t *data, const struct recorder *recorder)
{
    json_t *recording = json_object();
    put_u64(recording, "bytes", recorder_account(recorder)->bytes);
    put_u64(recording, "lost", recorder_account(recorder)->lost);
    json_object_set_new(data, "recording", recording);
}

static void put_watching(const struct machine *machine, json_t *data)
{
    json_t *watching = json_object();
    watching_put(&machine->watching, machine->history, &machine->snapshot,
                 machine_time(machine, background_now(&machine->background)), machine->timebase_hz,
                 watching);
    json_object_set_new(data, "watching", watching);
}

int publish_status(struct machine *machine, struct published *published)
{
    const struct background *background = &machine->background;
    json_t *data = json_object();
    if (machine->settings.folder != NULL) {
        folder_put_status(machine, data);
        machine_publish(machine, published, block_of_json(data));
        return KOV_OK;
    }
    double now = clock_now();
    double seconds = published->said == 0 ? INFINITY : STATUS_SECONDS;
    put_events(data, background);
    put_possible_events(data, &background->list);
    put_number(data, "rate", (double)(background->received - published->said) / seconds);
    published->said = background->received;
    put_u64(data, "samples", background->received);
    put_u64(data, "lost", samples_lost(&background->samples));
    put_u64(data, "missed", samples_missed(&background->samples) + background->missed);
    put_text(data, "owner", background->owner);
    put_bool(data, "mine", background->mine);
    put_bool(data, "running", background->running);
    put_number(data, "scan_age", now - machine->scanned);
    put_number(data, "scan_seconds", machine->scan_seconds);
    put_u64(data, "objects", machine->snapshot.object_count);
    put_u64(data, "processes", machine->snapshot.process_count);
    put_number(data, "now", floor(machine_time(machine, background_now(background))));
    if (machine->recorder != NULL)
        put_recording(data, machine->recorder);
    if (machine->history != NULL) {
        struct history_account account = history_account(machine->history);
        put_number(data, "history_seconds", (account.to - account.from) / 1e9);
        put_u64(data, "history_bytes", account.bytes);
        put_u64(data, "history_limit_bytes", account.limit);
        put_u64(data, "forgotten", account.forgotten);
        put_u64(data, "stacks", account.stacks);
        put_u64(data, "stacks_max", account.stacks_max);
        put_u64(data, "stacks_refused", account.stacks_refused);
    }
    put_watching(machine, data);
    machine_publish(machine, published, block_of_json(data));
    return KOV_OK;
}

// ---- workloads ---------------------------------------------------------------------------------

static int attend_runs(struct machine *machine)
{
    if (machine->player != NULL || !machine->live) // a tape says when
        return KOV_OK;
    return runs_attend(&machine->runs, background_now(&machine->background));
}

int publish_workloads(struct machine *machine, struct published *published)
{
    int code = attend_runs(machine);
    if (code != KOV_OK || (!published->afresh && published->said == machine->runs.changes))
        return code;
    published->said = machine->runs.changes;
    machine_publish(machine, published, block_of_json(runs_json(&machine->runs, machine)));
    return KOV_OK;
}

int publish_marks(struct machine *machine, struct published *published)
{
    int code = attend_runs(machine); // what is known is said whatever it comes to
    json_t *data = json_object(), *list = put_array(data, "marks");
    runs_marks(&machine->runs, machine, list);
    own_programs_marks(&machine->programs, machine, list);
    struct history_interval gaps[256];
    size_t count = machine->history == NULL
                       ? 0
                       : history_gaps(machine->history, 0, INFINITY, gaps, ARRAY_SIZE(gaps));
    for (size_t i = 0; i < count; i++) {
        json_t *mark = put_object(list, NULL);
        put_text(mark, "kind", "gap");
        put_text(mark, "name", "no connection");
        json_object_set_new(mark, "begin", json_real(gaps[i].from));
        json_object_set_new(mark, "end", json_real(gaps[i].to));
    }
    machine_publish(machine, published, block_of_json(data));
    return code;
}

int publish_server(struct machine *machine, struct published *published)
{
    json_t *data = json_object();
    int code = machine->live ? server_account_fetch(data) : KOV_OK;
    if (code == KOV_OK && machine->live) {
        json_decref(machine->server);
        machine->server = json_incref(data);
    }
    if (code == KOV_OK && machine->server != NULL && (machine->live || published->afresh))
        machine_publish(machine, published, block_of_json(json_incref(machine->server)));
    json_decref(data);
    return code;
}

// ---- the console -------------------------------------------------------------------------------

int publish_console(struct machine *machine, struct published *published)
{
    const struct console_history *console = &machine->console;
    u64 from =
        published->afresh || published->said < console->begin ? console->begin : published->said;
    if (!published->afresh && from == console->begin + console->output.size)
        return KOV_OK;
    u32 count = (u32)(console->begin + console->output.size - from);
    bool whole = published->afresh;
    struct block *block = block_new(frame_bytes_bytes(count), true, whole);
    struct frame_bytes rows;
    struct frame_head head = {.kind = FRAME_BYTES, .flags = whole ? FRAME_WHOLE : 0, .rows = count};
    frame_bytes_lay(block->data, count, &rows);
    frame_head_write(block->data, &head);
    if (count > 0)
        memcpy(rows.byte, console->output.data + (from - console->begin), count);
    published->said = from + count;
    machine_publish(machine, published, block);
    return KOV_OK;
}

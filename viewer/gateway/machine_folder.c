// SPDX-License-Identifier: MIT
// A trace folder that is shown as a machine. Its thread reads the trace once, in portions, and
// tells how far it is; then it answers what browsers watch. A folder that cannot be read stays as a
// machine that says why.
#include "gateway/machine_state.h"
#include "output/document.h"
#include "tools/clock.h"
#include "tools/memory.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PORTION 200000    // events, tens of milliseconds
#define TELL_SECONDS 0.25 // between two reports of how far it is
#define TURN_SECONDS 1.0  // without a request

struct folder_reading {
    struct machine *machine;
    u32 warnings;
    char first[160]; // of the warnings
    double told;
};

// Takes messages of the trace's engine. A damaged folder has many: the first stands for all.
static void take_message(void *context, bool is_warning, const char *text)
{
    struct folder_reading *reading = context;
    struct machine *machine = reading->machine;
    if (!is_warning)
        snprintf(machine->failure, sizeof(machine->failure), "%s", text);
    else if (reading->warnings++ == 0)
        snprintf(reading->first, sizeof(reading->first), "%s", text);
}

bool folder_has(enum watched_kind kind)
{
    return kind == WATCHED_STATUS || kind == WATCHED_MARKS || kind == WATCHED_SLICES ||
           kind == WATCHED_THREADS || kind == WATCHED_CALLS;
}

void folder_put_status(struct machine *machine, json_t *data)
{
    const struct timeline *timeline = machine->timeline;
    u64 packets = 0, discarded = 0;
    if (timeline == NULL || !timeline->is_whole)
        return;
    for (size_t i = 0; i < timeline->loss_count; i++) {
        packets += timeline->losses[i].packets;
        discarded += timeline->losses[i].discarded;
    }
    put_number(data, "begin", machine_time(machine, timeline->begin));
    put_number(data, "now", machine_time(machine, timeline->end));
    put_u64(data, "trace_events", timeline->events);
    put_u64(data, "lost_packets", packets);
    put_u64(data, "discarded", discarded);
}

static void tell(struct folder_reading *reading)
{
    struct machine *machine = reading->machine;
    const struct timeline *timeline = machine->timeline;
    reading->told = clock_now();
    if (timeline != NULL && !timeline->is_whole)
        snprintf(machine->failure, sizeof(machine->failure), "%.0f %% of the trace is read",
                 100 * timeline_part(timeline));
    else if (timeline != NULL && reading->warnings > 0)
        snprintf(machine->failure, sizeof(machine->failure), "%s%s", reading->first,
                 reading->warnings > 1 ? "; and more is missing" : "");
    machine_tell_state(machine, "played");
}

// Takes the names of processes, which browsers are told with their slices.
static void name_processes(struct machine *machine)
{
    const struct keyed_rows *rows = &machine->timeline->labels.kinds[LABEL_PROCESS];
    for (size_t i = 0; i < rows->count; i++) {
        struct label *label = rows->rows[i];
        struct process_info info = {.pid = (u32)label->key[0], .name = label->name};
        snapshot_add_process(&machine->snapshot, &info);
    }
}

static void give_up(struct machine *machine)
{
    timeline_close(machine->timeline);
    free(machine->timeline);
    machine->timeline = NULL;
}

static void begin(struct folder_reading *reading)
{
    struct machine *machine = reading->machine;
    struct timeline *timeline = memory_get(sizeof(*timeline));
    int code = timeline_open(timeline, machine->settings.folder, machine->settings.history_bytes);
    machine->timeline = timeline;
    machine->timebase_hz = timeline->engine.descriptions.hz;
    if (code != KOV_OK)
        give_up(machine);
    tell(reading);
}

static void read_on(struct folder_reading *reading)
{
    struct machine *machine = reading->machine;
    int code = timeline_read(machine->timeline, PORTION);
    if (code != KOV_OK) {
        give_up(machine);
        tell(reading);
    } else if (machine->timeline->is_whole) {
        machine->failure[0] = 0;
        name_processes(machine);
        tell(reading);
        machine_say_all(machine);
    } else if (clock_now() - reading->told > TELL_SECONDS) {
        tell(reading);
    }
}

void machine_wait_for_request(struct machine *machine)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += (time_t)TURN_SECONDS;
    sem_timedwait(&machine->requested, &end);
}

void *machine_run_folder(void *context)
{
    struct machine *machine = context;
    struct folder_reading reading = {.machine = machine};
    message_to(take_message, &reading);
    machine_tell_state(machine, "played");
    begin(&reading);
    while (!machine->ending) {
        if (machine->timeline != NULL && !machine->timeline->is_whole)
            read_on(&reading);
        else if (publish_next(machine) > clock_now())
            machine_wait_for_request(machine);
        machine_serve_requests(machine);
        if (names_are_full(&machine->names))
            machine_reset_names(machine);
        publish_due(machine);
    }
    return NULL;
}

// SPDX-License-Identifier: MIT
// A recording of `kov record` that is shown as a machine: its samples make up a history, as if they
// had come just now, and its objects and processes are those that it has. A file that cannot be
// read stays as a machine that says why.
#include "gateway/machine_state.h"
#include "samples/recording.h"
#include "tools/clock.h"
#include "tools/kov.h"
#include "tools/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SESSION_SECONDS_MAX (30.0 * 86400) // longer ones make no sense

struct samples_reading {
    struct machine *machine;
    struct recording recording;
    char warning[160];
    u64 from, to;                                      // ticks
    size_t cells;                                      // of a second each; the last may be shorter
    u64 received[ORRERY_MAX_CPUS][SAMPLED_EVENTS_MAX]; // up to the end of a cell
};

static void take_message(void *context, bool is_warning, const char *text)
{
    struct samples_reading *reading = context;
    if (is_warning)
        snprintf(reading->warning, sizeof(reading->warning), "%s", text);
    else
        snprintf(reading->machine->failure, sizeof(reading->machine->failure), "%s", text);
}

// ---- cells -------------------------------------------------------------------------------------

static u64 first_time(const struct sample_set *samples)
{
    u64 time = samples->began;
    for (size_t i = 0; i < samples->count; i++)
        if (time == 0 || samples->samples[i].time < time)
            time = samples->samples[i].time;
    return time;
}

static u64 last_time(const struct sample_set *samples)
{
    u64 time = samples->now;
    for (size_t i = 0; i < samples->count; i++)
        if (samples->samples[i].time >= time)
            time = samples->samples[i].time + 1;
    return time;
}

// Finds from when to when the samples are. Returns an exit code.
static int find_times(struct samples_reading *reading)
{
    const struct recording *recording = &reading->recording;
    const char *path = reading->machine->settings.samples;
    reading->from = first_time(&recording->samples);
    reading->to = last_time(&recording->samples);
    if (recording->timebase_hz == 0 || reading->from == 0)
        return fail(KOV_FAILED, "cannot use %s: it ends before the first sample", path);
    double seconds = ((double)reading->to - (double)reading->from) / (double)recording->timebase_hz;
    if (recording->boot_time > reading->from || seconds < 0 || seconds > SESSION_SECONDS_MAX)
        return fail(KOV_FAILED, "cannot use %s: its times make no sense", path);
    if (reading->to == reading->from)
        reading->to++;
    reading->cells = (size_t)((reading->to - reading->from - 1) / recording->timebase_hz) + 1;
    return KOV_OK;
}

static size_t cell_of(const struct samples_reading *reading, const struct sample *sample)
{
    return (size_t)((sample->time - reading->from) / reading->recording.timebase_hz);
}

// Returns the samples by cell. In the file those of a CPU and an event are in the order of time,
// and so they stay in their cell. ends: of each cell, in the list. The caller frees both.
static u32 *by_cell(const struct samples_reading *reading, size_t **ends)
{
    const struct sample_set *samples = &reading->recording.samples;
    size_t *places = memory_get((reading->cells + 1) * sizeof(*places));
    u32 *numbers = memory_get((samples->count + 1) * sizeof(*numbers));
    for (size_t i = 0; i < samples->count; i++)
        places[cell_of(reading, &samples->samples[i]) + 1]++;
    for (size_t cell = 0; cell < reading->cells; cell++)
        places[cell + 1] += places[cell];
    for (size_t i = 0; i < samples->count; i++)
        numbers[places[cell_of(reading, &samples->samples[i])]++] = (u32)i;
    *ends = places; // each begin has moved to its end
    return numbers;
}

// ---- what was counted --------------------------------------------------------------------------

static u64 part_of(u64 whole, double part)
{
    return part >= 1 ? whole : (u64)((double)whole * part);
}

// Returns what the machine had counted of a stream. The file has that of the whole session. Of
// overflows without a sample nobody knows the time: they are spread as those with one are, which is
// what each share assumes of them, too.
static struct sample_stream counted_by(const struct sample_stream *whole, u64 received, double time)
{
    u64 all = whole->received;
    double part = all == 0 ? time : (double)received / (double)all;
    return (struct sample_stream){
        .taken = part_of(whole->taken != 0 ? whole->taken : all, part), // 0: kov was killed
        .lost = part_of(whole->lost - whole->lost_before, part),
        .missed = part_of(whole->missed, part),
        .overflows = part_of(whole->overflows, part),
        .filtered = part_of(whole->filtered, part),
        .share = {part_of(whole->share.measured, time), part_of(whole->share.total, time),
                  part_of(whole->share.turns, time)},
    };
}

static void close_cell(const struct samples_reading *reading, u64 end, struct sample_set *counted)
{
    const struct sample_set *whole = &reading->recording.samples;
    double time = (double)(end - reading->from) / (double)(reading->to - reading->from);
    for (u32 cpu = 0; cpu < whole->cpu_count && cpu < ORRERY_MAX_CPUS; cpu++)
        for (u32 event = 0; event < SAMPLED_EVENTS_MAX; event++) {
            struct sample_stream *stream = samples_stream(counted, cpu, event);
            *stream =
                counted_by(&whole->cpus[cpu].streams[event], reading->received[cpu][event], time);
        }
    history_close_cell(reading->machine->history, end, counted);
}

// ---- samples -----------------------------------------------------------------------------------

static struct stack_place place_of(const struct sample *sample)
{
    u32 kind = sample->flags & (SYS_SAMPLE_STALE | SYS_SAMPLE_ATTRIBUTED);
    struct stack_place place = {.pc = sample->pc,
                                .pid = sample->pid,
                                .kernel = (sample->flags & SYS_SAMPLE_KERNEL) != 0,
                                .kind = SITE_NONE,
                                .caller_count = (u8)sample->caller_count};
    if ((kind & SYS_SAMPLE_STALE) != 0)
        place.kind = SITE_STALE;
    else if (kind != 0)
        place.kind = SITE_OBJECT;
    if (place.kind == SITE_OBJECT)
        place.coid = sample->coid;
    if (sample->caller_count > 0)
        memcpy(place.callers, sample->callers, sample->caller_count * sizeof(u64));
    return place;
}

// Adds it as one more site, as stacks come from a machine. The idle loop has none there.
static void add_stack(struct history *history, const struct sample *sample)
{
    struct stack_place place = place_of(sample);
    double weight = (double)sample->weight;
    u8 turn = (u8)SYS_SAMPLE_TURN_OF(sample->flags);
    if ((sample->flags & SYS_SAMPLE_IDLE) != 0 || sample->cpu >= ORRERY_MAX_CPUS)
        return;
    u32 number = stack_table_number(history_stacks(history), &place);
    const struct site_sum sum = {.site = {.coid = number,
                                          .kind = number != 0 ? SITE_STACK : SITE_OTHER_STACKS,
                                          .event = (u8)sample->index,
                                          .cpu = (u8)sample->cpu},
                                 .samples = 1,
                                 .events = sample->weight,
                                 .square = weight * weight,
                                 .first_turn = turn,
                                 .latest_turn = turn,
                                 .latest_events = weight};
    history_add_sum(history, &sum, sample->time, sample->time);
}

static void fill_history(struct samples_reading *reading)
{
    struct history *history = reading->machine->history;
    const struct sample_set *samples = &reading->recording.samples;
    struct sample_set counted = {0};
    size_t *ends, next = 0;
    u32 *numbers = by_cell(reading, &ends);
    history_begin_session(history, reading->from, &reading->recording.request.events);
    for (size_t cell = 0; cell < reading->cells; cell++) {
        for (; next < ends[cell]; next++) {
            const struct sample *sample = &samples->samples[numbers[next]];
            history_add(history, sample);
            add_stack(history, sample);
            if (sample->cpu < ORRERY_MAX_CPUS)
                reading->received[sample->cpu][sample->index]++;
        }
        u64 end = reading->from + (cell + 1) * reading->recording.timebase_hz;
        close_cell(reading, cell + 1 == reading->cells ? reading->to : end, &counted);
    }
    samples_free(&counted);
    free(numbers);
    free(ends);
}

// ---- the machine -------------------------------------------------------------------------------

static void note_machine(struct samples_reading *reading)
{
    struct machine *machine = reading->machine;
    struct recording *recording = &reading->recording;
    machine->boot_time = recording->boot_time;
    machine->timebase_hz = recording->timebase_hz;
    machine->cpus = recording->cpu_count;
    machine->build_id_size = recording->build_id_size;
    memcpy(machine->build_id, recording->build_id, sizeof(machine->build_id));
    snprintf(machine->boot, sizeof(machine->boot), "%016" PRIx64, recording->boot_time);
    machine->snapshot = recording->snapshot;
    recording->snapshot = (struct snapshot){0};
    tree_build(&machine->snapshot, TREE_EVERYTHING, &machine->tree);
    machine->scans = 1;
    machine->scanned = clock_now();
}

// Takes what was sampled, and how well, for the status. The single samples are not needed any more.
static void note_session(struct samples_reading *reading)
{
    struct background *background = &reading->machine->background;
    struct sample_set *samples = &reading->recording.samples;
    background->events = reading->recording.request.events;
    background->received = samples->totals.samples;
    background->running = true;
    background->history = reading->machine->history;
    background->clock_ticks = reading->to; // it stands
    background->clock_heard = clock_now();
    background->samples = *samples;
    background->samples.samples = NULL;
    background->samples.callers = NULL;
    background->samples.count = background->samples.capacity = 0;
    samples->cpus = NULL;
    samples->cpu_count = samples->cpu_capacity = 0;
}

static int read_recording(struct samples_reading *reading)
{
    struct machine *machine = reading->machine;
    int code = recording_load(machine->settings.samples, &reading->recording);
    if (code == KOV_OK)
        code = find_times(reading);
    if (code != KOV_OK)
        return code;
    note_machine(reading);
    machine->history =
        history_new(machine->settings.history_bytes, machine->boot_time, machine->timebase_hz);
    fill_history(reading);
    functions_bind(machine);
    note_session(reading);
    snprintf(machine->failure, sizeof(machine->failure), "%s",
             reading->warning[0] != 0
                 ? reading->warning
                 : "samples of kov record: what else the machine did is not in them");
    return KOV_OK;
}

const char *samples_lack(const struct machine *machine, const struct published *published)
{
    struct ranking_thing thing;
    u32 cpu;
    if (machine->history == NULL) // the file was refused
        return machine->failure;
    switch (published->kind) {
    case WATCHED_METRIC:
    case WATCHED_METRICS:
        if (publish_thing(publish_text(published, "of"), &thing, &cpu) && thing.kind == SITE_ALL)
            return "kov record samples; metrics of the machine are counted";
        return NULL;
    case WATCHED_CALLS:
        return "kov record samples; calls are counted from a trace";
    case WATCHED_CONSOLE:
    case WATCHED_SERVER:
    case WATCHED_WORKLOADS:
        return "a recording of samples does not tell this";
    default:
        return NULL;
    }
}

void *machine_run_samples(void *context)
{
    struct machine *machine = context;
    struct samples_reading *reading = memory_get(sizeof(*reading));
    reading->machine = machine;
    snprintf(machine->failure, sizeof(machine->failure), "the recording is being read");
    machine_tell_state(machine, "played");
    message_to(take_message, reading);
    read_recording(reading);
    recording_free(&reading->recording);
    machine_say_all(machine);
    machine_tell_state(machine, "played");
    while (!machine->ending) {
        machine_wait_for_request(machine);
        machine_serve_requests(machine);
        if (names_are_full(&machine->names))
            machine_reset_names(machine);
        publish_due(machine);
    }
    free(reading);
    return NULL;
}

// SPDX-License-Identifier: MIT
// One machine: its thread and its connection.
#include "gateway/machine.h"
#include "gateway/machine_state.h"
#include "gateway/panic_text.h"
#include "machine/scan.h"
#include "tools/clock.h"
#include "tools/interrupt.h"
#include "tools/kov.h"
#include "tools/memory.h"
#include "wire/patience.h"
#include "wire/session.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_PAUSE 0.2 // seconds between attempts to connect, doubled after each
#define LONGEST_PAUSE 0.5
#define CELL_SECONDS 1.0  // of history
#define LONGEST_WAIT 0.25 // for events, when nothing is due

double machine_time(const struct machine *machine, u64 ticks)
{
    return machine->timebase_hz == 0
               ? 0
               : ((double)ticks - (double)machine->boot_time) * 1e9 / (double)machine->timebase_hz;
}

u64 machine_ticks(const struct machine *machine, double time, u64 otherwise)
{
    double ticks = floor(time * (double)machine->timebase_hz / 1e9 + 0.5);
    return isnan(ticks) ? otherwise : ticks < 0 ? 0 : ticks < 0x1p63 ? (u64)ticks : INT64_MAX;
}

const char *machine_name(const struct machine *machine)
{
    return machine->settings.name;
}

struct exposition *machine_exposition(const struct machine *machine)
{
    return machine->exposition;
}

void machine_post(struct machine *machine, struct post post)
{
    post.machine = machine->number;
    post_send(machine->posts, &post);
}

void machine_publish(struct machine *machine, const struct published *published,
                     struct block *block)
{
    for (struct block *names; (names = names_take(&machine->names)) != NULL;)
        machine_post(machine, (struct post){.kind = POST_NAMES, .block = names});
    machine_post(machine,
                 (struct post){.kind = POST_TOPIC, .topic = published->number, .block = block});
}

// ---- its state ---------------------------------------------------------------------------------

void machine_tell_state(struct machine *machine, const char *state)
{
    const dci_system_info *system = machine->live ? session_machine() : NULL;
    u32 cpus = machine->timeline != NULL ? (u32)__builtin_popcount(machine->timeline->engine.cpus)
                                         : (system == NULL ? machine->cpus : system->cpu_count);
    const char *file = machine->settings.tape != NULL     ? machine->settings.tape
                       : machine->settings.folder != NULL ? machine->settings.folder
                                                          : machine->settings.samples;
    char address[160];
    if (file == NULL)
        snprintf(address, sizeof(address), "%.100s:%" PRIu64, machine->settings.host,
                 machine->settings.port);
    else
        snprintf(address, sizeof(address), "%.150s", file);
    json_t *json =
        json_pack("{s:s, s:s, s:s, s:s, s:o, s:i, s:o, s:i, s:f, s:o}", "type", "machine",
                  "machine", machine->settings.name, "state", state, "boot", machine->boot,
                  "message", block_text(machine->failure), "tries", (int)machine->tries, "address",
                  block_text(address), "cpus", (int)cpus, "seconds",
                  system == NULL ? 0.0 : machine_time(machine, system->time) / 1e9, "version",
                  block_text(system == NULL ? "" : system->version));
    if (machine->settings.of != NULL)
        json_object_set_new(json, "of", json_string(machine->settings.of));
    if (machine->settings.folder != NULL)
        json_object_set_new(json, "trace", json_true());
    if (machine->panic[0] != 0)
        json_object_set_new(json, "panic", block_text(machine->panic));
    machine_post(machine, (struct post){.kind = POST_NOTICE, .block = block_of_json(json)});
}

// Takes messages of kov's rooms. The last failure is kept for whoever asked. Warnings go to all
// browsers.
static void take_message(void *context, bool is_warning, const char *text)
{
    struct machine *machine = context;
    if (!is_warning) {
        snprintf(machine->failure, sizeof(machine->failure), "%s", text);
        return;
    }
    json_t *json =
        json_pack("{s:s, s:s, s:o, s:i, s:b}", "type", "notice", "machine", machine->settings.name,
                  "message", block_text(text), "count", 1, "warning", 1);
    struct block *block = block_of_json(json);
    block->whole = false; // not told to those who come later
    machine_post(machine, (struct post){.kind = POST_NOTICE, .block = block});
}

// ---- while it is connected ---------------------------------------------------------------------

static int take_event(void *context, const Orrery__Dci__Event *event)
{
    struct machine *machine = context;
    if (event->body_case == ORRERY__DCI__EVENT__BODY_CONSOLE)
        console_history_take(&machine->console, event->console);
    else
        background_take(&machine->background, event);
    call_trace_take(&machine->calls, event);
    return KOV_OK;
}

// Begins numbers again, and says again all that used them.
void machine_reset_names(struct machine *machine)
{
    names_reset(&machine->names);
    machine_post(machine, (struct post){.kind = POST_RESET});
    machine_say_all(machine);
}

// Returns whether what a scan finds is shown or kept by somebody now.
static bool is_watched(const struct machine *machine)
{
    return machine->published != NULL || machine->recorder != NULL ||
           (machine->exposition != NULL && exposition_is_wanted(machine->exposition));
}

// Scans objects and classes. They replace those of the last scan, so that what is gone does not
// stay.
int machine_scan(struct machine *machine)
{
    struct snapshot fresh = {0};
    double begin = clock_now();
    int code = scan_objects(&fresh, SCAN_ALL);
    if (code != KOV_OK) {
        snapshot_free(&fresh);
        return code;
    }
    functions_bind(machine); // before processes that have ended are forgotten
    snapshot_free(&machine->snapshot);
    tree_free(&machine->tree);
    machine->snapshot = fresh;
    tree_build(&machine->snapshot, TREE_EVERYTHING, &machine->tree);
    own_programs_take(&machine->programs, &machine->snapshot);
    watching_take(&machine->watching, &machine->snapshot);
    machine->scanned = clock_now();
    machine->scan_seconds = machine->scanned - begin;
    machine->scan_due = machine->scanned + SCAN_SECONDS_UNWATCHED;
    machine->programs_due = machine->scanned + SCAN_SECONDS;
    machine->scans++;
    functions_bind(machine);
    machine->background.clock_ticks = machine->snapshot.process_time;
    machine->background.clock_heard = // not later than when it was read
        machine->player == NULL
            ? begin
            : player_asked(machine->player, ORRERY__DCI__REQUEST__BODY_PROCESSES);
    return KOV_OK;
}

static int live_attend(struct machine *machine)
{
    int code = background_attend(&machine->background);
    if (is_watched(machine))
        machine->scan_due = fmin(machine->scan_due,
                                 machine->scanned + fmax(SCAN_SECONDS, 4 * machine->scan_seconds));
    if (code == KOV_OK && clock_now() >= machine->scan_due)
        code = machine_scan(machine);
    if (code == KOV_OK && clock_now() >= machine->programs_due) {
        code = own_programs_find(&machine->programs);
        machine->programs_due = clock_now() + SCAN_SECONDS;
    }
    if (code == KOV_OK && clock_now() >= machine->cell_due) {
        machine->cell_due = clock_now() + CELL_SECONDS;
        code = background_pace(&machine->background,
                               machine->published != NULL || machine->recorder != NULL);
        if (code == KOV_OK)
            code = dref_counts_attend(&machine->dref_counts, machine->history);
        if (code == KOV_OK)
            code = background_close_cell(&machine->background);
    }
    if (code == KOV_OK)
        code = call_trace_rest(&machine->calls);
    return code == KOV_OK ? metric_counts_rest(&machine->metric_counts) : code;
}

// Waits for events. A player's news end the wait for a frame, as a request does.
static int wait_for_events(struct machine *machine)
{
    double next = publish_next(machine);
    if (machine->player == NULL)
        next = fmin(next, fmin(machine->scan_due, machine->cell_due)); // programs: with a cell
    double wait = fmax(fmin(next - clock_now(), LONGEST_WAIT), 0);
    patience_begin();
    patience_window(wait);
    int code = machine->player == NULL ? dci_listen(wait) : dci_take(wait);
    patience_window_over();
    return code;
}

static int attend(struct machine *machine)
{
    patience_begin();
    int code = machine_serve_requests(machine);
    if (code == KOV_OK)
        code = machine->player == NULL ? live_attend(machine) : played_attend(machine);
    if (names_are_full(&machine->names))
        machine_reset_names(machine);
    if (code == KOV_OK)
        code = publish_due(machine);
    if (code == KOV_OK)
        code = machine_expose(machine);
    return code != KOV_OK || machine->ending ? code : wait_for_events(machine);
}

static void begin_boot(struct machine *machine)
{
    machine_reset_names(machine);
    call_trace_free(&machine->calls);
    machine->history =
        history_new(machine->settings.history_bytes, machine->boot_time, machine->timebase_hz);
    machine->background.history = machine->history;
    machine->background.watching = &machine->watching;
    memset(&machine->gone, 0, sizeof(machine->gone));
}

// Notes which boot it is. A new boot uses the same numbers for other things.
static void note_boot(struct machine *machine)
{
    const dci_system_info *system = session_machine();
    // The same boot: only the connection was lost, or the DCI server was restarted, and the clock
    // went on. Two boots may begin at the same reading if the clock counts instructions.
    bool same = machine->history != NULL && machine->boot_time == system->boot_time &&
                system->time >= machine->known_clock;
    bool again = machine->history != NULL && machine->boot_time == system->boot_time;
    if (!same && machine->history != NULL)
        machine_hand_on_boot(machine);
    machine->timebase_hz = system->timebase_hz;
    machine->build_id_size = system->build_id.len < RECORDING_MAX_BUILD_ID ? system->build_id.len
                                                                           : RECORDING_MAX_BUILD_ID;
    if (machine->build_id_size > 0)
        memcpy(machine->build_id, system->build_id.data, machine->build_id_size);
    machine->background.clock_ticks = system->time;
    machine->background.clock_hertz = system->timebase_hz;
    machine->background.clock_heard = machine_present(machine);
    if (same) {
        history_gap(machine->history, machine->lost_at, system->time);
        publish_clock(machine);
    } else {
        machine->same_begin = again ? machine->same_begin + 1 : 0;
        machine->boot_time = system->boot_time;
        snprintf(machine->boot, sizeof(machine->boot), "%08" PRIx32 "%08" PRIx32,
                 machine->same_begin, (u32)machine->boot_time);
        begin_boot(machine);
    }
    metric_counts_reset(&machine->metric_counts);
    dref_counts_reset(&machine->dref_counts);
}

// Its time stays at when it last answered, so that "the last 10 seconds" stay where something is.
static void stop_clock(struct machine *machine)
{
    struct background *background = &machine->background;
    machine->known_clock = background->clock_ticks;
    machine->lost_at = background_at(background, machine->heard);
    background->clock_ticks = machine->lost_at;
    background->clock_hertz = 0;
}

static int serve(struct machine *machine)
{
    machine->live = true;
    machine->tries = 0;
    machine->failure[0] = 0;
    note_boot(machine); // the boot before takes its panic along
    machine->panic[0] = 0;
    if (machine->settings.console != NULL)
        machine->console_begin = panic_text_begin(machine->settings.console);
    dci_on_event(take_event, machine);
    int code = KOV_OK;
    if (machine->player != NULL)
        played_begin(machine);
    else
        code = background_begin(&machine->background);
    if (machine->player == NULL && code == KOV_OK)
        code = console_history_attach(&machine->console);
    machine->scan_due = machine->programs_due = machine->cell_due = 0;
    machine_say_all(machine);
    machine_tell_state(machine, machine->player == NULL ? "live" : "played");
    machine->heard = machine_present(machine);
    while (code != KOV_CONNECTION && !machine->ending && !link_ended()) {
        code = attend(machine);
        if (code != KOV_CONNECTION)
            machine->heard = machine_present(machine);
    }
    dci_on_event(NULL, NULL);
    call_trace_reset(&machine->calls);
    machine->live = false;
    if (machine->recorder != NULL)
        recorder_lost(machine->recorder);
    stop_clock(machine);
    machine->expose_due = 0;
    publish_clock(machine); // before the loss is told with it
    return code;
}

// ---- its thread --------------------------------------------------------------------------------

// Waits before the next attempt. Meanwhile it notes topics, refuses acts, and still says what was
// known.
static void pause_before_next(struct machine *machine, double pause)
{
    double end = clock_now() + pause;
    while (clock_now() < end && !machine->ending && !link_ended()) {
        machine_serve_requests(machine);
        if (machine->history != NULL)
            publish_due(machine);
        machine_expose(machine);
        interrupt_sleep(fmin(0.1, end - clock_now()));
    }
}

static void tell_absence(struct machine *machine, bool was_live)
{
    // The file cannot be played. That will not change, so it does not try again.
    bool useless = machine->player != NULL && player_problem(machine->player) != NULL;
    if (was_live && machine->settings.console != NULL && machine->panic[0] == 0)
        panic_text_find(machine->settings.console, machine->console_begin, machine->panic,
                        sizeof(machine->panic));
    machine_tell_state(machine, useless ? "played" : was_live ? "lost" : "waiting");
}

static void *run_machine(void *context)
{
    struct machine *machine = context;
    bool was_live = false;
    double pause = FIRST_PAUSE;
    link_use(machine->link);
    message_to(take_message, machine);
    if (machine->recorder != NULL)
        recorder_attach(machine->recorder);
    while (!machine->ending && !link_ended()) {
        tell_absence(machine, was_live);
        patience_begin();
        machine->tries++;
        bool served = session_begin(true) == KOV_OK;
        if (served) {
            serve(machine);
            was_live = true;
            pause = FIRST_PAUSE;
        }
        session_end();
        tell_absence(machine, was_live);
        // The next connection of a recording has come already.
        bool goes_on = served && machine->player != NULL && player_problem(machine->player) == NULL;
        pause_before_next(machine, goes_on ? 0 : pause);
        pause = fmin(2 * pause, LONGEST_PAUSE);
    }
    return NULL;
}

static void free_machine(struct machine *machine)
{
    machine_unwatch_all(machine);
    post_queue_free(&machine->requests);
    if (machine->link != NULL)
        link_free(machine->link);
    exposition_free(machine->exposition);
    player_free(machine->player);
    recorder_free(machine->recorder);
    background_free(&machine->background);
    dref_counts_reset(&machine->dref_counts);
    call_trace_free(&machine->calls);
    machine_free_boot(machine);
    names_reset(&machine->names);
    if (machine->handed != NULL)
        machine_free_boot(machine->handed);
    free(machine->handed);
    if (machine->timeline != NULL)
        timeline_close(machine->timeline);
    free(machine->timeline);
    sem_destroy(&machine->requested);
    free(machine->settings.folder);
    free(machine->settings.samples);
    free(machine->settings.console);
    free(machine->settings.name);
    free(machine->settings.host);
    free(machine->settings.tape);
    free(machine->settings.of);
    free(machine);
}

static void wake(void *context)
{
    struct machine *machine = context;
    if (machine->link != NULL)
        link_wake(machine->link);
    else
        sem_post(&machine->requested);
}

// Watches what a recording must have, even while no browser does.
static void watch_for_recorder(struct machine *machine)
{
    const enum watched_kind kinds[] = {WATCHED_PROCESSES, WATCHED_SERVER, WATCHED_WORKLOADS,
                                       WATCHED_METRIC};
    for (u32 i = 0; i < ARRAY_SIZE(kinds); i++) { // topic 0 is no browser's
        struct post request = {.kind = REQUEST_WATCH,
                               .watched = kinds[i],
                               .json =
                                   json_pack("{s:s, s:s}", "metric", metrics[0].name, "of", "m")};
        machine_watch(machine, &request);
    }
}

// Makes the link, and the player or recorder at its ends. Returns false with a message if it
// cannot.
static bool open_ends(struct machine *machine, const struct machine_settings *from)
{
    if (from->folder != NULL || from->samples != NULL)
        return true;
    if (from->tape != NULL) {
        machine->player = player_new(from->tape);
        machine->link = machine->player == NULL
                            ? NULL
                            : link_new_through(&player_through, machine->player, from->tape);
        return machine->link != NULL;
    }
    machine->link = link_new(from->host, from->port, from->token);
    if (machine->link == NULL || from->record == NULL)
        return machine->link != NULL;
    machine->recorder = recorder_new(from->record, from->name);
    if (machine->recorder != NULL)
        watch_for_recorder(machine);
    return machine->recorder != NULL;
}

static char *copy_text(const char *text)
{
    return text == NULL ? NULL : memory_copy_text(text);
}

struct machine *machine_start(u32 number, const struct machine_settings *from,
                              struct post_queue *posts)
{
    json_t *name = json_string(from->name); // the name as browsers get it
    json_decref(name);
    if (name == NULL) {
        fail(KOV_USAGE, "a machine's name is no UTF-8");
        return NULL;
    }
    struct machine *machine = memory_get(sizeof(*machine));
    machine->number = number;
    machine->posts = posts;
    machine->settings = *from;
    machine->settings.name = memory_copy_text(from->name);
    machine->settings.host = copy_text(from->host);
    machine->settings.tape = copy_text(from->tape);
    machine->settings.folder = copy_text(from->folder);
    machine->settings.samples = copy_text(from->samples);
    machine->settings.console = copy_text(from->console);
    machine->names.machine = machine->settings.name;
    sem_init(&machine->requested, 0, 0);
    post_queue_init(&machine->requests, wake, machine);
    if (from->exposed && from->host != NULL) {
        machine->exposition = exposition_new();
        machine_expose(machine); // that it is not connected yet
        machine->expose_due = 0;
    }
    bool opened = open_ends(machine, from);
    void *(*run)(void *) = from->samples != NULL  ? machine_run_samples
                           : from->folder != NULL ? machine_run_folder
                                                  : run_machine;
    if (opened && pthread_create(&machine->thread, NULL, run, machine) == 0)
        return machine;
    if (opened)
        fail(KOV_FAILED, "no thread for machine %s", from->name);
    free_machine(machine);
    return NULL;
}

struct machine *machine_start_past(u32 number, struct machine *of, struct post_queue *posts)
{
    char name[TEXT_CHARACTERS];
    struct machine *machine = memory_get(sizeof(*machine));
    snprintf(name, sizeof(name), "%.200s, boot before", of->settings.name);
    machine->number = number;
    machine->posts = posts;
    machine->settings.name = memory_copy_text(name);
    machine->settings.host = copy_text(of->settings.host);
    machine->settings.port = of->settings.port;
    machine->settings.tape = copy_text(of->settings.tape);
    machine->settings.samples = copy_text(of->settings.samples);
    machine->settings.of = memory_copy_text(of->settings.name);
    machine->names.machine = machine->settings.name;
    sem_init(&machine->requested, 0, 0);
    post_queue_init(&machine->requests, wake, machine);
    if (pthread_create(&machine->thread, NULL, machine_run_past, machine) == 0) {
        of->past = machine;
        return machine;
    }
    fail(KOV_FAILED, "no thread for the boot before of machine %s", of->settings.name);
    free_machine(machine);
    return NULL;
}

bool machine_takes_request(struct machine *machine, u64 browser)
{
    return post_fits(&machine->requests, browser);
}

void machine_request(struct machine *machine, const struct post *request)
{
    post_send(&machine->requests, request);
}

void machine_end(struct machine *machine)
{
    if (machine->link != NULL)
        link_end(machine->link);
    else
        machine_request(machine, &(struct post){.kind = REQUEST_END});
    pthread_join(machine->thread, NULL);
    free_machine(machine);
}

// SPDX-License-Identifier: MIT
// What the thread of a machine knows. Only the files that make up the machine use it. All of it
// belongs to that thread, except the queue of requests.
#ifndef KOV_MACHINE_STATE_H
#define KOV_MACHINE_STATE_H

#include "gateway/machine.h"
#include "gateway/call_trace.h"
#include "gateway/names.h"
#include "gateway/console_history.h"
#include "gateway/history.h"
#include "gateway/dref_counts.h"
#include "gateway/gone.h"
#include "gateway/metric_counts.h"
#include "gateway/own_programs.h"
#include "gateway/player.h"
#include "gateway/recorder.h"
#include "gateway/runs.h"
#include "gateway/background.h"
#include "gateway/watching.h"
#include "machine/tree.h"
#include "samples/ranking.h"
#include "samples/recording.h"
#include "analyses/timeline.h"
#include "wire/link.h"

#include <semaphore.h>

#define SCAN_SECONDS 2.0
#define SCAN_SECONDS_UNWATCHED 10.0 // of objects: each scan is work for the machine
#define PROCESSES_SECONDS 1.0
#define STATUS_SECONDS 1.0
#define HEAT_SECONDS 0.5

// A topic that somebody watches, as the machine has it.
struct published {
    u64 number;
    enum watched_kind kind;
    json_t *parameters;
    double due;  // by clock_now(); 0: at once
    bool afresh; // say all of it, for a new browser
    u64 said;    // how far it has been told, in units of its kind
    struct published *next;
};

struct machine {
    u32 number;
    struct machine_settings settings;
    struct post_queue *posts, requests;
    struct link *link;
    struct player *player;         // NULL: a real machine
    struct recorder *recorder;     // NULL: it is not recorded
    struct timeline *timeline;     // NULL: it is no trace folder
    struct exposition *exposition; // NULL: it exposes nothing
    sem_t requested;               // without a link: something waits in `requests`
    pthread_t thread;
    bool ending;

    bool live;
    u32 tries;
    char boot[17];
    u64 boot_time, timebase_hz; // of the machine's clock
    u8 build_id[RECORDING_MAX_BUILD_ID];
    size_t build_id_size;
    u32 cpus;           // of a recording of samples
    u32 same_begin;     // earlier boots that began at the same time
    char failure[256];  // the last message of a failure
    long console_begin; // of its console's file when it was connected, in bytes
    char panic[256];    // why it panicked; "": it has told nothing

    struct names names;
    struct snapshot snapshot;
    struct tree tree;
    double scanned, scan_seconds; // clock_now() of the last scan, and how long it took
    double scan_due, programs_due, expose_due;
    u64 scans;
    struct gone_objects gone;
    struct background background;
    struct history *history; // of this boot; NULL: it was never connected
    struct metric_counts metric_counts;
    struct dref_counts dref_counts;
    struct call_trace calls;
    struct runs runs;
    struct own_programs programs;
    struct watching watching;
    struct console_history console;
    double cell_due;
    double heard;    // machine_present() when it had last answered all that was asked
    u64 lost_at;     // ticks then, when the connection was lost
    u64 known_clock; // ticks that the machine had surely passed by then
    json_t *server;  // the server's account, as last told; NULL: never

    // Where a boot goes that has ended, NULL: nowhere; and what waits there to be taken.
    _Atomic(struct machine *) past;
    _Atomic(struct machine *) handed;
    struct published *published;
};

// Gives what is known of the machine's boot to its `past`, or frees it (machine_past.c).
void machine_hand_on_boot(struct machine *machine);
void machine_free_boot(struct machine *machine);
// The thread of a `past`.
void *machine_run_past(void *machine);
// The thread of a trace folder (machine_folder.c).
void *machine_run_folder(void *machine);
// Waits a while for requests, without a link.
void machine_wait_for_request(struct machine *machine);
// The thread of a recording of `kov record` (machine_samples.c).
void *machine_run_samples(void *machine);
// Returns why such a recording does not have what the topic says, or NULL.
const char *samples_lack(const struct machine *machine, const struct published *published);
// Returns whether a trace folder has what such a topic says.
bool folder_has(enum watched_kind kind);
void folder_put_status(struct machine *machine, json_t *data);
// Puts the events of a trace folder for which a browser asks (`ask` of messages.def) into `data`.
// The trace is read. Returns an exit code with a message in machine->failure (folder_events.c).
int folder_put_events(struct machine *machine, const json_t *ask, json_t *data);
// The same with the arrows of a slice (folder_arrows.c).
int folder_put_arrows(struct machine *machine, const json_t *ask, json_t *data);
// Adds the topic of a request, and takes its parameters.
void machine_watch(struct machine *machine, struct post *request);
void machine_unwatch_all(struct machine *machine);
// Grants what waits. Returns KOV_OK, or the connection is gone.
int machine_serve_requests(struct machine *machine);
void machine_reset_names(struct machine *machine);
void machine_say_all(struct machine *machine);
// Returns the nanoseconds since the machine's boot for a reading of its time base.
double machine_time(const struct machine *machine, u64 ticks);
// Returns the reading of a trace's time base at such a time; of NaN, `otherwise`.
u64 machine_ticks(const struct machine *machine, double time, u64 otherwise);
// Returns clock_now(), or of a played machine when that came which is played now.
double machine_present(struct machine *machine);
// Begin a connection of a played machine's tape, and do what is new on it (machine_played.c).
// played_attend returns KOV_OK, or the connection is gone.
void played_begin(struct machine *machine);
int played_attend(struct machine *machine);
// Scans processes and objects.
int machine_scan(struct machine *machine);
// Tells all browsers the state and its reason.
void machine_tell_state(struct machine *machine, const char *state);
// Sends a block to those who watch the topic. Before it, sends the names that it uses.
void machine_publish(struct machine *machine, const struct published *published,
                     struct block *block);
void machine_post(struct machine *machine, struct post post);

// Exposes what is known now, if it is due. Of a machine that is lost, and while nobody reads it,
// that is whether it is connected. Returns KOV_OK, or the connection is gone.
int machine_expose(struct machine *machine);

// ---- topics (publish.c, and a file each) -------------------------------------------------------

// Says what is due. Returns KOV_OK, or the connection is gone.
int publish_due(struct machine *machine);
// Says what time it is, and which gaps there are, at once: when the clock stands, and when it goes
// again, before anything else is told of that.
void publish_clock(struct machine *machine);
// Returns when the next topic is due, by clock_now().
double publish_next(const struct machine *machine);
// Finds the interval of a topic, ns since boot: its from and to, or the last `seconds`.
void publish_interval(const struct machine *machine, const struct published *published,
                      double *from, double *to);
// Returns the number of its measure in the history. If the measure is not sampled, starts to count
// it. HISTORY_NO_EVENT: there is nothing of it. Ends the topic if the machine refuses to count.
u32 publish_measure(struct machine *machine, const struct published *published);
// Returns a number of the parameters, or `otherwise`.
double publish_number(const struct published *published, const char *name, double otherwise);
const char *publish_text(const struct published *published, const char *name);
// Ends the topic and tells why.
void publish_stop(struct machine *machine, const struct published *published, const char *why);
// Finds what a key of the schema names. Returns false if there is no such key.
bool publish_thing(const char *key, struct ranking_thing *thing, u32 *cpu);
int publish_objects(struct machine *machine, struct published *published);
int publish_processes(struct machine *machine, struct published *published);
int publish_status(struct machine *machine, struct published *published);
int publish_heat(struct machine *machine, struct published *published);
int publish_ranking(struct machine *machine, struct published *published);
int publish_functions(struct machine *machine, struct published *published);
// Notes whose code new stacks are in, as long as that is known: a process may end (after a scan).
void functions_bind(struct machine *machine);
int publish_metric(struct machine *machine, struct published *published);
int publish_metrics(struct machine *machine, struct published *published);
int publish_series(struct machine *machine, struct published *published);
int publish_console(struct machine *machine, struct published *published);
int publish_server(struct machine *machine, struct published *published);
int publish_workloads(struct machine *machine, struct published *published);
int publish_marks(struct machine *machine, struct published *published);
int publish_calls(struct machine *machine, struct published *published);
int publish_slices(struct machine *machine, struct published *published);
int publish_threads(struct machine *machine, struct published *published);

#define SLICE_ROWS_MAX 22000u // of a frame
#define NO_THREAD UINT32_MAX  // in a frame

// Which part of a trace folder a topic tells, in ticks, and for how many pixels.
struct trace_interval {
    u64 from, to;
    u32 width;
};
// Finds it. False: there is nothing to tell now, or ever, as the topic was told.
bool publish_trace_interval(struct machine *machine, struct published *published,
                            struct trace_interval *interval);

// Returns the number of the thing that a line of the tree stands for.
u32 tree_entry_thing(struct names *names, const struct snapshot *snapshot,
                     const struct tree_entry *entry);

// ---- requests (requests.c)
// -----------------------------------------------------------------------

// Answers a REQUEST_ASK or REQUEST_ACT. Returns KOV_OK, or the connection is gone.
int request_answer(struct machine *machine, const struct post *request);

#endif

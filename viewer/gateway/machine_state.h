// SPDX-License-Identifier: MIT
// What the thread of a machine knows: shared by the files that make up the machine, and by nobody
// else. All of it belongs to that thread, but for the queue of wishes.
#ifndef KOV_MACHINE_STATE_H
#define KOV_MACHINE_STATE_H

#include "gateway/machine.h"
#include "gateway/names.h"
#include "gateway/console_history.h"
#include "gateway/history.h"
#include "gateway/dref_counts.h"
#include "gateway/metric_counts.h"
#include "gateway/player.h"
#include "gateway/recorder.h"
#include "gateway/runs.h"
#include "gateway/standing.h"
#include "machine/tree.h"
#include "samples/ranking.h"
#include "wire/link.h"

#define SCAN_SECONDS 2.0
#define PROCESSES_SECONDS 1.0
#define STATUS_SECONDS 1.0
#define HEAT_SECONDS 0.5

// A topic that somebody watches, on the machine's side.
struct published {
    u64 number;
    enum watched_kind kind;
    json_t *parameters;
    double due;  // by clock_now(); 0: at once
    bool afresh; // all of it, for somebody who is new
    u64 said;    // how far it has been said, as its kind counts
    struct published *next;
};

struct machine {
    u32 number;
    struct machine_settings settings;
    struct post_queue *posts, wishes;
    struct link *link;
    struct player *player;     // NULL: it is a machine
    struct recorder *recorder; // NULL: it is not recorded
    pthread_t thread;
    bool ending;

    bool live;
    u32 tries;
    char boot[17];
    u64 boot_time, timebase_hz; // of the machine's clock
    u32 same_begin;             // boots before this one that began at the same time
    char failure[256];          // the last message, of whatever went wrong

    struct names names;
    struct snapshot snapshot;
    struct tree tree;
    double scanned, scan_seconds; // clock_now() of the last scan, and how long it took
    double scan_due, processes_due;
    u64 scans;
    struct standing standing;
    struct history *history; // of this boot; NULL: never connected
    struct metric_counts metric_counts;
    struct dref_counts dref_counts;
    struct runs runs;
    struct console_history console;
    double cell_due;
    u64 lost_at; // ticks, when the connection was
    struct published *published;
};

// Nanoseconds since the machine's boot, of a reading of its time base.
double machine_time(const struct machine *machine, u64 ticks);
// Of a machine that is played (machine_played.c): a connection of its tape begins, and does what is
// new on it. KOV_OK, or the connection is gone.
void played_begin(struct machine *machine);
int played_attend(struct machine *machine);
// Scans processes and objects.
int machine_scan(struct machine *machine);
// State, and why, to all browsers.
void machine_tell_state(struct machine *machine, const char *state);
// Sends a block to those who watch the topic, and before it the names that it uses.
void machine_publish(struct machine *machine, const struct published *published,
                     struct block *block);
void machine_post(struct machine *machine, struct post post);

// ---- topics (publish.c, and a file each) -------------------------------------------------------

// Says what is due. KOV_OK, or the connection is gone.
int publish_due(struct machine *machine);
// Says that a gap has ended, and what time it is, before the machine is asked for anything.
void publish_gap(struct machine *machine);
// When the next is, by clock_now().
double publish_next(const struct machine *machine);
// The interval that a topic is about, ns since boot: its from and to, or the last `seconds`.
void publish_interval(const struct machine *machine, const struct published *published,
                      double *from, double *to);
// The number of its measure in the history, which it has counted if it is not sampled;
// HISTORY_NO_EVENT: there is nothing of it. It is ended if the machine refuses to count.
u32 publish_measure(struct machine *machine, const struct published *published);
// A number among the parameters, or `otherwise`.
double publish_number(const struct published *published, const char *name, double otherwise);
const char *publish_text(const struct published *published, const char *name);
// Ends the topic, for a reason that is told.
void publish_stop(struct machine *machine, const struct published *published, const char *why);
// What a key of the schema names; false: no such key.
bool publish_thing(const char *key, struct ranking_thing *thing, u32 *cpu);
int publish_objects(struct machine *machine, struct published *published);
int publish_processes(struct machine *machine, struct published *published);
int publish_status(struct machine *machine, struct published *published);
int publish_heat(struct machine *machine, struct published *published);
int publish_ranking(struct machine *machine, struct published *published);
int publish_metric(struct machine *machine, struct published *published);
int publish_series(struct machine *machine, struct published *published);
int publish_console(struct machine *machine, struct published *published);
int publish_server(struct machine *machine, struct published *published);
int publish_workloads(struct machine *machine, struct published *published);
int publish_marks(struct machine *machine, struct published *published);

// The number of what a line of the tree stands for.
u32 tree_entry_thing(struct names *names, const struct snapshot *snapshot,
                     const struct tree_entry *entry);

// ---- wishes (requests.c) -----------------------------------------------------------------------

// Answers a WISH_ASK or WISH_ACT. KOV_OK, or the connection is gone.
int request_answer(struct machine *machine, const struct post *wish);

#endif

// SPDX-License-Identifier: MIT
// What a machine has done in one boot, as far back as memory allows: sums of samples in cells of a
// second, older ones of ten seconds and of a minute; metrics over time; times without a connection.
// One thread at a time may use it. Times are ns since boot as double; those from the machine are
// ticks of the time base.
#ifndef KOV_HISTORY_H
#define KOV_HISTORY_H

#include "counts/metrics.h"
#include "gateway/count_log.h"
#include "gateway/track.h"
#include "samples/stack_table.h"

#define HISTORY_BYTES_DEFAULT ((size_t)256 << 20)
#define HISTORY_BYTES_MIN ((size_t)4 << 20)
#define HISTORY_NO_EVENT UINT32_MAX

struct history;

struct history_account {
    size_t bytes, limit;
    double from, to; // of its cells, ns; both 0: no cells yet
    u32 cells[3];    // cells of a second, ten seconds, a minute
    u64 late;        // samples older than every cell that was still open
    u64 refused;     // samples of absurd CPUs or events
    u64 forgotten;   // cells, for lack of memory
    size_t sites;    // number of sites for which a cell has room
    size_t stacks, stacks_max;
    u64 stacks_refused; // how often a stack had no room
};

// Makes a history that never takes more than `bytes`. boot: ticks when the machine began. hertz: of
// the time base. Returns NULL if bytes are less than HISTORY_BYTES_MIN, or if hertz is 0.
struct history *history_new(size_t bytes, u64 boot, u64 hertz);
void history_free(struct history *history);
double history_ns(const struct history *history, u64 ticks);
struct history_account history_account(const struct history *history);

// Begins a sampling session at this time (ticks), with these events. The caller has given the last
// one's final counters to history_close_cell.
void history_begin_session(struct history *history, u64 time, const struct sampled_events *events);
// Adds a sample of this session, with its weight (samples_add). It goes to the cell of its time if
// that is the open one or the one before.
void history_add(struct history *history, const struct sample *sample);
// Adds the sum of a site, of this session's samples of an interval (ticks); site.event is the
// event's index in the session. It goes to the cell of the interval's middle, as a sample does.
void history_add_sum(struct history *history, const struct site_sum *sum, u64 from, u64 to);
// Returns the stacks, which sums of kind SITE_STACK name. Its owner is the history; the caller may
// add to it.
struct stack_table *history_stacks(struct history *history);
// Returns the number of something that is counted by object, in addition to samples. It is like an
// event's number. HISTORY_NO_EVENT: there is no room for one more.
u32 history_counted(struct history *history, const char *name);
// Adds so many of them, of an object on a CPU, to the open cell.
void history_count(struct history *history, u32 number, const struct site *object, u64 count);
// Tells that the counts of so many ticks of the open cell are complete.
void history_count_end(struct history *history, u32 number, u64 covered);
// Ends the open cell and begins the next one. `session` is what the machine has counted since the
// session began (samples_stream); its samples are not used. Returns false and changes nothing if
// time (ticks) is not after the cell's begin, or if no session has begun.
bool history_close_cell(struct history *history, u64 time, const struct sample_set *session);
// Notes that nothing is known of the machine between these times (ticks). Ends the open cell at
// `from` and begins the next one at `to`. What ended cells tell stays known: the gap begins behind
// them. Returns false and changes nothing if `to` is not after that, or if no session has begun.
bool history_gap(struct history *history, u64 from, u64 to);

// Returns the events that were ever sampled, by number.
const struct sampled_event *history_events(const struct history *history, u32 *count);
// Returns the number of "larx" or "larx:u". HISTORY_NO_EVENT: it was never sampled.
u32 history_event(const struct history *history, const char *title);

struct history_range {
    double from, to;   // what the cells really cover, ns
    double seconds;    // length of the cells, without gaps
    double resolution; // length of the longest cell, seconds
    u32 cells;
};
// Joins the ended cells whose middle is in [from, to). If there is none, joins the one that
// contains `from`. `sums` has begun. Returns false and adds nothing if there is no such cell.
bool history_range(const struct history *history, double from, double to, struct site_sums *sums,
                   struct history_range *range);
// Visits the same cells one by one, oldest first, for values over time.
typedef void history_visit(void *context, double from, double to, const struct site_sums *sums);
void history_cells(const struct history *history, double from, double to, history_visit *visit,
                   void *context);

struct history_interval {
    double from, to;
};
// Finds at most `room` gaps in [from, to), oldest first. Returns how many.
size_t history_gaps(const struct history *history, double from, double to,
                    struct history_interval *gaps, size_t room);

// Adds a metric (its index in metrics[]) of a CPU or ALL_CPUS; time in ns. NaN: not known. Returns
// false if there is no such metric or CPU, or if the time goes back.
bool history_metric(struct history *history, u32 metric, u32 cpu, double time,
                    const struct metric_value *value);
// Returns NULL if nothing was added.
const struct track *history_track(const struct history *history, u32 metric, u32 cpu);

// Adds a reading of the counters of the metrics, of what `request` counts. first: it is of another
// counting session than the last one. The reading's time is in ticks.
void history_counts(struct history *history, const struct count_request *request, bool first,
                    const struct count_reading *reading);
// Returns all of them.
const struct count_log *history_count_log(const struct history *history);

#endif

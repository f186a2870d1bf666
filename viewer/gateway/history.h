// SPDX-License-Identifier: MIT
// What a machine did, as far back as memory reaches: sums of samples in cells of a second, older
// ones of ten seconds and of a minute; metrics over time; when it was not connected. Of one boot.
// Not for several threads at once. Times are ns since boot as double, and ticks of the time base
// where they come from the machine.
#ifndef KOV_HISTORY_H
#define KOV_HISTORY_H

#include "counts/metrics.h"
#include "gateway/track.h"
#include "samples/site_sums.h"

#define HISTORY_BYTES_DEFAULT ((size_t)256 << 20)
#define HISTORY_BYTES_MIN ((size_t)4 << 20)
#define HISTORY_NO_EVENT UINT32_MAX

struct history;

struct history_account {
    size_t bytes, limit;
    double from, to; // of its cells, ns; both 0: none yet
    u32 cells[3];    // of a second, ten seconds, a minute
    u64 late;        // samples that were older than any cell that was still open
    u64 refused;     // samples of absurd CPUs or events
    u64 forgotten;   // cells, for want of memory
    size_t sites;    // that a cell has room for
};

// bytes: that it never exceeds; boot: ticks when the machine began; hertz: of the time base.
// NULL: bytes are less than HISTORY_BYTES_MIN, or hertz is 0.
struct history *history_new(size_t bytes, u64 boot, u64 hertz);
void history_free(struct history *history);
double history_ns(const struct history *history, u64 ticks);
struct history_account history_account(const struct history *history);

// A sampling session begins at this time (ticks), with these events. The last one's final counters
// were given to history_close_cell before.
void history_begin_session(struct history *history, u64 time, const struct sampled_events *events);
// A sample of this session, with its weight (samples_add). It belongs to the cell of its time if
// that is the open one or the one before.
void history_add(struct history *history, const struct sample *sample);
// The number of something that is counted by object, beside what is sampled; like an event's.
// HISTORY_NO_EVENT: there is no room for one more.
u32 history_counted(struct history *history, const char *name);
// So many of them, of an object on a CPU, in the open cell.
void history_count(struct history *history, u32 number, const struct site *object, u64 count);
// All there were in so many ticks of the open cell are in it now.
void history_count_end(struct history *history, u32 number, u64 covered);
// Ends the open cell and begins the next one. session: what the machine has counted since the
// session began (samples_stream); its samples are not looked at. False, and nothing is changed:
// time (ticks) is not behind the cell's begin, or no session has begun.
bool history_close_cell(struct history *history, u64 time, const struct sample_set *session);
// Nothing is known of the machine between these times (ticks): ends the open cell at `from`, and
// begins the next one at `to`. False: they are out of order.
bool history_gap(struct history *history, u64 from, u64 to);

// Events that were ever sampled, by number.
const struct sampled_event *history_events(const struct history *history, u32 *count);
// The number of "larx" or "larx:u"; HISTORY_NO_EVENT: it never was.
u32 history_event(const struct history *history, const char *title);

struct history_range {
    double from, to;   // that the cells really cover, ns
    double seconds;    // of these, without gaps
    double resolution; // seconds of the longest cell
    u32 cells;
};
// Joins the ended cells whose middle is in [from, to); if there is none, the one that from is in.
// `sums` has begun. False, and nothing is added: no such cell.
bool history_range(const struct history *history, double from, double to, struct site_sums *sums,
                   struct history_range *range);
// The same cells one by one, oldest first, for values over time.
typedef void history_visit(void *context, double from, double to, const struct site_sums *sums);
void history_cells(const struct history *history, double from, double to, history_visit *visit,
                   void *context);

struct history_interval {
    double from, to;
};
// Gaps in [from, to), oldest first, at most `room`; returns how many.
size_t history_gaps(const struct history *history, double from, double to,
                    struct history_interval *gaps, size_t room);

// A metric (its index in metrics[]) of a CPU or ALL_CPUS; time in ns. NaN: not known. False: it was
// refused, as there is no such metric or CPU, or the time goes back.
bool history_metric(struct history *history, u32 metric, u32 cpu, double time,
                    const struct metric_value *value);
// NULL: nothing was added.
const struct track *history_track(const struct history *history, u32 metric, u32 cpu);

#endif

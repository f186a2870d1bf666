// SPDX-License-Identifier: MIT
// What a machine has done, as far back as memory allows. The tables in which cells are added up are
// allocated once, at the beginning. An ended cell is packed and takes only what it needs. When
// memory runs out, the oldest cells are joined into coarser ones, and later forgotten.
#include "gateway/history.h"
#include "tools/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_SECOND 1e9
#define LEVELS 3
#define GAPS_MAX 256
// Parts of the limit: a table of sites (there are three, and a packed cell is no larger), the list
// of cells, all tracks, readings of counters, the stacks. Packed cells have the rest.
#define TABLE_PART 12
#define CELLS_PART 16
#define TRACKS_PART 8
#define COUNTS_PART 16
#define STACKS_PART 16
#define TRACK_NODES_MAX 4096
#define TRACKS_A_METRIC (1 + ORRERY_MAX_CPUS) // all CPUs first

// About a level: how many of its cells make one of the next level; how many are kept while there is
// memory, and how many when there is none.
static const struct {
    u32 fan, kept, kept_at_least;
} levels[LEVELS] = {{10, 900, 120}, {6, 2160, 60}, {0, UINT32_MAX, 0}};

struct cell {
    u64 from, to;
    u64 covered; // ticks, without gaps
    u32 level;
    struct site_sums sums;
};

struct history {
    size_t limit, bytes;
    u64 boot, hertz;
    struct sampled_event events[SITE_EVENTS_MAX];
    u32 event_count;

    // The session: the numbers of its events, and what was counted until the open cell began.
    bool begun;
    u32 numbers[SAMPLED_EVENTS_MAX], session_events;
    struct site_stream counted[SAMPLED_EVENTS_MAX][ORRERY_MAX_CPUS];

    struct cell *cells; // packed, oldest first
    size_t cell_count, cells_max;
    struct cell previous, open; // previous.to 0: there is no previous one
    struct site_sums work;
    struct stack_table stacks;
    u32 level_counts[LEVELS];

    struct history_interval gaps[GAPS_MAX];
    u32 gap_count;
    struct track tracks[METRICS_MAX][TRACKS_A_METRIC];
    u32 track_nodes;
    struct count_log counts; // limit 0: nothing was counted yet
    u64 late, refused, forgotten;
};

// ---- begin and end -----------------------------------------------------------------------------

static void take_table(struct history *history, struct site_sums *sums, size_t sites)
{
    site_sums_begin(sums, sites);
    site_sums_reserve(sums);
    history->bytes += site_sums_bytes(sums);
}

struct history *history_new(size_t bytes, u64 boot, u64 hertz)
{
    if (bytes < HISTORY_BYTES_MIN || hertz == 0)
        return NULL;
    struct history *history = memory_get(sizeof(*history));
    size_t sites = SITES_MAX;
    while (sites > 1 && site_sums_reserve_bytes(sites) > bytes / TABLE_PART)
        sites /= 2;
    size_t nodes = bytes / TRACKS_PART / (metric_count * TRACKS_A_METRIC) / track_bytes(1);
    history->limit = bytes;
    history->boot = boot;
    history->hertz = hertz;
    history->track_nodes = nodes < TRACK_NODES_MAX ? (u32)nodes : TRACK_NODES_MAX;
    history->cells_max = bytes / CELLS_PART / sizeof(struct cell);
    history->cells = memory_get(history->cells_max * sizeof(struct cell));
    history->bytes = sizeof(*history) + history->cells_max * sizeof(struct cell);
    take_table(history, &history->previous.sums, sites);
    take_table(history, &history->open.sums, sites);
    take_table(history, &history->work, sites);
    size_t stacks = bytes / STACKS_PART / stack_table_bytes(1024) * 1024;
    stack_table_begin(&history->stacks, stacks < 1024 ? 1024 : stacks);
    history->bytes += stack_table_bytes(history->stacks.limit);
    return history;
}

void history_free(struct history *history)
{
    if (history == NULL)
        return;
    for (size_t i = 0; i < history->cell_count; i++)
        site_sums_free(&history->cells[i].sums);
    site_sums_free(&history->previous.sums);
    site_sums_free(&history->open.sums);
    site_sums_free(&history->work);
    stack_table_free(&history->stacks);
    for (u32 metric = 0; metric < METRICS_MAX; metric++)
        for (u32 i = 0; i < TRACKS_A_METRIC; i++)
            track_free(&history->tracks[metric][i]);
    count_log_free(&history->counts);
    free(history->cells);
    free(history);
}

double history_ns(const struct history *history, u64 ticks)
{
    double since =
        ticks >= history->boot ? (double)(ticks - history->boot) : -(double)(history->boot - ticks);
    return since / (double)history->hertz * NS_PER_SECOND;
}

// ---- memory ------------------------------------------------------------------------------------

static void forget_cell(struct history *history, struct cell *cell)
{
    history->bytes -= site_sums_bytes(&cell->sums);
    history->level_counts[cell->level]--;
    site_sums_free(&cell->sums);
}

static void close_hole(struct history *history, size_t first, size_t count)
{
    history->cell_count -= count;
    memmove(history->cells + first, history->cells + first + count,
            (history->cell_count - first) * sizeof(*history->cells));
}

static void pack(struct history *history, const struct site_sums *sums, struct cell *cell)
{
    site_sums_pack(sums, &cell->sums);
    history->bytes += site_sums_bytes(&cell->sums);
    history->level_counts[cell->level]++;
}

// Joins the oldest cells of a level into one of the next. They are freed before the new one is
// packed, which needs no more memory than they did.
static void coarsen(struct history *history, u32 level)
{
    size_t first = 0;
    while (history->cells[first].level != level)
        first++;
    struct cell *cells = &history->cells[first];
    u32 count = levels[level].fan;
    struct cell joined = {.from = cells[0].from, .to = cells[count - 1].to, .level = level + 1};
    site_sums_clear(&history->work);
    for (u32 i = 0; i < count; i++) {
        site_sums_join(&history->work, &cells[i].sums);
        joined.covered += cells[i].covered;
        forget_cell(history, &cells[i]);
    }
    pack(history, &history->work, &joined);
    cells[0] = joined;
    close_hole(history, first + 1, count - 1);
}

static void make_less(struct history *history)
{
    for (u32 level = 0; level + 1 < LEVELS; level++) {
        if (history->level_counts[level] >= levels[level].kept_at_least + levels[level].fan) {
            coarsen(history, level);
            return;
        }
    }
    forget_cell(history, &history->cells[0]);
    close_hole(history, 0, 1);
    history->forgotten++;
}

static void make_room(struct history *history, size_t bytes)
{
    while (history->cell_count > 0 && history->bytes + bytes > history->limit)
        make_less(history);
}

// ---- sessions ----------------------------------------------------------------------------------

// Returns the number of a session's event. A session may have the same event twice, with different
// thresholds.
static u32 number_of(struct history *history, const struct sampled_event *event, u64 taken)
{
    for (u32 i = 0; i < history->event_count; i++)
        if ((taken >> i & 1) == 0 && history->events[i].mode == event->mode &&
            strcmp(history->events[i].name, event->name) == 0)
            return i;
    return history->event_count < SITE_EVENTS_MAX ? history->event_count++ : HISTORY_NO_EVENT;
}

void history_begin_session(struct history *history, u64 time, const struct sampled_events *events)
{
    u64 taken = 0;
    for (u32 i = 0; i < events->count; i++) {
        u32 number = number_of(history, &events->events[i], taken);
        history->numbers[i] = number;
        if (number == HISTORY_NO_EVENT)
            continue;
        history->events[number] = events->events[i];
        taken |= (u64)1 << number;
    }
    history->session_events = events->count;
    memset(history->counted, 0, sizeof(history->counted));
    if (!history->begun)
        history->open.from = time;
    history->begun = true;
}

const struct sampled_event *history_events(const struct history *history, u32 *count)
{
    *count = history->event_count;
    return history->events;
}

u32 history_event(const struct history *history, const char *title)
{
    char own[SAMPLED_TITLE_BYTES];
    for (u32 i = 0; i < history->event_count; i++)
        if (strcmp(sampled_event_title(&history->events[i], own), title) == 0)
            return i;
    return HISTORY_NO_EVENT;
}

// Returns the history's number of a session's event; HISTORY_NO_EVENT if it or the CPU is absurd.
static u32 number_in_session(const struct history *history, u32 index, u32 cpu)
{
    bool is_sound = history->begun && index < history->session_events && cpu < ORRERY_MAX_CPUS;
    return is_sound ? history->numbers[index] : HISTORY_NO_EVENT;
}

// Returns the cell of so many samples of this time.
static struct cell *cell_of(struct history *history, u64 time, u64 samples)
{
    struct cell *cell = &history->open;
    if (time < cell->from && history->previous.to != 0)
        cell = &history->previous;
    history->late += time < cell->from ? samples : 0;
    return cell;
}

void history_add(struct history *history, const struct sample *sample)
{
    u32 number = number_in_session(history, sample->index, sample->cpu);
    if (number == HISTORY_NO_EVENT)
        history->refused++;
    else
        site_sums_add(&cell_of(history, sample->time, 1)->sums, number, sample);
}

void history_add_sum(struct history *history, const struct site_sum *sum, u64 from, u64 to)
{
    u64 samples = sum->site.kind == SITE_ALL ? sum->samples : 0; // it is in other sums as well
    u32 number = number_in_session(history, sum->site.event, sum->site.cpu);
    if (number == HISTORY_NO_EVENT) {
        history->refused += samples;
        return;
    }
    struct site_sum numbered = *sum;
    numbered.site.event = (u8)number;
    struct cell *cell = cell_of(history, from < to ? from + (to - from) / 2 : to, samples);
    site_sums_add_sum(&cell->sums, &numbered);
}

struct stack_table *history_stacks(struct history *history)
{
    return &history->stacks;
}

u32 history_counted(struct history *history, const char *name)
{
    struct sampled_event event = {.mode = COUNT_ALL, .period = 1};
    snprintf(event.name, sizeof(event.name), "%s", name);
    u32 number = number_of(history, &event, 0);
    if (number != HISTORY_NO_EVENT)
        history->events[number] = event;
    return number;
}

void history_count(struct history *history, u32 number, const struct site *object, u64 count)
{
    struct site site = *object;
    site.event = (u8)number;
    site_sums_count(&history->open.sums, site, count);
}

void history_count_end(struct history *history, u32 number, u64 covered)
{
    struct site_stream stream = {.event = number, .covered = covered};
    site_sums_add_stream(&history->open.sums, &stream);
}

// ---- cells -------------------------------------------------------------------------------------

static u64 rise(u64 *before, u64 now)
{
    u64 rise = now > *before ? now - *before : 0;
    *before = now;
    return rise;
}

// Returns what has come since the last time.
static struct site_stream stream_since(struct site_stream *before, const struct sample_stream *now)
{
    return (struct site_stream){
        .counts = {.taken = rise(&before->counts.taken, now->taken),
                   .lost = rise(&before->counts.lost, now->lost - now->lost_before),
                   .missed = rise(&before->counts.missed, now->missed),
                   .overflows = rise(&before->counts.overflows, now->overflows)},
        .filtered = rise(&before->filtered, now->filtered),
        .share = {.measured = rise(&before->share.measured, now->share.measured),
                  .total = rise(&before->share.total, now->share.total),
                  .turns = rise(&before->share.turns, now->share.turns)},
    };
}

static void add_streams(struct history *history, u64 covered, const struct sample_set *session)
{
    for (u32 cpu = 0; cpu < session->cpu_count && cpu < ORRERY_MAX_CPUS; cpu++)
        for (u32 i = 0; i < history->session_events; i++) {
            struct site_stream stream =
                stream_since(&history->counted[i][cpu], &session->cpus[cpu].streams[i]);
            stream.event = history->numbers[i];
            stream.cpu = cpu;
            stream.covered = covered;
            site_sums_add_stream(&history->open.sums, &stream);
        }
}

static void keep_previous(struct history *history)
{
    if (history->previous.to == 0)
        return;
    make_room(history, site_sums_packed_bytes(&history->previous.sums));
    if (history->cell_count == history->cells_max)
        make_less(history);
    struct cell *cell = &history->cells[history->cell_count++];
    *cell = history->previous;
    pack(history, &history->previous.sums, cell);
    for (u32 level = 0; level + 1 < LEVELS; level++)
        while (history->level_counts[level] >= levels[level].kept + levels[level].fan)
            coarsen(history, level);
}

static void end_cell(struct history *history, u64 time)
{
    keep_previous(history);
    struct site_sums emptied = history->previous.sums;
    site_sums_clear(&emptied);
    history->previous = history->open;
    history->previous.to = time;
    history->previous.covered = time - history->open.from;
    history->open = (struct cell){.from = time, .sums = emptied};
}

bool history_close_cell(struct history *history, u64 time, const struct sample_set *session)
{
    if (!history->begun || time <= history->open.from)
        return false;
    add_streams(history, time - history->open.from, session);
    end_cell(history, time);
    return true;
}

bool history_gap(struct history *history, u64 from, u64 to)
{
    from = from > history->open.from ? from : history->open.from;
    if (!history->begun || to <= from)
        return false;
    if (from > history->open.from)
        end_cell(history, from);
    history->open.from = to;
    if (history->gap_count == GAPS_MAX)
        memmove(history->gaps, history->gaps + 1, --history->gap_count * sizeof(*history->gaps));
    history->gaps[history->gap_count++] =
        (struct history_interval){history_ns(history, from), history_ns(history, to)};
    return true;
}

// ---- ranges ------------------------------------------------------------------------------------

static size_t ended_cells(const struct history *history)
{
    return history->cell_count + (history->previous.to != 0);
}

static const struct cell *cell_at(const struct history *history, size_t index)
{
    return index == history->cell_count ? &history->previous : &history->cells[index];
}

struct span {
    size_t first, end;
};

// Returns the first ended cell whose middle is not before a time.
static size_t find(const struct history *history, double time)
{
    size_t low = 0, high = ended_cells(history);
    while (low < high) {
        size_t index = low + (high - low) / 2;
        const struct cell *cell = cell_at(history, index);
        if ((history_ns(history, cell->from) + history_ns(history, cell->to)) / 2 < time)
            low = index + 1;
        else
            high = index;
    }
    return low;
}

static bool holds(const struct history *history, size_t index, double time)
{
    if (index >= ended_cells(history))
        return false;
    const struct cell *cell = cell_at(history, index);
    return history_ns(history, cell->from) <= time && time < history_ns(history, cell->to);
}

static struct span span_of(const struct history *history, double from, double to)
{
    if (!(from < to))
        return (struct span){0, 0};
    struct span span = {find(history, from), find(history, to)};
    if (span.first < span.end)
        return span;
    if (holds(history, span.first, from))
        return (struct span){span.first, span.first + 1};
    if (span.first > 0 && holds(history, span.first - 1, from))
        return (struct span){span.first - 1, span.first};
    return (struct span){0, 0};
}

bool history_range(const struct history *history, double from, double to, struct site_sums *sums,
                   struct history_range *range)
{
    struct span span = span_of(history, from, to);
    *range = (struct history_range){.cells = (u32)(span.end - span.first)};
    if (span.first == span.end)
        return false;
    for (size_t i = span.first; i < span.end; i++) {
        const struct cell *cell = cell_at(history, i);
        double covered = (double)cell->covered / (double)history->hertz;
        site_sums_join(sums, &cell->sums);
        range->seconds += covered;
        range->resolution = fmax(range->resolution, covered);
    }
    range->from = history_ns(history, cell_at(history, span.first)->from);
    range->to = history_ns(history, cell_at(history, span.end - 1)->to);
    return true;
}

void history_cells(const struct history *history, double from, double to, history_visit *visit,
                   void *context)
{
    struct span span = span_of(history, from, to);
    for (size_t i = span.first; i < span.end; i++) {
        const struct cell *cell = cell_at(history, i);
        visit(context, history_ns(history, cell->from), history_ns(history, cell->to), &cell->sums);
    }
}

size_t history_gaps(const struct history *history, double from, double to,
                    struct history_interval *gaps, size_t room)
{
    size_t count = 0;
    for (u32 i = 0; i < history->gap_count && count < room; i++)
        if (history->gaps[i].from < to && history->gaps[i].to > from)
            gaps[count++] = history->gaps[i];
    return count;
}

struct history_account history_account(const struct history *history)
{
    size_t ended = ended_cells(history);
    struct history_account account = {
        .bytes = history->bytes,
        .limit = history->limit,
        .late = history->late,
        .refused = history->refused,
        .forgotten = history->forgotten,
        .sites = history->open.sums.limit,
        .stacks = history->stacks.count,
        .stacks_max = history->stacks.limit,
        .stacks_refused = history->stacks.refused,
    };
    memcpy(account.cells, history->level_counts, sizeof(account.cells));
    account.cells[0] += history->previous.to != 0;
    if (ended > 0) {
        account.from = history_ns(history, cell_at(history, 0)->from);
        account.to = history_ns(history, cell_at(history, ended - 1)->to);
    }
    return account;
}

// ---- metrics -----------------------------------------------------------------------------------

static u32 track_index(u32 cpu)
{
    return cpu == ALL_CPUS ? 0 : cpu + 1;
}

bool history_metric(struct history *history, u32 metric, u32 cpu, double time,
                    const struct metric_value *value)
{
    if (metric >= metric_count || (cpu != ALL_CPUS && cpu >= ORRERY_MAX_CPUS))
        return false;
    struct track *track = &history->tracks[metric][track_index(cpu)];
    if (track->nodes == 0) {
        make_room(history, track_bytes(history->track_nodes));
        track_begin(track, history->track_nodes);
        history->bytes += track_bytes(history->track_nodes);
    }
    double error = value->error < 0 ? NAN : value->error;
    return track_add(track, time, value->value, error, value->measured);
}

const struct track *history_track(const struct history *history, u32 metric, u32 cpu)
{
    if (metric >= metric_count || (cpu != ALL_CPUS && cpu >= ORRERY_MAX_CPUS))
        return NULL;
    const struct track *track = &history->tracks[metric][track_index(cpu)];
    return track->values == 0 ? NULL : track;
}

void history_counts(struct history *history, const struct count_request *request, bool first,
                    const struct count_reading *reading)
{
    if (history->counts.limit == 0) {
        size_t limit = history->limit / COUNTS_PART;
        make_room(history, limit);
        count_log_begin(&history->counts, limit);
        history->bytes += limit;
    }
    count_log_add(&history->counts, request, first, history_ns(history, reading->time), reading);
}

const struct count_log *history_count_log(const struct history *history)
{
    return &history->counts;
}

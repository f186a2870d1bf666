// SPDX-License-Identifier: MIT
// The topics of samples: heat on the tree of objects, and rankings. samples/ranking.h computes the
// numbers.
#include "gateway/machine_state.h"
#include "tools/memory.h"
#include "tools/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define QUANTILE_99 2.576 // of the normal distribution, two-sided, as in samples_error

// The sums of all cells of an interval.
struct interval {
    struct site_sums sums;
    struct history_range range;
    bool any;
};

static void interval_take(const struct machine *machine, double from, double to,
                          struct interval *interval)
{
    *interval = (struct interval){0};
    site_sums_begin(&interval->sums, SITES_MAX);
    interval->any = machine->history != NULL &&
                    history_range(machine->history, from, to, &interval->sums, &interval->range);
}

// ---- heat --------------------------------------------------------------------------------------

// By thing: its own heat, and the heat below it.
struct thing_heat {
    u64 samples, sum_samples;
    struct estimate own, share, sum; // events; percent; events
    struct estimate sum_share;       // percent
};

struct heat {
    struct thing_heat *things; // by number
    u32 count;                 // how many numbers there are, from 0
};

static struct thing_heat *thing_heat_of(struct heat *heat, u32 thing)
{
    while (thing >= heat->count) {
        u32 count = heat->count == 0 ? 1024 : 2 * heat->count;
        struct thing_heat *things = memory_get(count * sizeof(*things));
        if (heat->count > 0)
            memcpy(things, heat->things, heat->count * sizeof(*things));
        free(heat->things);
        *heat = (struct heat){things, count};
    }
    return &heat->things[thing];
}

static void add_estimate(struct estimate *sum, const struct estimate *more)
{
    sum->value += more->value;
    sum->error = hypot(sum->error, isfinite(more->error) ? more->error : 0);
}

// Returns whether the last scan saw the object. A new one has no name before the next scan, which
// is soon. One that is gone has none, and is looked for once.
static bool is_scanned(struct machine *machine, const struct ranking_row *row)
{
    if (snapshot_object(&machine->snapshot, row->pid, row->coid) != NULL)
        return true;
    if (gone_may_come(&machine->gone, row->pid, row->coid, machine->scans))
        machine->scan_due = fmin(machine->scan_due, machine->scanned + HEAT_SECONDS);
    return false;
}

// Returns the thing of a row: its object, a process's code at work for none, or the process, for
// objects that are gone.
static u32 row_thing(struct machine *machine, const struct ranking_row *row)
{
    if (row->kind == SITE_OBJECT && is_scanned(machine, row))
        return names_object(&machine->names, &machine->snapshot, row->pid, row->coid);
    if (row->kind == SITE_NONE)
        return names_code(&machine->names, &machine->snapshot, row->pid);
    if (row->kind == SITE_IDLE)
        return names_idle(&machine->names);
    return names_process(&machine->names, &machine->snapshot, row->pid);
}

static void warm_thing(struct heat *heat, u32 thing, const struct ranking_row *row)
{
    struct thing_heat *thing_heat = thing_heat_of(heat, thing);
    thing_heat->samples += row->samples;
    thing_heat->sum_samples += row->samples;
    add_estimate(&thing_heat->own, &row->events);
    add_estimate(&thing_heat->share, &row->share);
    add_estimate(&thing_heat->sum, &row->events);
}

// Code stands in no line of the tree, so its process gets its heat here.
static void warm(struct machine *machine, const struct ranking *ranking, struct heat *heat)
{
    for (size_t i = 0; i < ranking->count; i++) {
        const struct ranking_row *row = &ranking->rows[i];
        warm_thing(heat, row_thing(machine, row), row);
        if (row->kind == SITE_NONE)
            warm_thing(heat, names_process(&machine->names, &machine->snapshot, row->pid), row);
    }
}

// Adds up sums from the last line to the first. Each line adds its sum to the line above.
static void sum_up(struct machine *machine, struct heat *heat)
{
    const struct tree *tree = &machine->tree;
    size_t above[TREE_MAX_DEPTH + 2];
    size_t *parents = memory_get((tree->count + 1) * sizeof(*parents));
    for (size_t i = 0; i < tree->count; i++) {
        above[tree->entries[i].depth] = i;
        parents[i] = tree->entries[i].depth == 0 ? i : above[tree->entries[i].depth - 1];
    }
    for (size_t i = tree->count; i-- > 1;) {
        u32 thing = tree_entry_thing(&machine->names, &machine->snapshot, &tree->entries[i]);
        u32 parent =
            tree_entry_thing(&machine->names, &machine->snapshot, &tree->entries[parents[i]]);
        if (parents[i] != i) {
            struct thing_heat below = *thing_heat_of(heat, thing);
            struct thing_heat *thing_heat = thing_heat_of(heat, parent);
            add_estimate(&thing_heat->sum, &below.sum);
            thing_heat->sum_samples += below.sum_samples;
        }
    }
    free(parents);
}

static void own_sum(struct heat *heat, u32 thing, const struct estimate *all)
{
    struct thing_heat *thing_heat = thing_heat_of(heat, thing);
    thing_heat->own = thing_heat->sum;
    thing_heat->samples = thing_heat->sum_samples;
    thing_heat->share =
        share_of(thing_heat->sum.value, all->value, pow(all->error / QUANTILE_99, 2));
}

// Makes all that is below a process or the machine its own heat. Processes that have ended are in
// no line of the tree; the machine has theirs, too.
static void own_sums(struct machine *machine, struct heat *heat, const struct ranking *ranking)
{
    const struct tree *tree = &machine->tree;
    for (size_t i = 0; i < tree->count; i++) {
        if (tree->entries[i].kind == TREE_OBJECT)
            continue;
        u32 thing = tree_entry_thing(&machine->names, &machine->snapshot, &tree->entries[i]);
        own_sum(heat, thing, &ranking->events);
    }
    for (size_t i = 0; i < ranking->count; i++)
        if (ranking->rows[i].kind != SITE_IDLE)
            own_sum(heat, names_process(&machine->names, &machine->snapshot, ranking->rows[i].pid),
                    &ranking->events);
    struct thing_heat *whole = thing_heat_of(heat, names_machine(&machine->names));
    whole->own = whole->sum = ranking->events;
    whole->samples = whole->sum_samples = ranking->samples;
    whole->share = (struct estimate){100, 0}; // the whole is the whole for sure
}

// Of what has nothing below it, the two shares are the same.
static void share_sums(struct heat *heat, const struct estimate *all)
{
    for (u32 thing = 1; thing < heat->count; thing++) {
        struct thing_heat *thing_heat = &heat->things[thing];
        thing_heat->sum_share =
            thing_heat->sum.value == thing_heat->own.value
                ? thing_heat->share
                : share_of(thing_heat->sum.value, all->value, pow(all->error / QUANTILE_99, 2));
    }
}

static struct block *heat_block(const struct heat *heat, double seconds,
                                const struct frame_head *like)
{
    u32 count = 0, row = 0;
    for (u32 thing = 1; thing < heat->count; thing++)
        count += heat->things[thing].sum.value != 0;
    while (frame_heat_bytes(count) > FRAME_OUT_BYTES)
        count -= count / 16;
    struct block *block = block_new(frame_heat_bytes(count), true, true);
    struct frame_heat rows;
    struct frame_head head = *like;
    head.rows = count;
    frame_heat_lay(block->data, count, &rows);
    frame_head_write(block->data, &head);
    for (u32 thing = 1; thing < heat->count && row < count; thing++) {
        const struct thing_heat *thing_heat = &heat->things[thing];
        if (thing_heat->sum.value == 0)
            continue;
        rows.thing[row] = thing;
        rows.samples[row] = (u32)thing_heat->samples;
        rows.value[row] = (float)(thing_heat->own.value / seconds);
        rows.error[row] = (float)(thing_heat->own.error / seconds);
        rows.share[row] = (float)thing_heat->share.value;
        rows.share_error[row] = (float)thing_heat->share.error;
        rows.sum[row] = (float)(thing_heat->sum.value / seconds);
        rows.sum_error[row] = (float)(thing_heat->sum.error / seconds);
        rows.sum_share[row] = (float)thing_heat->sum_share.value;
        rows.sum_share_error[row] = (float)thing_heat->sum_share.error;
        row++;
    }
    return block;
}

int publish_heat(struct machine *machine, struct published *published)
{
    double from, to;
    struct interval interval;
    struct heat heat = {0};
    double seconds = 0;
    u32 event = publish_measure(machine, published);
    publish_interval(machine, published, &from, &to);
    interval_take(machine, from, to, &interval);
    if (interval.any && event != HISTORY_NO_EVENT) {
        struct ranking ranking;
        ranking_compute(&interval.sums, NULL, event, RANKING_SITE, &machine->snapshot, &ranking);
        warm(machine, &ranking, &heat);
        sum_up(machine, &heat);
        own_sums(machine, &heat, &ranking);
        share_sums(&heat, &ranking.events);
        seconds = (double)site_sums_covered(&interval.sums, event) / (double)machine->timebase_hz;
        ranking_free(&ranking);
    }
    struct frame_head head = {.kind = FRAME_HEAT,
                              .flags = FRAME_WHOLE,
                              .t0 = interval.any ? interval.range.from : from,
                              .complete = interval.any ? interval.range.to : to};
    machine_publish(machine, published, heat_block(&heat, fmax(seconds, 1e-9), &head));
    free(heat.things);
    site_sums_free(&interval.sums);
    return KOV_OK;
}

// ---- rankings ----------------------------------------------------------------------------------

static u32 ranking_row_thing(struct machine *machine, enum ranking_by by,
                             const struct ranking_row *row)
{
    if (by == RANKING_PROCESS && row->kind == SITE_PROCESS)
        return names_process(&machine->names, &machine->snapshot, row->pid);
    if (by == RANKING_OBJECT && row->kind == SITE_OBJECT && is_scanned(machine, row))
        return names_object(&machine->names, &machine->snapshot, row->pid, row->coid);
    return names_class(&machine->names, row->name); // a class, or [idle], [none] …
}

// Returns what so many events in so many ticks are a second.
static float rate_of(const struct machine *machine, double events, u64 ticks)
{
    return ticks == 0 ? NAN : (float)(events * (double)machine->timebase_hz / (double)ticks);
}

static void fill_rank(struct machine *machine, const struct frame_ranking *rows, u32 at,
                      enum ranking_by by, const struct ranking *ranking, bool compared)
{
    const struct ranking_row *row = &ranking->rows[at];
    rows->thing[at] = ranking_row_thing(machine, by, row);
    rows->samples[at] = (u32)row->samples;
    rows->events[at] = (float)row->events.value;
    rows->error[at] = (float)row->events.error;
    rows->share[at] = (float)row->share.value;
    rows->share_error[at] = (float)row->share.error;
    rows->before[at] = compared ? (float)row->before.value : NAN;
    rows->change[at] = compared ? (float)row->change.value : NAN;
    rows->change_error[at] = compared ? (float)row->change.error : NAN;
    rows->chance[at] = compared && row->chance;
    rows->rate[at] = rate_of(machine, row->events.value, ranking->covered);
    rows->rate_before[at] =
        compared ? rate_of(machine, row->events_before.value, ranking->covered_before) : NAN;
    rows->rate_chance[at] = compared && row->rate_chance;
}

static struct block *ranking_block(struct machine *machine, const struct ranking *ranking,
                                   enum ranking_by by, bool compared, struct frame_head *head)
{
    u32 count = (u32)ranking->count + 1;
    while (frame_ranking_bytes(count) > FRAME_OUT_BYTES)
        count -= count / 16;
    struct block *block = block_new(frame_ranking_bytes(count), true, true);
    struct frame_ranking rows;
    head->rows = count;
    frame_ranking_lay(block->data, count, &rows);
    frame_head_write(block->data, head);
    for (u32 i = 0; i + 1 < count; i++)
        fill_rank(machine, &rows, i, by, ranking, compared);
    u32 last = count - 1; // what is in no row
    rows.samples[last] = (u32)(ranking->lost + ranking->missed);
    rows.events[last] = (float)ranking->lost_events;
    rows.share[last] = (float)ranking->lost_share;
    rows.before[last] = rows.change[last] = rows.change_error[last] = NAN;
    rows.rate[last] = rate_of(machine, ranking->lost_events, ranking->covered);
    rows.rate_before[last] = NAN;
    return block;
}

static bool parse_by(const char *text, enum ranking_by *by)
{
    static const char *const names[] = {"object", "class", "process"};
    for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
        *by = (enum ranking_by)i;
        if (strcmp(text, names[i]) == 0)
            return true;
    }
    return false;
}

// Reads the parameter `without`. Returns false if it is not what the schema says.
static bool parse_without(const char *without, struct ranking_hidden *hidden)
{
    char keys[TEXT_CHARACTERS + 1], *rest = NULL;
    *hidden = (struct ranking_hidden){0};
    snprintf(keys, sizeof(keys), "%s", without);
    for (char *key = strtok_r(keys, " ", &rest); key != NULL; key = strtok_r(NULL, " ", &rest)) {
        u64 pid;
        if (strncmp(key, "p:", 2) != 0 || hidden->count == RANKING_HIDDEN_MAX ||
            !text_to_u64(key + 2, 0, UINT32_MAX, &pid))
            return false;
        hidden->pids[hidden->count++] = (u32)pid;
    }
    return true;
}

int publish_ranking(struct machine *machine, struct published *published)
{
    double from, to, base_from = publish_number(published, "base_from", NAN);
    double base_to = publish_number(published, "base_to", NAN);
    struct interval now, base = {0};
    enum ranking_by by;
    struct ranking_hidden hidden;
    if (!parse_by(publish_text(published, "by"), &by)) {
        publish_stop(machine, published, "by: one of object, class, process");
        return KOV_OK;
    }
    if (!parse_without(publish_text(published, "without"), &hidden)) {
        publish_stop(machine, published,
                     "without: keys of processes with blanks between, as p:4 p:7");
        return KOV_OK;
    }
    u32 event = publish_measure(machine, published);
    publish_interval(machine, published, &from, &to);
    interval_take(machine, from, to, &now);
    bool compared = isfinite(base_from) && isfinite(base_to);
    if (compared)
        interval_take(machine, base_from, base_to, &base);
    if (now.any && event != HISTORY_NO_EVENT) {
        struct ranking ranking;
        ranking_compute_hiding(&now.sums, base.any ? &base.sums : NULL, event, by,
                               &machine->snapshot, &hidden, &ranking);
        struct frame_head head = {.kind = FRAME_RANKING,
                                  .flags = FRAME_WHOLE,
                                  .t0 = now.range.from,
                                  .complete = now.range.to};
        machine_publish(machine, published, ranking_block(machine, &ranking, by, base.any, &head));
        ranking_free(&ranking);
    }
    site_sums_free(&now.sums);
    if (compared)
        site_sums_free(&base.sums);
    return KOV_OK;
}

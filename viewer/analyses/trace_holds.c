// SPDX-License-Identifier: MIT
// Tells how long locks were held. A hold lasts from lock_take to lock_release. Whoever waits when
// it ends has waited for the holder since both had begun.
#include "analyses/trace_holds.h"
#include "analyses/event_words.h"
#include "tools/memory.h"

#include <stdlib.h>
#include <string.h>

#define CALLERS TRACE_LOCK_CALLERS

struct lock_waiter {
    u64 who, since; // the thread, or the CPU of a spin lock
};

struct lock_now {
    u64 key[KEY_WORDS]; // lock, sleeping
    u64 taken;          // when it was taken; 0: free, or not known
    u64 callers[CALLERS], thread;
    u32 cpu;
    struct lock_waiter *waiters;
    size_t count, capacity;
};

struct hold_row {
    u64 key[KEY_WORDS]; // lock and whether its waiters sleep, callers, thread
    struct histogram ticks;
    u64 others, others_count; // those who waited meanwhile
};

void trace_holds_begin(struct trace_holds *holds)
{
    *holds = (struct trace_holds){.locks = {.row_bytes = sizeof(struct lock_now)},
                                  .rows = {.row_bytes = sizeof(struct hold_row)}};
}

static void free_rows(struct keyed_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        histogram_free(&((struct hold_row *)rows->rows[i])->ticks);
    keyed_rows_free(rows);
}

void trace_holds_free(struct trace_holds *holds)
{
    for (size_t i = 0; i < holds->locks.count; i++)
        free(((struct lock_now *)holds->locks.rows[i])->waiters);
    keyed_rows_free(&holds->locks);
    free_rows(&holds->rows);
}

// ---- events ------------------------------------------------------------------------------------

static struct lock_now *lock_of(struct trace_holds *holds, const u64 *values)
{
    return keyed_rows_get(&holds->locks, (const u64[KEY_WORDS]){values[0], values[1]});
}

static u64 waiter_of(const struct lock_now *lock, const struct trace_walk *walk, u32 cpu)
{
    return lock->key[1] != 0 ? trace_walk_thread(walk, cpu) : cpu;
}

static void waits_no_more(struct lock_now *lock, u64 who)
{
    for (size_t i = 0; i < lock->count; i++)
        if (lock->waiters[i].who == who) {
            lock->waiters[i] = lock->waiters[--lock->count];
            return;
        }
}

static void add_hold(struct trace_holds *holds, const struct lock_now *lock, u64 time)
{
    u64 key[KEY_WORDS] = {lock->key[0] | (lock->key[1] != 0)};
    memcpy(key + 1, lock->callers, sizeof(lock->callers));
    key[1 + CALLERS] = lock->thread;
    if (holds->measures != NULL) {
        u64 measured[MEASURED_KEYS] = {[CALLERS] = lock->key[1]};
        memcpy(measured, lock->callers, sizeof(lock->callers));
        holds->measures->take(holds->measures->context, MEASURED_HOLD, measured, lock->thread,
                              lock->taken, time);
        return;
    }
    struct hold_row *row = keyed_rows_get(&holds->rows, key);
    histogram_add(&row->ticks, time - lock->taken);
    for (size_t i = 0; i < lock->count; i++) {
        u64 since = lock->waiters[i].since;
        row->others += time - (since > lock->taken ? since : lock->taken);
        row->others_count++;
    }
}

void trace_holds_event(struct trace_holds *holds, const struct trace_walk *walk,
                       const struct trace_event *event)
{
    const u64 *values = event->values;
    if (event->kind == EVENT_LOCK_TAKE) {
        struct lock_now *lock = lock_of(holds, values);
        waits_no_more(lock, waiter_of(lock, walk, event->cpu));
        lock->taken = event->time;
        memcpy(lock->callers, values + 2, sizeof(lock->callers));
        lock->thread = trace_walk_thread(walk, event->cpu);
        lock->cpu = event->cpu;
    } else if (event->kind == EVENT_LOCK_RELEASE) {
        struct lock_now *lock = lock_of(holds, values);
        if (lock->taken != 0 && trace_walk_has_cpu(walk, lock->cpu))
            add_hold(holds, lock, event->time);
        lock->taken = 0;
    } else if (event->kind == EVENT_LOCK_WAIT) {
        struct lock_now *lock = lock_of(holds, values);
        u64 who = waiter_of(lock, walk, event->cpu);
        waits_no_more(lock, who);
        if (lock->count == lock->capacity)
            lock->waiters =
                memory_grow(lock->waiters, lock->count, &lock->capacity, sizeof(*lock->waiters));
        lock->waiters[lock->count++] = (struct lock_waiter){who, event->time};
    }
}

void trace_holds_loss(struct trace_holds *holds, const struct trace_loss *loss)
{
    for (size_t i = 0; loss->pid == 0 && i < holds->locks.count; i++) {
        struct lock_now *lock = holds->locks.rows[i];
        lock->taken = lock->count = 0;
    }
}

// ---- the answer --------------------------------------------------------------------------------

static void join_threads(const struct trace_holds *holds, const struct trace_walk *walk,
                         struct keyed_rows *joined)
{
    for (size_t i = 0; i < holds->rows.count; i++) {
        const struct hold_row *hold = holds->rows.rows[i];
        u64 key[KEY_WORDS];
        if (!trace_walk_has_thread(walk, hold->key[1 + CALLERS]))
            continue;
        memcpy(key, hold->key, sizeof(key));
        key[1 + CALLERS] = 0;
        struct hold_row *row = keyed_rows_get(joined, key);
        histogram_join(&row->ticks, &hold->ticks);
        row->others += hold->others;
        row->others_count += hold->others_count;
    }
}

typedef int comparison(const struct histogram *one, const struct histogram *other);

static int compare_rows(const void *one, const void *other, void *compare)
{
    const struct hold_row *a = *(void *const *)one, *b = *(void *const *)other;
    int order = (*(comparison **)compare)(&a->ticks, &b->ticks);
    return order != 0 ? order : memcmp(a->key, b->key, sizeof(a->key));
}

static void put_hold(json_t *rows, const struct hold_row *hold, struct trace_walk *walk,
                     struct symbols *symbols)
{
    json_t *row = put_object(rows, NULL);
    trace_tool_put_time(row, "time", hold->ticks.sum, walk->hz);
    put_u64(row, "count", hold->ticks.count);
    trace_tool_put_spread(row, &hold->ticks, walk->hz);
    trace_tool_put_time(row, "others", (double)hold->others, walk->hz);
    put_u64(row, "others_count", hold->others_count);
    event_words_put_lock(row, walk, symbols, hold->key[0] & ~1UL);
    put_text(row, "kind", hold->key[0] & 1 ? "sleep" : "spin");
    trace_tool_put_chain(row, hold->key + 1, symbols);
}

void trace_holds_put(struct trace_holds *holds, struct trace_walk *walk, comparison *compare,
                     u64 most, struct symbols *symbols, json_t *document)
{
    struct keyed_rows joined = {.row_bytes = sizeof(struct hold_row)};
    join_threads(holds, walk, &joined);
    if (joined.count > 1)
        qsort_r(joined.rows, joined.count, sizeof(void *), compare_rows, &compare);
    json_t *rows = put_array(document, "holds");
    for (size_t i = 0; i < joined.count && (most == 0 || i < most); i++)
        put_hold(rows, joined.rows[i], walk, symbols);
    free_rows(&joined);
}

const struct column trace_holds_columns[] = {
    TIME_COLUMN("HELD", "time"),
    COLUMN("COUNT", "count", 8),
    TIME_COLUMN("MEAN", "mean"),
    TIME_COLUMN("P99", "p99"),
    TIME_COLUMN("MAX", "max"),
    TIME_COLUMN("OTHERS", "others"),
    COLUMN("WAITS", "others_count", 6),
    COLUMN("KIND", "kind", -5),
    COLUMN("LOCK", "lock_name", -18, .rank = RANK_KEEP),
    HIDDEN("lock"),
    COLUMN("CALLED FROM", "chain", -1),
    HIDDEN("time_ticks"),
    HIDDEN("p99_ticks"),
    HIDDEN("max_ticks"),
    HIDDEN("others_ticks"),
    COLUMNS_END,
};

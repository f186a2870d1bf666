// SPDX-License-Identifier: MIT
// Adds up by thread what trace/thread_states.h tells.
#include "analyses/trace_sched.h"
#include "analyses/state_walk.h"
#include "analyses/trace_reasons.h"
#include "tools/histogram.h"

#include <inttypes.h>
#include <stdlib.h>
#include <trace/reasons.h>

static const char *const time_keys[THREAD_TIMES] = {"run", "ready", "blocked", "unknown"};
static const char *const count_keys[THREAD_TIMES] = {"runs", "readies", "blocks", NULL};

struct sched_thread {
    u64 key[KEY_WORDS]; // its id
    u64 ticks[THREAD_TIMES], counts[THREAD_TIMES];
    struct histogram latency; // wake to run
    u32 cpu;                  // in the end
    bool idle;
};

struct sched {
    struct state_walk walk;
    struct keyed_rows threads;
    struct trace_reasons reasons;
};

static struct sched_thread *get_thread(struct sched *sched, u64 id)
{
    return keyed_rows_get(&sched->threads, (const u64[KEY_WORDS]){id});
}

static void take_time(void *context, const struct thread_interval *interval)
{
    struct sched *sched = context;
    struct sched_thread *thread = get_thread(sched, interval->thread);
    u64 ticks = interval->to - interval->from;
    if (interval->waits)
        trace_reasons_waited(&sched->reasons, interval->thread, interval->reason, ticks);
    thread->ticks[interval->on] += ticks;
    thread->counts[interval->on]++;
}

static void take_turn(void *context, const struct thread_turn *turn)
{
    struct sched *sched = context;
    u64 latency = turn->since == 0 ? 0 : turn->time - turn->since;
    if (turn->since != 0)
        histogram_add(&get_thread(sched, turn->thread)->latency, latency);
    if (turn->reason != REASON_UNKNOWN)
        trace_reasons_woken(&sched->reasons, turn->thread, turn->by, turn->reason, latency);
}

// ---- the answer --------------------------------------------------------------------------------

static int compare(const void *one, const void *other)
{
    const struct sched_thread *a = *(void *const *)one, *b = *(void *const *)other;
    if (a->ticks[THREAD_RUN] != b->ticks[THREAD_RUN])
        return a->ticks[THREAD_RUN] > b->ticks[THREAD_RUN] ? -1 : 1;
    return a->key[0] < b->key[0] ? -1 : a->key[0] > b->key[0];
}

static void put_thread(json_t *rows, const struct trace_walk *walk,
                       const struct sched_thread *thread)
{
    json_t *row = put_object(rows, NULL);
    put_u64(row, "thread", thread->key[0]);
    trace_tool_put_process(row, walk, trace_walk_pid(walk, thread->key[0]), thread->key[0],
                           thread->idle);
    put_u64(row, "cpu", thread->cpu);
    for (u32 i = 0; i < THREAD_TIMES; i++) {
        trace_tool_put_time(row, time_keys[i], (double)thread->ticks[i], walk->hz);
        if (count_keys[i] != NULL)
            put_u64(row, count_keys[i], thread->counts[i]);
    }
    put_u64(row, "wakes", thread->latency.count);
    trace_tool_put_spread(row, &thread->latency, walk->hz);
}

// Takes the threads as they are in the end, also those without any time.
static void take_threads(struct sched *sched)
{
    const struct thread_states *states = &sched->walk.states;
    for (size_t i = 0; i < states->threads.count; i++) {
        const struct thread_status *status = id_rows_at(&states->threads, i);
        struct sched_thread *thread = get_thread(sched, status->row.id);
        thread->cpu = status->cpu;
        thread->idle = status->idle;
    }
    if (sched->threads.count > 1)
        qsort(sched->threads.rows, sched->threads.count, sizeof(void *), compare);
}

static void put_answer(json_t *document, struct sched *sched, u64 most)
{
    const struct trace_walk *walk = &sched->walk.walk;
    struct histogram latency = {0};
    u64 shown = 0, count = 0;
    take_threads(sched);
    json_t *rows = put_array(document, "threads");
    for (size_t i = 0; i < sched->threads.count; i++) {
        const struct sched_thread *thread = sched->threads.rows[i];
        if (!trace_walk_has_cpu(walk, thread->cpu) || !trace_walk_has_thread(walk, thread->key[0]))
            continue;
        count++;
        histogram_join(&latency, &thread->latency);
        if (most == 0 || shown < most) {
            put_thread(rows, walk, thread);
            shown++;
        }
    }
    trace_reasons_put(&sched->reasons, walk, most, document);
    put_u64(document, "count", count);
    json_t *all = put_object(document, "all");
    put_u64(all, "wakes", latency.count);
    trace_tool_put_spread(all, &latency, walk->hz);
    trace_tool_put_walk(document, walk);
    histogram_free(&latency);
}

static void end(struct sched *sched)
{
    for (size_t i = 0; i < sched->threads.count; i++)
        histogram_free(&((struct sched_thread *)sched->threads.rows[i])->latency);
    keyed_rows_free(&sched->threads);
    trace_reasons_free(&sched->reasons);
    state_walk_free(&sched->walk);
}

int trace_sched(struct engine *engine, const struct trace_choice *choice, u64 most,
                json_t *document)
{
    struct sched sched = {
        .walk = {.ended = take_time, .turn = take_turn, .context = &sched},
        .threads = {.row_bytes = sizeof(struct sched_thread)},
    };
    trace_reasons_begin(&sched.reasons);
    int code = state_walk(&sched.walk, engine, choice);
    if (code == KOV_OK)
        put_answer(document, &sched, most);
    end(&sched);
    return code;
}

static const struct column columns[] = {
    COLUMN("THREAD", "thread", 6),
    COLUMN("PROCESS", "process", -11),
    COLUMN("CPU", "cpu", 3),
    COLUMN("RUNS", "runs", 6),
    TIME_COLUMN("RUN", "run"),
    COLUMN("#", "readies", 6, .rank = RANK_RARE),
    TIME_COLUMN("READY", "ready"),
    COLUMN("#", "blocks", 6, .rank = RANK_RARE),
    TIME_COLUMN("BLOCKED", "blocked"),
    TIME_COLUMN("UNKNOWN", "unknown"),
    COLUMN("WAKES", "wakes", 6),
    TIME_COLUMN("P50", "p50"),
    TIME_COLUMN("P99", "p99"),
    TIME_COLUMN("MAX", "max"),
    HIDDEN("pid"),
    HIDDEN("run_ticks"),
    HIDDEN("ready_ticks"),
    HIDDEN("blocked_ticks"),
    HIDDEN("unknown_ticks"),
    HIDDEN("p50_ticks"),
    HIDDEN("p99_ticks"),
    HIDDEN("max_ticks"),
    COLUMNS_END,
};
const struct sheet trace_sched_sheets[] = {{"threads", columns},
                                           {"waits", trace_waits_columns},
                                           {"wakers", trace_wakers_columns},
                                           {NULL, NULL}};

void trace_sched_note(const json_t *document)
{
    static const struct column spread[] = {{.key = "p50"}, {.key = "p99"}, {.key = "max"}};
    const json_t *all = json_object_get(document, "all");
    char texts[ARRAY_SIZE(spread)][CELL_BYTES];
    for (size_t i = 0; i < ARRAY_SIZE(spread); i++)
        trace_time_cell(&spread[i], all, texts[i]);
    printf("all %" JSON_INTEGER_FORMAT " threads: %" JSON_INTEGER_FORMAT
           " wake-ups, to run p50 %s, p99 %s, max %s; percentiles ± %.1f %%\n",
           json_integer_value(json_object_get(document, "count")),
           json_integer_value(json_object_get(all, "wakes")), texts[0], texts[1], texts[2],
           HISTOGRAM_ERROR_PERCENT);
}

// SPDX-License-Identifier: MIT
// Counts the calls of a trace.
#include "gateway/call_walk.h"
#include "tools/kov.h"
#include "tools/memory.h"
#include "trace/live.h"

#include <inttypes.h>

#define LATE_SECONDS 2
#define FOLDER_CELLS_MAX 4096u
#define FOLDER_CELLS_A_SECOND 10 // while there are no more cells than that

// ---- events ------------------------------------------------------------------------------------

// Returns whether all is logged now that tells who calls whom.
static bool is_told(const struct call_walk *walk)
{
    return (walk->needed & ~walk->model.machine.enabled) == 0;
}

static void cover(struct call_walk *walk, bool told, u64 to)
{
    if (told && to > walk->covered)
        call_counts_cover(walk->counts, walk->covered, to);
    if (to > walk->covered)
        walk->covered = to;
}

// values: endpoint, server, call, handed, method. A call that the kernel refuses has no number.
static void take_call(struct call_walk *walk, const struct trace_event *event)
{
    u64 thread = walk->model.machine.doer;
    if (event->values[2] == 0 || !is_told(walk))
        return;
    const struct call_kind kind = {
        .client = thread == ACTIVITY_NO_THREAD ? CALL_CLIENT_UNKNOWN
                                               : trace_model_pid(&walk->model, thread),
        .server = event->values[1],
        .endpoint = event->values[0],
        .method = event->values[4],
    };
    call_counts_add(walk->counts, event->time, &kind);
}

static int take_event(void *context, const struct trace_event *event)
{
    struct call_walk *walk = context;
    bool told = is_told(walk);
    int code = trace_model_event(&walk->model, event);
    if (told != is_told(walk))
        cover(walk, told, event->time);
    if (event->kind == EVENT_IPC_CALL && event_tells(event, 3) && event_tells(event, 4) &&
        event->time >= walk->since)
        take_call(walk, event);
    return code == KOV_OK && walk->left > 0 && --walk->left == 0 ? VISIT_ENOUGH : code;
}

static int take_loss(void *context, const struct trace_loss *loss)
{
    struct call_walk *walk = context;
    u64 from = loss->from > walk->since ? loss->from : walk->since;
    if (loss->pid == 0 && loss->to >= from)
        call_counts_lose(walk->counts, from, loss->to, loss->packets, loss->discarded);
    return trace_model_loss(&walk->model, loss);
}

static int ignore(void *context, const struct activity_interval *interval)
{
    (void)context;
    (void)interval;
    return KOV_OK;
}

static int visit(struct call_walk *walk, u64 until)
{
    const struct visitor visitor = {take_event, take_loss, walk};
    return engine_visit(&walk->engine, until, &visitor);
}

static void begin_model(struct call_walk *walk, u64 since)
{
    walk->since = walk->until = walk->covered = since;
    walk->needed = recorded_mask(CALL_MAJORS);
    walk->model.machine.interval = ignore;
    trace_model_begin(&walk->model, &walk->engine, since);
    walk->began = true;
}

void call_walk_end(struct call_walk *walk)
{
    if (walk->began)
        trace_model_free(&walk->model);
    if (walk->engine.where != NULL)
        engine_close(&walk->engine);
    *walk = (struct call_walk){0};
}

// ---- live --------------------------------------------------------------------------------------

int call_walk_begin_live(struct call_walk *walk, const char *text, u64 mask,
                         struct call_counts *counts)
{
    *walk = (struct call_walk){.counts = counts};
    engine_open_live(&walk->engine, "the machine");
    int code = descriptions_read(&walk->engine.descriptions, text, "the machine");
    walk->engine.recorded = (struct recorded){.begin = mask, .begin_told = true, .told = true};
    engine_seek(&walk->engine, 0);
    begin_model(walk, UINT64_MAX); // until packets tell
    return code;
}

int call_walk_packet(struct call_walk *walk, u32 cpu, const u8 *data, size_t bytes)
{
    int code = engine_add_packet(&walk->engine, 0, cpu, data, bytes);
    if (code == KOV_OK)
        call_counts_packet(walk->counts, engine_known_until(&walk->engine, cpu), bytes);
    return code;
}

static u64 waiting_bytes(const struct engine *engine)
{
    u64 bytes = 0;
    for (size_t i = 0; i < engine->count; i++)
        for (size_t next = engine->streams[i]->next; next < engine->streams[i]->count; next++)
            bytes += engine->streams[i]->packets[next].bytes;
    return bytes;
}

// Calls are counted from when the first packets of all CPUs tell.
static void find_begin(struct call_walk *walk)
{
    u64 since = 0;
    for (size_t i = 0; i < walk->engine.count; i++)
        if (walk->engine.streams[i]->packets[0].begin > since)
            since = walk->engine.streams[i]->packets[0].begin;
    walk->since = walk->until = walk->covered = since;
}

// Returns until when the trace is complete. A CPU on which nothing happens may tell nothing, where
// another's trace has no heartbeats: it is not waited for. What it tells later is counted then.
static u64 complete_until(const struct engine *engine, u32 cpus, u64 last)
{
    u64 late = LATE_SECONDS * engine->descriptions.hz;
    u64 complete = engine_complete_until(engine, cpus), least = last > late ? last - late : 0;
    return complete > least ? complete : least;
}

int call_walk_count(struct call_walk *walk, u32 cpus)
{
    u64 first, last;
    if (!engine_range(&walk->engine, &first, &last))
        return KOV_OK;
    u64 until = cpus == 0 ? last : complete_until(&walk->engine, cpus, last);
    if (walk->since == UINT64_MAX && until > 0)
        find_begin(walk);
    int code = until > walk->until ? visit(walk, cpus == 0 ? UINT64_MAX : until) : KOV_OK;
    walk->until = until > walk->until ? until : walk->until;
    cover(walk, is_told(walk), walk->until);
    if (code == KOV_OK && walk->model.threads.count > CALL_THREADS_MAX)
        return fail(KOV_FAILED, "calls of more than %u threads are not followed", CALL_THREADS_MAX);
    if (code == KOV_OK && waiting_bytes(&walk->engine) > CALL_WAITING_BYTES_MAX)
        return fail(KOV_FAILED, "a CPU's trace does not come, that of others does");
    return code;
}

// ---- a folder ----------------------------------------------------------------------------------

int call_walk_begin_folder(struct call_walk *walk, const char *folder, struct call_counts **counts)
{
    u64 first, last;
    *walk = (struct call_walk){0};
    int code = engine_open_folder(&walk->engine, folder);
    if (code == KOV_OK)
        code = recorded_read(&walk->engine, 0);
    if (!engine_range(&walk->engine, &first, &last))
        first = last = 0;
    u64 ticks = walk->engine.descriptions.hz / FOLDER_CELLS_A_SECOND, span = last - first;
    if (ticks == 0 || span / ticks >= FOLDER_CELLS_MAX)
        ticks = span / FOLDER_CELLS_MAX + 1;
    walk->counts = *counts = call_counts_new(first, ticks, (u32)(span / ticks) + 1);
    begin_model(walk, first);
    engine_seek(&walk->engine, 0);
    return code;
}

void call_walk_know(struct call_walk *walk, u64 thread, u64 pid)
{
    struct model_thread *known = id_rows_get(&walk->model.threads, thread);
    known->pid = pid;
    known->known = known->told = true;
}

int call_walk_read(struct call_walk *walk, u64 events)
{
    u64 first, last;
    walk->left = events;
    int code = visit(walk, UINT64_MAX);
    if (code == KOV_OK && call_walk_is_whole(walk) && engine_range(&walk->engine, &first, &last))
        cover(walk, is_told(walk), last);
    return code;
}

bool call_walk_is_whole(const struct call_walk *walk)
{
    return walk->engine.heap_count == 0;
}

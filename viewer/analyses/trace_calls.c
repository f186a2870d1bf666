// SPDX-License-Identifier: MIT
// Calls from their beginning until the client has the answer. The fast path switches before it
// tells of the call or answer. The walk's state machine knows whose it is.
#include "analyses/trace_calls.h"
#include "tools/memory.h"

#include <search.h>
#include <stdlib.h>
#include <syscalls/numbers.h>

struct open_call {
    u64 id, since, client;
    u64 parent; // the call that its client worked for, or 0
    struct call_row *row;
};

struct call_thread {
    u64 key[KEY_WORDS]; // its id
    u64 open;           // calls
    u64 serves, worked_to;
    u64 answer; // a call whose answer it has when it next runs
    bool sleeps;
};

static int compare(const void *one, const void *other)
{
    const struct open_call *a = one, *b = other;
    return a->id < b->id ? -1 : a->id > b->id;
}

static struct open_call *find_call(const struct calls *calls, u64 id)
{
    struct open_call wanted = {.id = id}, **found = tfind(&wanted, &calls->open, compare);
    return found == NULL ? NULL : *found;
}

static struct call_thread *get_thread(struct calls *calls, u64 id)
{
    return keyed_rows_get(&calls->threads, (const u64[KEY_WORDS]){id});
}

// ---- work --------------------------------------------------------------------------------------

static void work(struct calls *calls, struct call_thread *thread,
                 const struct activity_interval *interval, u64 to)
{
    u64 from = interval->from > thread->worked_to ? interval->from : thread->worked_to;
    const struct open_call *call = find_call(calls, thread->serves);
    if (call != NULL && to > from && interval->activity != ACTIVITY_INTERRUPT)
        call->row->worked += to - from;
    thread->worked_to = to > thread->worked_to ? to : thread->worked_to;
}

void calls_interval(struct calls *calls, const struct activity_interval *interval)
{
    struct call_thread *thread =
        keyed_rows_find(&calls->threads, (const u64[KEY_WORDS]){interval->thread});
    if (thread != NULL)
        work(calls, thread, interval, interval->to);
}

// Makes the thread work for call `id` from now on; 0: for none.
static void serve(struct calls *calls, const struct trace_walk *walk, struct call_thread *thread,
                  u64 id, u64 time)
{
    const struct activity_interval *cpus = walk->model.machine.cpus;
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        if (cpus[cpu].thread == thread->key[0])
            work(calls, thread, &cpus[cpu], time);
    thread->serves = id;
    thread->worked_to = time;
}

// ---- events ------------------------------------------------------------------------------------

// values: endpoint, server, call, handed, method
static void take_call(struct calls *calls, const struct trace_walk *walk,
                      const struct trace_event *event)
{
    const u64 *values = event->values;
    u64 now = trace_walk_thread(walk, event->cpu), id = walk->model.machine.doer;
    if (id == ACTIVITY_NO_THREAD || values[2] == 0 || find_call(calls, values[2]) != NULL)
        return;
    struct call_thread *client = get_thread(calls, id);
    struct open_call *call = memory_get(sizeof(*call));
    const u64 key[KEY_WORDS] = {values[1], values[0], values[4], id};
    *call = (struct open_call){values[2], event->time, id, client->serves,
                               keyed_rows_get(&calls->rows, key)};
    if (tsearch(call, &calls->open, compare) == NULL)
        exit(fail(KOV_FAILED, "out of memory"));
    call->row->count++;
    client->open++;
    client->sleeps |= id != now;
    if (walk->model.machine.given != 0)
        serve(calls, walk, get_thread(calls, now), values[2], event->time);
}

static void take_answer(struct calls *calls, const struct trace_walk *walk, u64 id,
                        const struct trace_event *event)
{
    struct open_call *call = find_call(calls, id);
    if (call == NULL)
        return;
    struct call_thread *client = get_thread(calls, call->client);
    const struct open_call *parent = find_call(calls, call->parent);
    call->row->waited += event->time - call->since;
    if (calls->measures != NULL)
        calls->measures->take(calls->measures->context, MEASURED_CALL,
                              (const u64[MEASURED_KEYS]){call->row->key[0], call->row->key[2]},
                              call->client, call->since, event->time);
    client->open--;
    client->answer = 0;
    serve(calls, walk, client, parent != NULL ? parent->id : 0, event->time);
    tdelete(call, &calls->open, compare);
    free(call);
}

static void take_reply(struct calls *calls, const struct trace_walk *walk, u64 id,
                       const struct trace_event *event)
{
    const struct open_call *call = find_call(calls, id);
    u64 now = trace_walk_thread(walk, event->cpu), doer = walk->model.machine.doer;
    if (doer != ACTIVITY_NO_THREAD && doer != now)
        get_thread(calls, doer)->sleeps = true;
    for (size_t i = 0; i < calls->threads.count; i++) {
        struct call_thread *server = calls->threads.rows[i];
        if (server->serves == id && id != 0)
            serve(calls, walk, server, 0, event->time);
    }
    if (call != NULL && call->client == now)
        take_answer(calls, walk, id, event);
    else if (call != NULL)
        get_thread(calls, call->client)->answer = id;
}

static void take_switch(struct calls *calls, const struct trace_walk *walk,
                        const struct trace_event *event)
{
    const u64 *values = event->values;
    const struct activity_interval *before = &walk->model.before;
    struct call_thread *from = get_thread(calls, values[0]), *to = get_thread(calls, values[1]);
    from->sleeps = before->thread == values[0] &&
                   (before->activity == ACTIVITY_IPC ||
                    (before->activity == ACTIVITY_SYSCALL && before->detail == SYS_WAIT));
    if (to->sleeps || walk->model.machine.given != 0)
        serve(calls, walk, to, walk->model.machine.given, event->time);
    to->sleeps = false;
    if (to->answer != 0)
        take_answer(calls, walk, to->answer, event);
}

void calls_event(struct calls *calls, const struct trace_walk *walk,
                 const struct trace_event *event)
{
    u64 now = trace_walk_thread(walk, event->cpu), call = event->values[0];
    if (event->kind == EVENT_SWITCH)
        take_switch(calls, walk, event);
    else if (event->kind == EVENT_IPC_CALL && event_tells(event, 3) && event_tells(event, 4))
        take_call(calls, walk, event);
    else if (event->kind == EVENT_IPC_TAKE && now != ACTIVITY_NO_THREAD)
        serve(calls, walk, get_thread(calls, now), call, event->time);
    else if (event->kind == EVENT_IPC_REPLY)
        take_reply(calls, walk, call, event);
    else if (event->kind == EVENT_IPC_TAKE_REPLY)
        take_answer(calls, walk, call, event);
}

// Drops all open calls. Nobody knows which answers came meanwhile.
void calls_loss(struct calls *calls)
{
    for (size_t i = 0; i < calls->threads.count; i++) {
        struct call_thread *thread = calls->threads.rows[i];
        calls->dropped += thread->open;
        thread->open = thread->serves = thread->answer = 0;
        thread->sleeps = false;
    }
    tdestroy(calls->open, free);
    calls->open = NULL;
}

u64 calls_open(const struct calls *calls, u64 thread)
{
    const struct call_thread *found =
        keyed_rows_find(&calls->threads, (const u64[KEY_WORDS]){thread});
    return found == NULL ? 0 : found->open;
}

bool calls_sleeps(const struct calls *calls, u64 thread)
{
    const struct call_thread *found =
        keyed_rows_find(&calls->threads, (const u64[KEY_WORDS]){thread});
    return found != NULL && found->sleeps;
}

// ---- begin and end -----------------------------------------------------------------------------

void calls_begin(struct calls *calls)
{
    *calls = (struct calls){.rows = {.row_bytes = sizeof(struct call_row)},
                            .threads = {.row_bytes = sizeof(struct call_thread)}};
}

void calls_free(struct calls *calls)
{
    tdestroy(calls->open, free);
    keyed_rows_free(&calls->rows);
    keyed_rows_free(&calls->threads);
}

// SPDX-License-Identifier: MIT
// Waits that have begun and not ended. Which thread of a program made a call, works on one or waits
// for a mutex is known from the last time that the machine told it (trace/events/state.def), or
// from a memory dump.
#include "analyses/trace_waits.h"
#include "tools/memory.h"

#include <stdlib.h>
#include <string.h>

struct lock_owner {
    u64 key[KEY_WORDS]; // lock, sleeping
    u64 thread;         // who has it; WAIT_NOBODY: it is free, or not known
};

struct server_thread {
    u64 key[KEY_WORDS]; // thread
    u64 pid;
};

// What has been told of a thread of a program. Calls: 0: none, or it is over.
struct reported_thread {
    u64 pid;
    u32 id, owner;
    u64 works_on, calls, mutex; // mutex: or what else it waits for, | THREAD_WAITS_*
};

struct waits {
    struct trace_walk walk;
    struct keyed_rows owners, servers;
    struct trace_wait *open;
    size_t count, capacity;
    struct reported_thread *told;
    size_t told_count, told_capacity;
    bool told_unsure; // events are missing since then
    u64 left_out;     // calls and threads for which the last state had no room
};

// ---- who is of which process -------------------------------------------------------------------

static u64 pid_of(const struct waits *waits, u64 thread)
{
    const struct server_thread *server =
        keyed_rows_find(&waits->servers, (const u64[KEY_WORDS]){thread});
    return server != NULL ? server->pid : trace_walk_pid(&waits->walk, thread);
}

// ---- open waits --------------------------------------------------------------------------------

static struct trace_wait *find(struct waits *waits, enum trace_wait_kind kind, u64 object,
                               u64 thread)
{
    for (size_t i = waits->count; i-- > 0;)
        if (waits->open[i].kind == kind && waits->open[i].object == object &&
            (thread == WAIT_NOBODY || waits->open[i].thread == thread))
            return &waits->open[i];
    return NULL;
}

static void end_wait(struct waits *waits, struct trace_wait *wait)
{
    if (wait != NULL)
        *wait = waits->open[--waits->count];
}

static struct trace_wait *begin_wait(struct waits *waits, const struct trace_wait *wait)
{
    if (waits->count == waits->capacity)
        waits->open =
            memory_grow(waits->open, waits->count, &waits->capacity, sizeof(*waits->open));
    waits->open[waits->count] = *wait;
    return &waits->open[waits->count++];
}

static void taken(struct waits *waits, u64 call, u64 thread)
{
    struct trace_wait *wait = find(waits, WAIT_CALL, call, WAIT_NOBODY);
    if (wait == NULL || thread == ACTIVITY_NO_THREAD)
        return;
    wait->of_thread = thread;
    // It takes the process's calls, so it belongs to the process.
    struct server_thread *server = keyed_rows_get(&waits->servers, (const u64[KEY_WORDS]){thread});
    server->pid = wait->of_pid;
}

// ---- what is told ------------------------------------------------------------------------------

static void end_call(struct waits *waits, u64 call)
{
    end_wait(waits, find(waits, WAIT_CALL, call, WAIT_NOBODY));
    for (size_t i = 0; i < waits->told_count; i++) {
        struct reported_thread *told = &waits->told[i];
        told->calls = told->calls == call ? 0 : told->calls;
        told->works_on = told->works_on == call ? 0 : told->works_on;
    }
}

// Notes a call without an answer that is told, and not logged here.
static void tell_call(struct waits *waits, u64 call, u64 thread, u64 server)
{
    struct trace_wait *open = find(waits, WAIT_CALL, call, WAIT_NOBODY);
    if (open != NULL)
        open->unsure = false;
    else
        begin_wait(waits, &(struct trace_wait){.object = call,
                                               .method = WAIT_NOBODY,
                                               .since = WAIT_NOBODY,
                                               .thread = thread,
                                               .of_pid = server,
                                               .of_thread = WAIT_NOBODY});
}

static void tell_thread(struct waits *waits, const struct reported_thread *told)
{
    waits->told =
        memory_grow(waits->told, waits->told_count, &waits->told_capacity, sizeof(*waits->told));
    waits->told[waits->told_count++] = *told;
}

// Takes what a dump tells: all calls without an answer, and all threads. It is sure of that,
// whatever events are missing.
static void take_memory(struct waits *waits, const struct memory_waits *memory)
{
    for (size_t i = 0; i < memory->process_count; i++)
        labels_name_process(&waits->walk.labels, memory->processes[i].pid,
                            memory->processes[i].name);
    waits->told_count = 0;
    waits->told_unsure = false;
    for (size_t i = 0; i < memory->call_count; i++)
        tell_call(waits, memory->calls[i].id, memory->calls[i].thread, memory->calls[i].server);
    for (size_t i = 0; i < memory->thread_count; i++) {
        const struct trace_waits_thread *thread = &memory->threads[i].thread;
        struct reported_thread told = {memory->threads[i].pid, thread->id, thread->owner,
                                       thread->works_on,       0,          thread->mutex};
        for (size_t j = 0; j < memory->call_count; j++)
            if (memory->calls[j].client == told.pid && memory->calls[j].token == thread->address)
                told.calls = memory->calls[j].id;
        tell_thread(waits, &told);
    }
}

static void take_reported(struct waits *waits, const struct trace_event *event)
{
    const u64 *values = event->values;
    if (event->kind == EVENT_STATE_WAITS) {
        waits->told_count = 0;
        waits->told_unsure = false;
        waits->left_out = values[0];
    } else if (event->kind == EVENT_STATE_CALL) {
        tell_call(waits, values[0], values[1], values[2]);
    } else if (event->kind == EVENT_STATE_USER_THREAD) {
        tell_thread(waits, &(struct reported_thread){values[0], (u32)values[1], (u32)values[5],
                                                     values[2], values[3], values[4]});
    } else if (event->kind == EVENT_STATE_LOCK &&
               find(waits, WAIT_LOCK, values[0], values[1]) == NULL) {
        begin_wait(waits,
                   &(struct trace_wait){.kind = WAIT_LOCK,
                                        .object = values[0],
                                        .since = WAIT_NOBODY,
                                        .thread = values[1],
                                        .of_thread = values[2] != 0 ? values[2] : WAIT_NOBODY,
                                        .of_pid = ACTIVITY_NO_PID});
    }
}

// Finds who makes a call, and who works on it.
static void name_call(const struct waits *waits, struct trace_wait *wait)
{
    for (size_t i = 0; i < waits->told_count; i++) {
        const struct reported_thread *told = &waits->told[i];
        if (told->calls == wait->object) {
            wait->pid = told->pid;
            wait->user = told->id;
            wait->unsure |= waits->told_unsure;
        }
        if (told->works_on == wait->object && told->pid == wait->of_pid) {
            wait->of_user = told->id;
            wait->unsure |= waits->told_unsure;
        }
    }
}

// Adds what threads of programs wait for within them. That it ends is not told, so they are sure
// only in a cycle.
static void add_own_waits(struct waits *waits)
{
    static const enum trace_wait_kind kinds[] = {
        [THREAD_WAITS_MUTEX / 2] = WAIT_MUTEX,
        [THREAD_WAITS_JOIN / 2] = WAIT_JOIN,
        [THREAD_WAITS_SEMAPHORE / 2] = WAIT_SEMAPHORE,
        [THREAD_WAITS_CONDITION / 2] = WAIT_CONDITION,
    };
    for (size_t i = 0; i < waits->told_count; i++) {
        const struct reported_thread *told = &waits->told[i];
        enum trace_wait_kind kind = kinds[(told->mutex & THREAD_WAITS_KIND) / 2];
        bool for_one = kind == WAIT_MUTEX || kind == WAIT_JOIN;
        if (told->mutex == 0)
            continue;
        begin_wait(waits, &(struct trace_wait){.kind = kind,
                                               .object = told->mutex & ~THREAD_WAITS_BITS,
                                               .limited = (told->mutex & THREAD_WAITS_LIMITED) != 0,
                                               .since = WAIT_NOBODY,
                                               .thread = WAIT_NOBODY,
                                               .pid = told->pid,
                                               .user = told->id,
                                               .of_thread = WAIT_NOBODY,
                                               .of_pid = for_one ? told->pid : ACTIVITY_NO_PID,
                                               .of_user = for_one ? told->owner : 0,
                                               .unsure = waits->told_unsure});
    }
}

// ---- events ------------------------------------------------------------------------------------

// values: endpoint, server, call, handed, method
static void take_call(struct waits *waits, const struct trace_event *event)
{
    const u64 *values = event->values;
    end_call(waits, values[2]);
    begin_wait(waits, &(struct trace_wait){.object = values[2],
                                           .method = values[4],
                                           .since = event->time,
                                           .thread = waits->walk.model.machine.doer,
                                           .of_pid = values[1],
                                           .of_thread = WAIT_NOBODY});
}

static void process_ends(struct waits *waits, u64 pid)
{
    for (size_t i = waits->count; i-- > 0;)
        if (waits->open[i].kind == WAIT_CALL &&
            (waits->open[i].of_pid == pid || pid_of(waits, waits->open[i].thread) == pid))
            end_wait(waits, &waits->open[i]);
    for (size_t i = waits->told_count; i-- > 0;)
        if (waits->told[i].pid == pid)
            waits->told[i] = waits->told[--waits->told_count];
}

static struct lock_owner *owner_of(struct waits *waits, const u64 *values)
{
    return keyed_rows_get(&waits->owners, (const u64[KEY_WORDS]){values[0], values[1]});
}

// values: lock, sleeping, owner
static void wait_for_lock(struct waits *waits, const struct trace_event *event, const u64 *values,
                          u64 thread)
{
    const struct lock_owner *owner = owner_of(waits, values);
    u64 known = owner->thread != 0 ? owner->thread : WAIT_NOBODY;
    begin_wait(waits, &(struct trace_wait){.kind = WAIT_LOCK,
                                           .object = values[0],
                                           .since = event->time,
                                           .thread = thread,
                                           .of_thread = values[2] != 0 ? values[2] : known,
                                           .of_pid = ACTIVITY_NO_PID});
}

static void take_lock_event(struct waits *waits, const struct trace_event *event)
{
    const u64 *values = event->values;
    u64 thread = trace_walk_thread(&waits->walk, event->cpu);
    if (event->kind == EVENT_LOCK_TAKE) {
        end_wait(waits, find(waits, WAIT_LOCK, values[0], thread));
        owner_of(waits, values)->thread = thread;
        for (size_t i = 0; i < waits->count; i++)
            if (waits->open[i].kind == WAIT_LOCK && waits->open[i].object == values[0])
                waits->open[i].of_thread = thread;
    } else if (event->kind == EVENT_LOCK_RELEASE) {
        owner_of(waits, values)->thread = WAIT_NOBODY;
    } else if (event->kind == EVENT_LOCK_WAIT && event_tells(event, 2)) {
        wait_for_lock(waits, event, values, thread);
    }
}

static int take_event(void *context, const struct trace_event *event)
{
    struct waits *waits = context;
    const u64 *values = event->values;
    u64 now = trace_walk_thread(&waits->walk, event->cpu);
    if (event->pid != 0)
        return KOV_OK;
    if (event->kind == EVENT_IPC_CALL && event_tells(event, 3) && event_tells(event, 4)) {
        take_call(waits, event);
    } else if (event->kind == EVENT_IPC_TAKE) {
        taken(waits, values[0], now);
    } else if (event->kind == EVENT_IPC_REPLY) {
        end_call(waits, values[0]);
    } else if (event->kind == EVENT_PROCESS_END) {
        process_ends(waits, values[0]);
    } else {
        take_lock_event(waits, event);
        take_reported(waits, event);
    }
    if (waits->walk.model.machine.given != 0)
        taken(waits, waits->walk.model.machine.given, now);
    return KOV_OK;
}

static void all_unsure(struct waits *waits)
{
    waits->told_unsure = true;
    for (size_t i = 0; i < waits->count; i++)
        waits->open[i].unsure = true;
}

static int take_loss(void *context, const struct trace_loss *loss)
{
    struct waits *waits = context;
    if (loss->pid == 0)
        all_unsure(waits);
    for (size_t i = 0; loss->pid == 0 && i < waits->owners.count; i++)
        ((struct lock_owner *)waits->owners.rows[i])->thread = WAIT_NOBODY;
    return KOV_OK;
}

static void name_processes(struct waits *waits)
{
    for (size_t i = 0; i < waits->count; i++) {
        struct trace_wait *wait = &waits->open[i];
        wait->pid = pid_of(waits, wait->thread);
        if (wait->kind == WAIT_CALL)
            name_call(waits, wait);
        else
            wait->of_pid =
                wait->of_thread == WAIT_NOBODY ? ACTIVITY_NO_PID : pid_of(waits, wait->of_thread);
    }
}

int trace_waits(struct engine *engine, const struct trace_choice *choice, json_t *document)
{
    struct waits waits = {
        .walk = {.choice = choice, .event = take_event, .loss = take_loss, .context = &waits},
        .owners = {.row_bytes = sizeof(struct lock_owner)},
        .servers = {.row_bytes = sizeof(struct server_thread)}};
    int code = trace_walk(&waits.walk, engine);
    if (code == KOV_OK) {
        if (trace_walk_is_cut(&waits.walk))
            all_unsure(&waits);
        if (engine->waits.known && choice->to == UINT64_MAX)
            take_memory(&waits, &engine->waits);
        name_processes(&waits);
        add_own_waits(&waits);
        trace_waits_put(waits.open, waits.count, &waits.walk, document);
        put_u64(document, "untold", waits.left_out);
        trace_tool_put_walk(document, &waits.walk);
    }
    free(waits.open);
    free(waits.told);
    keyed_rows_free(&waits.owners);
    keyed_rows_free(&waits.servers);
    trace_walk_free(&waits.walk);
    return code;
}

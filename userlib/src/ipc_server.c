// SPDX-License-Identifier: MIT
// The serving side of calls: endpoints, and worker threads that run their handlers. A worker that
// has answered waits for the next call in the same system call, if its CPU has nothing else to do.
// One that answers later or never waits in a system call too.
#include "check.h"
#include "ipc.h"

#include <string.h>

#define DEFAULT_WORKERS 1024 // blocked ones count, too
#define CHUNK_RECORDS 64     // made at a time
#define CHUNKS_MAX 1024
#define CAP_LISTS 256 // the kernel gives out low numbers: a list stays short

// A badge is the number of a record and, above it, a count of the record's uses. So a badge that
// has been closed, or never was, is found out. Records stay once made, and are used again.
struct ipc_endpoint {
    // 0: free; the handler of a badge is that of the record only as long as it has that badge
    u64 badge;
    ipc_handler handler;
    void *context;
    cap_t cap; // 0: only a badge
    u32 number, uses;
    struct ipc_endpoint *next; // of the free ones, or in the list of its cap
    u64 reserved[2];           // a power of two as size: found by a shift
};
_Static_assert(sizeof(struct ipc_endpoint) == 64, "a power of two");

struct worker {
    struct worker *next; // while idle
    struct thread *thread;
    u64 badge; // of the call
    struct ipc_request request;
    u8 *buffer; // MESSAGE_BYTES
};
_Static_assert(offsetof(struct worker, request.call) == IPC_WORKER_CALL, "ipc.h");

// A call that waits for a worker.
struct backlog {
    struct backlog *next;
    struct event event;
    u8 data[];
};

static struct user_spin records_lock; // of all below but reading the chunks
static struct ipc_endpoint *chunks[CHUNKS_MAX] __attribute__((section(".bss.large")));
static u32 chunk_count;
static struct ipc_endpoint *free_records;
static struct ipc_endpoint *by_cap[CAP_LISTS]; // those with a cap, newest first
static u32 max_workers = DEFAULT_WORKERS;

void ipc_set_workers(u32 max)
{
    __atomic_store_n(&max_workers, max ? max : 1, __ATOMIC_RELAXED);
}

// ---- records of endpoints -----------------------------------------------------------------------

// Returns the record that a badge names, which may have been closed; NULL: there never was one.
static struct ipc_endpoint *record_of(u64 badge)
{
    u32 number = (u32)badge - 1;
    if (number >= CHUNKS_MAX * CHUNK_RECORDS)
        return NULL;
    // What it points at is read through it, and thus after it.
    struct ipc_endpoint *chunk = __atomic_load_n(&chunks[number / CHUNK_RECORDS], __ATOMIC_RELAXED);
    return chunk ? &chunk[number % CHUNK_RECORDS] : NULL;
}

// Disabled, with the lock, as the next two functions.
static void add_chunk(struct ipc_endpoint *chunk)
{
    for (u32 i = 0; i < CHUNK_RECORDS; i++)
        chunk[i] = (struct ipc_endpoint){.number = chunk_count * CHUNK_RECORDS + i,
                                         .next = i ? &chunk[i - 1] : free_records};
    free_records = &chunk[CHUNK_RECORDS - 1];
    __atomic_store_n(&chunks[chunk_count++], chunk, __ATOMIC_RELEASE);
}

static u64 open_record(ipc_handler handler, void *context)
{
    struct ipc_endpoint *record = free_records;
    if (!record)
        return 0;
    free_records = record->next;
    record->handler = handler;
    record->context = context;
    record->cap = 0;
    u64 badge = (u64)++record->uses << 32 | (record->number + 1);
    __atomic_store_n(&record->badge, badge, __ATOMIC_RELEASE);
    return badge;
}

static void close_record(struct ipc_endpoint *record)
{
    struct ipc_endpoint **link = &by_cap[record->cap % CAP_LISTS];
    while (record->cap && *link != record)
        link = &(*link)->next;
    if (record->cap)
        *link = record->next;
    __atomic_store_n(&record->badge, 0, __ATOMIC_RELEASE);
    record->next = free_records;
    free_records = record;
}

s64 ipc_badge_create(ipc_handler handler, void *context, u64 *badge)
{
    struct ipc_endpoint *spare = NULL;
    for (;;) {
        u32 before = user_disable();
        user_spin_lock(&records_lock);
        if (spare && !free_records && chunk_count < CHUNKS_MAX) {
            add_chunk(spare);
            spare = NULL;
        }
        *badge = open_record(handler, context);
        user_spin_unlock(&records_lock);
        user_enable(before);
        if (*badge || spare)
            break;
        spare = user_alloc(CHUNK_RECORDS * sizeof *spare);
        if (!spare)
            return E_NOMEM;
    }
    user_free(spare, CHUNK_RECORDS * sizeof *spare);
    return *badge ? 0 : E_LIMIT;
}

void ipc_badge_destroy(u64 badge)
{
    u32 before = user_disable();
    user_spin_lock(&records_lock);
    struct ipc_endpoint *record = record_of(badge);
    if (record && record->badge == badge)
        close_record(record);
    user_spin_unlock(&records_lock);
    user_enable(before);
}

// Returns the handler of a badge, with its context; NULL: it has been closed, or is nobody's. What
// is read is at least as new as the call. It is this badge's if the record still has the badge
// afterwards.
static ipc_handler handler_of(u64 badge, void **context)
{
    const struct ipc_endpoint *record = record_of(badge);
    if (!record)
        return NULL;
    ipc_handler handler = __atomic_load_n(&record->handler, __ATOMIC_RELAXED);
    *context = __atomic_load_n(&record->context, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return __atomic_load_n(&record->badge, __ATOMIC_RELAXED) == badge ? handler : NULL;
}

// ---- endpoints ----------------------------------------------------------------------------------

s64 ipc_endpoint(ipc_handler handler, void *context)
{
    u64 badge;
    s64 error = ipc_badge_create(handler, context, &badge);
    if (error)
        return error;
    s64 cap = sys_endpoint_create(badge);
    if (cap < 0) {
        ipc_badge_destroy(badge);
        return cap;
    }
    u32 before = user_disable();
    user_spin_lock(&records_lock);
    struct ipc_endpoint *record = record_of(badge), **list = &by_cap[cap % CAP_LISTS];
    record->cap = (cap_t)cap;
    record->next = *list;
    *list = record;
    user_spin_unlock(&records_lock);
    user_enable(before);
    return cap;
}

u64 ipc_badge(cap_t cap)
{
    u32 before = user_disable();
    user_spin_lock(&records_lock);
    const struct ipc_endpoint *record = by_cap[cap % CAP_LISTS];
    while (record && record->cap != cap)
        record = record->next;
    u64 badge = record ? record->badge : 0;
    user_spin_unlock(&records_lock);
    user_enable(before);
    return badge;
}

s64 ipc_endpoint_close(cap_t cap)
{
    u64 badge = cap ? ipc_badge(cap) : 0;
    if (!badge)
        return E_NOENT;
    ipc_badge_destroy(badge);
    s64 error = sys_endpoint_destroy(cap);
    sys_cap_drop(cap);
    return error;
}

// ---- handing a call to a worker -----------------------------------------------------------------

// Fills in a worker's request. data: NULL if the bulk is in the window.
static void fill(struct worker *worker, const struct event *event, const u8 *data)
{
    struct ipc_request *request = &worker->request;
    bool is_call = event_is_call(event);
    worker->badge = event->badge;
    request->call = is_call ? event->id : 0;
    request->pid = is_call ? event_caller(event) : (u32)event->id;
    copy_words(request->words, event->words);
    request->bytes = is_call ? (u32)(event->info & 0xffff) : 0;
    request->cap = is_call ? (cap_t)(event->info >> 32) : 0;
    if (request->bytes)
        memcpy(worker->buffer, data ? data : window_message(), request->bytes);
    __builtin_memset(request->reply, 0, sizeof request->reply);
    request->reply_data = NULL;
    request->reply_bytes = 0;
    request->reply_cap = 0;
    request->drop_reply_cap = false;
}

static s64 worker_run(void *argument);

// Makes a worker that is on no list and has no call yet.
static struct worker *make_worker(struct scheduler *scheduler, struct thread *thread)
{
    struct worker *worker = user_alloc(sizeof *worker);
    u8 *buffer = user_alloc(MESSAGE_BYTES);
    if (!worker || !buffer) {
        user_free(worker, sizeof *worker);
        user_free(buffer, MESSAGE_BYTES);
        return NULL;
    }
    worker->request.data = worker->request.buffer = worker->buffer = buffer;
    worker->thread = thread;
    thread->worker = worker;
    scheduler->worker_count++;
    return worker;
}

static struct worker *new_worker(struct scheduler *scheduler)
{
    const struct thread_attributes attributes = {.name = "worker",
                                                 .cpu = scheduler->cpu,
                                                 .priority = THREAD_PRIORITY_WORKER,
                                                 .detached = true,
                                                 .pinned = true};
    if (scheduler->worker_count >= __atomic_load_n(&max_workers, __ATOMIC_RELAXED))
        return NULL;
    struct thread *thread = thread_make(&attributes, worker_run, NULL);
    if (!thread)
        return NULL;
    struct worker *worker = make_worker(scheduler, thread);
    if (!worker) {
        thread_unmake(thread);
        return NULL;
    }
    thread->argument = worker;
    return worker;
}

static bool keep_for_later(struct scheduler *scheduler, const struct event *event)
{
    u64 bytes = event_is_call(event) ? event->info & 0xffff : 0;
    struct backlog *backlog = user_alloc(sizeof *backlog + bytes);
    if (!backlog)
        return false;
    backlog->event = *event;
    memcpy(backlog->data, window_message(), bytes);
    if (scheduler->backlog)
        scheduler->backlog_tail->next = backlog;
    else
        scheduler->backlog = backlog;
    scheduler->backlog_tail = backlog;
    return true;
}

static void refuse(const struct event *event, s64 status)
{
    static const u64 nothing[MESSAGE_WORDS];
    if (event->info >> 32)
        sys_cap_drop((cap_t)(event->info >> 32));
    event_reply(event->id, status, 0, nothing);
}

void ipc_arrived(struct scheduler *scheduler, const struct event *event)
{
    struct worker *worker = scheduler->idle_workers;
    bool fresh = !worker;
    if (fresh)
        worker = new_worker(scheduler);
    else
        scheduler->idle_workers = worker->next;
    if (!worker) {
        bool kept = scheduler->worker_count && keep_for_later(scheduler, event);
        // What the kernel tells, it tells once, and somebody may wait for what it asks: all hear of
        // an end. Another process's message is lost: with calls and messages it can use up the
        // memory of whoever serves it, and must not end that.
        if (!kept && !event_is_call(event) && event->id == 0)
            user_panic("no memory for an event");
        if (!kept && event_is_call(event))
            refuse(event, E_NOMEM);
        return;
    }
    fill(worker, event, NULL);
    if (fresh)
        scheduler_ready(scheduler, worker->thread, false);
    else
        scheduler_wake(worker->thread, WAKE_WORK);
}

// ---- workers ------------------------------------------------------------------------------------

static void put_reply(const struct ipc_request *request)
{
    if (request->reply_bytes)
        memcpy(window_message(), request->reply_data, request->reply_bytes);
}

static u64 reply_info(const struct ipc_request *request)
{
    return MESSAGE_INFO(request->reply_bytes, request->reply_cap);
}

// Runs the handler; enabled. Returns the status, or IPC_LATER if there is nothing to answer.
static s64 handle(struct worker *worker)
{
    struct ipc_request *request = &worker->request;
    ipc_handler handler = handler_of(worker->badge, &request->context);
    s64 status = E_PEER;
    if (handler)
        status = handler(request);
    else if (request->cap)
        sys_cap_drop(request->cap);
    if (request->reply_bytes > MESSAGE_BYTES) {
        request->reply_bytes = 0;
        status = E_LIMIT;
    }
    return request->call ? status : IPC_LATER;
}

static bool take_backlog(struct scheduler *scheduler, struct worker *worker)
{
    struct backlog *backlog = scheduler->backlog;
    if (!backlog)
        return false;
    scheduler->backlog = backlog->next;
    fill(worker, &backlog->event, backlog->data);
    u64 bytes = event_is_call(&backlog->event) ? backlog->event.info & 0xffff : 0;
    user_free(backlog, sizeof *backlog + bytes);
    return true;
}

static void rest(struct scheduler *scheduler, struct worker *worker)
{
    worker->next = scheduler->idle_workers;
    scheduler->idle_workers = worker;
    scheduler_block(WAKE_WORK);
}

// Goes on with the first event after the worker began to wait in a system call of its own: its next
// call, or something else, before which it rests.
static void go_on(struct scheduler *scheduler, struct worker *worker, const struct event *event)
{
    if (event_is_call(event)) {
        fill(worker, event, NULL);
        return;
    }
    worker->next = scheduler->idle_workers;
    scheduler->idle_workers = worker;
    event_handle(event);
    scheduler_block(WAKE_WORK);
}

// Answers, and waits for the worker's next call; disabled.
static void answer_and_rest(struct scheduler *scheduler, struct worker *worker, s64 status)
{
    struct ipc_request *request = &worker->request;
    put_reply(request);
    if (scheduler->ready_mask || scheduler->backlog || request->drop_reply_cap) {
        event_reply(request->call, status, reply_info(request), request->reply);
        if (request->drop_reply_cap)
            sys_cap_drop(request->reply_cap);
        if (!take_backlog(scheduler, worker))
            rest(scheduler, worker);
        return;
    }
    struct event event;
    event_reply_wait(request->call, status, reply_info(request), request->reply, &event);
    go_on(scheduler, worker, &event);
}

// Waits for the worker's next call with nothing to answer; disabled.
static void rest_without_answer(struct scheduler *scheduler, struct worker *worker)
{
    worker->request.call = 0; // if it is to be answered later, nobody works on it until then
    if (take_backlog(scheduler, worker))
        return;
    if (scheduler->ready_mask) {
        rest(scheduler, worker);
        return;
    }
    struct event event;
    event_wait(&event);
    go_on(scheduler, worker, &event);
}

static s64 worker_run(void *argument)
{
    struct worker *worker = argument;
    for (;;) {
        s64 status = handle(worker);
        user_disable();
        struct scheduler *scheduler = scheduler_here();
        if (status != IPC_LATER)
            answer_and_rest(scheduler, worker, status);
        else
            rest_without_answer(scheduler, worker);
        user_enable(0);
    }
    return 0;
}

void ipc_serve(void)
{
    user_disable();
    struct scheduler *scheduler = scheduler_here();
    struct worker *worker = make_worker(scheduler, scheduler->current);
    if (!worker)
        user_panic("no memory for a worker");
    thread_pin(worker->thread);
    if (!take_backlog(scheduler, worker))
        rest(scheduler, worker);
    user_enable(0);
    worker_run(worker);
    __builtin_unreachable();
}

s64 ipc_answer(u64 call, s64 status, const struct ipc_request *reply)
{
    static const struct ipc_request nothing;
    if (!reply)
        reply = &nothing;
    if (reply->reply_bytes > MESSAGE_BYTES)
        return E_INVAL;
    u32 before = user_disable();
    put_reply(reply);
    s64 result = event_reply(call, status, reply_info(reply), reply->reply);
    user_enable(before);
    if (result == 0 && reply->drop_reply_cap)
        sys_cap_drop(reply->reply_cap);
    return result;
}

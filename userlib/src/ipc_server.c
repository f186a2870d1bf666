// SPDX-License-Identifier: MIT
// The serving side of calls: endpoints, and worker threads that run their handlers. A worker that has answered waits for
// the next call in the same system call, if its CPU has nothing else to do.
#include "check.h"
#include "ipc.h"

#include <string.h>

#define BADGE_MAGIC 0x42414447454d4147 // "BADGEMAG"
#define DEFAULT_WORKERS 1024           // blocked ones count, too

// A badge is the address of its record, which stays once made: late messages find it closed.
struct ipc_endpoint {
    u64 magic;
    ipc_handler handler; // NULL: closed
    void *context;
    cap_t cap; // 0: only a badge
    struct ipc_endpoint *next;
};

struct worker {
    struct worker *next; // while idle
    struct thread *thread;
    struct ipc_endpoint *endpoint;
    struct ipc_request request;
    u8 *buffer; // MESSAGE_BYTES
};

// A call that waits for a worker.
struct backlog {
    struct backlog *next;
    struct event event;
    u8 data[];
};

static struct user_spin endpoints_lock;
static struct ipc_endpoint *endpoints, *closed_endpoints;
static u32 max_workers = DEFAULT_WORKERS;

void ipc_set_workers(u32 max)
{
    __atomic_store_n(&max_workers, max ? max : 1, __ATOMIC_RELAXED);
}

// ---- endpoints -----------------------------------------------------------------------------------

static struct ipc_endpoint *take_record(void)
{
    struct ipc_endpoint *endpoint = user_alloc(sizeof *endpoint);
    if (endpoint)
        endpoint->magic = BADGE_MAGIC;
    return endpoint;
}

static void open_record(struct ipc_endpoint *endpoint, ipc_handler handler, void *context,
                        cap_t cap)
{
    u32 before = user_disable();
    user_spin_lock(&endpoints_lock);
    endpoint->context = context;
    endpoint->cap = cap;
    endpoint->next = endpoints;
    endpoints = endpoint;
    __atomic_store_n(&endpoint->handler, handler, __ATOMIC_RELEASE);
    user_spin_unlock(&endpoints_lock);
    user_enable(before);
}

s64 ipc_badge_create(ipc_handler handler, void *context, u64 *badge)
{
    struct ipc_endpoint *endpoint = take_record();
    if (!endpoint)
        return E_NOMEM;
    open_record(endpoint, handler, context, 0);
    *badge = (u64)endpoint;
    return 0;
}

s64 ipc_endpoint(ipc_handler handler, void *context)
{
    struct ipc_endpoint *endpoint = take_record();
    if (!endpoint)
        return E_NOMEM;
    // Nobody can call before the capability has been given away.
    s64 cap = sys_endpoint_create((u64)endpoint);
    if (cap < 0)
        user_free(endpoint, sizeof *endpoint);
    else
        open_record(endpoint, handler, context, (cap_t)cap);
    return cap;
}

static struct ipc_endpoint *close_record(struct ipc_endpoint **link)
{
    struct ipc_endpoint *endpoint = *link;
    if (endpoint) {
        *link = endpoint->next;
        endpoint->next = closed_endpoints;
        closed_endpoints = endpoint;
        __atomic_store_n(&endpoint->handler, NULL, __ATOMIC_RELEASE);
    }
    return endpoint;
}

s64 ipc_endpoint_close(cap_t cap)
{
    u32 before = user_disable();
    user_spin_lock(&endpoints_lock);
    struct ipc_endpoint **link = &endpoints;
    while (*link && (*link)->cap != cap)
        link = &(*link)->next;
    bool found = close_record(link) != NULL;
    user_spin_unlock(&endpoints_lock);
    user_enable(before);
    return found ? sys_endpoint_destroy(cap) : E_NOENT;
}

void ipc_badge_destroy(u64 badge)
{
    u32 before = user_disable();
    user_spin_lock(&endpoints_lock);
    struct ipc_endpoint **link = &endpoints;
    while (*link && (u64)*link != badge)
        link = &(*link)->next;
    close_record(link);
    user_spin_unlock(&endpoints_lock);
    user_enable(before);
}

u64 ipc_badge(cap_t cap)
{
    u32 before = user_disable();
    user_spin_lock(&endpoints_lock);
    struct ipc_endpoint *endpoint = endpoints;
    while (endpoint && endpoint->cap != cap)
        endpoint = endpoint->next;
    user_spin_unlock(&endpoints_lock);
    user_enable(before);
    return (u64)endpoint;
}

// ---- handing a call to a worker ------------------------------------------------------------------

// data: NULL when the bulk is in the window.
static void fill(struct worker *worker, const struct event *event, const u8 *data)
{
    struct ipc_request *request = &worker->request;
    bool is_call = event->type == EVENT_CALL;
    worker->endpoint = (struct ipc_endpoint *)event->badge;
    request->call = is_call ? event->id : 0;
    request->pid = is_call ? 0 : event->id;
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

// A worker that is on no list and has no call yet.
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
    scheduler->worker_count++;
    return worker;
}

static struct worker *new_worker(struct scheduler *scheduler)
{
    const struct thread_attributes attributes = {.name = "worker",
                                                 .cpu = scheduler->cpu,
                                                 .priority = THREAD_PRIORITY_WORKER,
                                                 .detached = true};
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

static struct worker *find_worker(struct scheduler *scheduler)
{
    struct worker *worker = scheduler->idle_workers;
    if (!worker)
        return NULL;
    scheduler->idle_workers = worker->next;
    return worker;
}

static bool keep_for_later(struct scheduler *scheduler, const struct event *event)
{
    u64 bytes = event->type == EVENT_CALL ? event->info & 0xffff : 0;
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
    if (event->type == EVENT_CALL)
        event_reply(event->id, status, 0, nothing);
}

void ipc_arrived(struct scheduler *scheduler, const struct event *event)
{
    const struct ipc_endpoint *endpoint = (const struct ipc_endpoint *)event->badge;
    CHECK(endpoint && endpoint->magic == BADGE_MAGIC);
    struct worker *worker = find_worker(scheduler);
    bool fresh = !worker;
    if (fresh)
        worker = new_worker(scheduler);
    if (!worker) {
        if (!scheduler->worker_count || !keep_for_later(scheduler, event))
            refuse(event, E_NOMEM);
        return;
    }
    fill(worker, event, NULL);
    if (fresh)
        scheduler_ready(scheduler, worker->thread, false);
    else
        scheduler_wake(worker->thread, WAKE_WORK);
}

// ---- workers -------------------------------------------------------------------------------------

static void put_reply(const struct ipc_request *request)
{
    if (request->reply_bytes)
        memcpy(window_message(), request->reply_data, request->reply_bytes);
}

static u64 reply_info(const struct ipc_request *request)
{
    return MESSAGE_INFO(request->reply_bytes, request->reply_cap);
}

// Runs the handler; enabled. Returns the status, or IPC_LATER when there is nothing to answer.
static s64 handle(struct worker *worker)
{
    struct ipc_request *request = &worker->request;
    ipc_handler handler = __atomic_load_n(&worker->endpoint->handler, __ATOMIC_ACQUIRE);
    request->context = worker->endpoint->context;
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
    u64 bytes = backlog->event.type == EVENT_CALL ? backlog->event.info & 0xffff : 0;
    user_free(backlog, sizeof *backlog + bytes);
    return true;
}

static void rest(struct scheduler *scheduler, struct worker *worker)
{
    worker->next = scheduler->idle_workers;
    scheduler->idle_workers = worker;
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
    if (event.type == EVENT_CALL) {
        fill(worker, &event, NULL);
        return;
    }
    worker->next = scheduler->idle_workers;
    scheduler->idle_workers = worker;
    event_handle(&event);
    scheduler_block(WAKE_WORK);
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
        else if (!take_backlog(scheduler, worker))
            rest(scheduler, worker);
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

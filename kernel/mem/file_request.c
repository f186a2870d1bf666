// SPDX-License-Identifier: MIT
// Who waits for which page of which file, and telling servers: one request a page, resent by the
// pager thread when a server's queue was full.
#include "file.h"
#include "space.h"

#include <kernel/percpu.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <orrery/errors.h>
#include <trace/events.h>

#define RETRY_MICROSECONDS 1000

static struct spinlock files_lock = SPINLOCK_INIT("files", RANK_FCM);
static struct file *files;
static struct thread *pager;
static volatile bool pager_due;

// ---- the list of files --------------------------------------------------------------------------

void files_add(struct file *file)
{
    spin_lock(&files_lock);
    file->next = files;
    if (files != NULL)
        files->previous = file;
    files = file;
    spin_unlock(&files_lock);
}

void files_remove(struct file *file)
{
    spin_lock(&files_lock);
    if (file->next != NULL)
        file->next->previous = file->previous;
    if (file->previous != NULL)
        file->previous->next = file->next;
    else
        files = file->next;
    spin_unlock(&files_lock);
}

// Returns the first file that wants it, held. wants() makes sure that a file is found only once.
static struct file *next_wanting(bool (*wants)(struct file *, u64), u64 argument)
{
    struct file *file;

    spin_lock(&files_lock);
    for (file = files; file != NULL; file = file->next) {
        if (wants(file, argument) && fcm_try_hold(&file->fcm))
            break;
    }
    spin_unlock(&files_lock);
    return file;
}

void files_each(bool (*wants)(struct file *file, u64 argument), u64 argument,
                void (*work)(struct file *file))
{
    struct file *file;

    while ((file = next_wanting(wants, argument)) != NULL) {
        work(file);
        fcm_put_quietly(&file->fcm);
    }
}

// ---- waiting ------------------------------------------------------------------------------------

static struct file_request *request_find(struct file *file, u64 page)
{
    struct file_request *request = file->requests;

    while (request != NULL && request->page != page)
        request = request->next;
    return request;
}

// Returns the page's request, made if there is none. Returns NULL if out of memory. The caller
// holds the lock of users.
static struct file_request *find_or_make(struct file *file, u64 page)
{
    struct file_request *request = request_find(file, page);

    if (request != NULL)
        return request;
    request = kzalloc(sizeof(*request));
    if (request != NULL) {
        request->page = page;
        request->next = file->requests;
        file->requests = request;
    }
    return request;
}

// A space counts its waits before it looks whether it is ending, and whoever ends it does the
// reverse; so one of the two sees the other.
s64 file_wait(struct file *file, u64 page, struct fault_wait *wait)
{
    struct address_space *space = wait->space;
    s64 result = FAULT_BAD;

    atomic_add((u64 *)&space->waits, 1);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    spin_lock(&file->fcm.users_lock);
    if (!file->dead && !space->ending) {
        struct file_request *request = find_or_make(file, page);
        result = request != NULL ? FAULT_WAIT : FAULT_NO_MEMORY;
        if (request != NULL) {
            wait->next = request->waiters;
            request->waiters = wait;
        }
    }
    spin_unlock(&file->fcm.users_lock);
    if (result != FAULT_WAIT)
        atomic_add((u64 *)&space->waits, -1UL);
    return result;
}

static void request_finish(struct fault_wait *waiters, s64 status)
{
    while (waiters != NULL) {
        struct fault_wait *next = waiters->next;
        atomic_add((u64 *)&waiters->space->waits, -1UL);
        waiters->done(waiters, status);
        waiters = next;
    }
}

void file_complete(struct file *file, u64 page, s64 status)
{
    spin_lock(&file->fcm.users_lock);
    struct file_request **link = &file->requests;
    while (*link != NULL && (*link)->page != page)
        link = &(*link)->next;
    struct file_request *request = *link;
    if (request != NULL)
        *link = request->next;
    spin_unlock(&file->fcm.users_lock);
    if (request != NULL)
        request_finish(request->waiters, status);
    kfree(request);
}

void file_complete_all(struct file *file, s64 status)
{
    spin_lock(&file->fcm.users_lock);
    struct file_request *request = file->requests;
    file->requests = NULL;
    spin_unlock(&file->fcm.users_lock);
    while (request != NULL) {
        struct file_request *next = request->next;
        request_finish(request->waiters, status);
        kfree(request);
        request = next;
    }
}

// ---- ending spaces and servers ------------------------------------------------------------------

// Moves the waits of a space from a file's requests to *taken.
// The requests stay: their pages will come.
static void take_waits(struct file *file, const struct address_space *space,
                       struct fault_wait **taken)
{
    spin_lock(&file->fcm.users_lock);
    for (struct file_request *request = file->requests; request != NULL; request = request->next) {
        struct fault_wait **link = &request->waiters;
        while (*link != NULL) {
            struct fault_wait *wait = *link;
            if (wait->space != space) {
                link = &wait->next;
                continue;
            }
            *link = wait->next;
            wait->next = *taken;
            *taken = wait;
        }
    }
    spin_unlock(&file->fcm.users_lock);
}

void files_cancel_waits(struct address_space *space)
{
    struct fault_wait *taken = NULL;

    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (space->waits == 0)
        return;
    spin_lock(&files_lock);
    for (struct file *file = files; file != NULL; file = file->next)
        take_waits(file, space, &taken);
    spin_unlock(&files_lock);
    request_finish(taken, E_PEER);
}

static bool is_of_server(struct file *file, u64 pid)
{
    if (file->server != pid || file->dead)
        return false;
    file->dead = true;
    return true;
}

static void server_ended(struct file *file)
{
    file_complete_all(file, E_PEER);
}

void memory_process_ended(u32 pid)
{
    files_each(is_of_server, pid, server_ended);
}

// ---- telling servers ----------------------------------------------------------------------------

// Written only where it is set: retry_later may set it at any time.
static bool wants_retry(struct file *file, u64 unused)
{
    (void)unused;
    if (!file->retry)
        return false;
    file->retry = false;
    return true;
}

static void pager_main(void *unused)
{
    (void)unused;
    for (;;) {
        while (!pager_due)
            thread_park(NO_DEADLINE);
        thread_sleep(microseconds_to_ticks(RETRY_MICROSECONDS));
        pager_due = false;
        __atomic_thread_fence(__ATOMIC_SEQ_CST); // pager_later's callers write in the other order
        files_each(wants_retry, 0, file_pump);
        frs_retry();
    }
}

s64 pager_start(void)
{
    static struct spinlock lock = SPINLOCK_INIT("pager", RANK_SERVICE);
    static bool started;

    spin_lock(&lock);
    bool start = !started;
    started = true;
    spin_unlock(&lock);
    if (start)
        pager = thread_create("pager", pager_main, NULL, cpu_id(), PRIORITY_SERVER);
    return pager != NULL ? 0 : E_NOMEM;
}

void pager_later(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    pager_due = true;
    if (pager != NULL)
        thread_unpark(pager);
}

static void retry_later(struct file *file)
{
    file->retry = true;
    pager_later();
}

// Gets the page of the next request that the server does not know of, and marks it as sent. Returns
// false if there is none.
static bool next_unsent(struct file *file, u64 *page)
{
    struct file_request *found = NULL;

    spin_lock(&file->fcm.users_lock);
    for (struct file_request *request = file->requests; request != NULL; request = request->next) {
        if (!request->sent)
            found = request; // the last in the list is the oldest
    }
    if (found != NULL) {
        found->sent = true;
        *page = found->page;
    }
    spin_unlock(&file->fcm.users_lock);
    return found != NULL;
}

static void mark_unsent(struct file *file, u64 page)
{
    spin_lock(&file->fcm.users_lock);
    struct file_request *request = request_find(file, page);
    if (request != NULL)
        request->sent = false;
    spin_unlock(&file->fcm.users_lock);
}

// Sends requests. Returns false if the queue is full.
static bool send_fetches(struct file *file)
{
    u64 page;

    while (next_unsent(file, &page)) {
        trace_file_fetch(file->fcm.root.coid, page);
        s64 error = fr_tell(file->fr, FILE_FETCH, page * PAGE_SIZE);
        if (error == E_AGAIN || error == E_NOMEM) {
            mark_unsent(file, page);
            return false;
        }
        if (error != 0)
            file_complete(file, page, E_PEER);
    }
    return true;
}

static bool send_writes(struct file *file)
{
    u64 page = 0;

    if (!file->dirty)
        return true;
    file->dirty = false;
    while (file_next_unwritten(file, &page)) {
        trace_file_write(file->fcm.root.coid, page);
        s64 error = fr_tell(file->fr, FILE_WRITE, page * PAGE_SIZE);
        if (error == E_AGAIN || error == E_NOMEM) {
            file_mark_unwritten(file, page);
            file->dirty = true;
            return false;
        }
    }
    return true;
}

static bool send_gone(struct file *file)
{
    if (!file->gone)
        return true;
    file->gone = false;
    s64 error = fr_tell(file->fr, FILE_GONE, 0);
    if (error != E_AGAIN && error != E_NOMEM)
        return true;
    file->gone = true;
    return false;
}

void file_pump(struct file *file)
{
    if (!send_fetches(file) || !send_writes(file) || !send_gone(file))
        retry_later(file);
}

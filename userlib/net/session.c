// SPDX-License-Identifier: MIT
#include "session.h"

#include <ipc/net.h>
#include <ipc/net_session.h>
#include <net/map.h>
#include <posix/service.h>
#include <stdlib.h>
#include <user/ipc.h>
#include <user/lock.h>
#include <user/time.h>

#define RETRY_US 2000 // while the server is being restarted

static struct mutex session_lock; // of the following two
static struct net_session *current;
static cap_t wake_endpoint; // ours; one for all sessions

static struct mutex wait_lock;
static struct waiter *waiters;

// ---- waiting ---------------------------------------------------------------------------------

void wait_begin(struct waiter *waiter)
{
    mutex_lock(&wait_lock);
    waiter->next = waiters;
    waiter->link = &waiters;
    if (waiters != NULL)
        waiters->link = &waiter->next;
    waiters = waiter;
    mutex_unlock(&wait_lock);
}

void wait_end(struct waiter *waiter)
{
    mutex_lock(&wait_lock);
    *waiter->link = waiter->next;
    if (waiter->next != NULL)
        waiter->next->link = waiter->link;
    mutex_unlock(&wait_lock);
}

static void wake_ready(bool everybody)
{
    mutex_lock(&wait_lock);
    for (struct waiter *waiter = waiters; waiter != NULL; waiter = waiter->next)
        if (everybody || waiter->ready(waiter->argument))
            thread_unpark(waiter->thread);
    mutex_unlock(&wait_lock);
}

static s64 on_wake(struct ipc_request *request)
{
    if (request->cap != 0)
        sys_cap_drop(request->cap);
    if (request->call != 0)
        return IPC_LATER; // never: the server waits for our end in it
    wake_ready(false);
    return 0;
}

// ---- the session -------------------------------------------------------------------------------

void session_put(struct net_session *session)
{
    if (__atomic_sub_fetch(&session->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    sys_cap_drop(session->endpoint);
    if (session->doorbell != 0)
        sys_cap_drop(session->doorbell);
    for (u32 i = 0; i < NET_SOCKETS_MAX; i++)
        if (session->mapped[i] != NULL)
            net_unmap(session->mapped[i]);
    free(session);
}

static struct net_session *hold(struct net_session *session)
{
    __atomic_add_fetch(&session->references, 1, __ATOMIC_RELAXED);
    return session;
}

bool session_lost(const struct net_session *session)
{
    return __atomic_load_n(&session->lost, __ATOMIC_ACQUIRE);
}

void session_woken(s64 error, const u32 *wake)
{
    if (error != 0 || *wake != 0)
        wake_ready(false);
}

// When there is no memory for a call, it looks at all of them, later.
void session_ring(struct net_session *session, u32 number)
{
    static const u64 nothing[MESSAGE_WORDS];
    u32 wake = 0;

    s64 error = net_session_poll(session->endpoint, number, &wake);
    session_woken(error, &wake);
    // E_PEER: watch() sees it. A full queue: enough have rung.
    if (error != 0 && error != E_PEER)
        ipc_send(session->doorbell, -1, nothing);
}

// Runs a thread of each session, which waits for the server's end.
static s64 watch(void *argument)
{
    struct net_session *session = argument;

    net_session_stay(session->endpoint);
    __atomic_store_n(&session->lost, true, __ATOMIC_RELEASE);
    mutex_lock(&session_lock);
    bool was_current = current == session;
    if (was_current)
        current = NULL;
    mutex_unlock(&session_lock);
    wake_ready(true);
    if (was_current)
        session_put(session);
    session_put(session);
    return 0;
}

static s64 start_watching(struct net_session *session)
{
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    struct thread *thread;

    attributes.name = "net session";
    attributes.priority = THREAD_PRIORITY_LIBRARY;
    attributes.detached = true;
    attributes.stack_bytes = THREAD_STACK_MIN;
    hold(session);
    s64 error = thread_create(&thread, &attributes, watch, session);
    if (error != 0)
        session_put(session);
    return error;
}

static s64 open_with(cap_t server, struct net_session **out)
{
    struct net_session *session = calloc(1, sizeof(*session));
    if (session == NULL)
        return E_NOMEM;
    s64 error = net_open(server, wake_endpoint, &session->endpoint);
    if (error != 0) {
        free(session);
        return error;
    }
    session->references = 1;
    error = net_session_doorbell(session->endpoint, &session->doorbell);
    error = error ? error : start_watching(session);
    if (error != 0)
        session_put(session);
    else
        *out = session;
    return error;
}

static s64 open_session(u64 deadline, struct net_session **session)
{
    struct service *service = service_get(NET_SERVICE);
    cap_t server;

    if (service == NULL)
        return E_NOMEM;
    for (;;) {
        s64 error = service_endpoint(service, deadline, &server);
        if (error != 0)
            return error;
        error = open_with(server, session);
        if (error != E_PEER)
            return error;
        service_lost(service, server);
        if (time_now() >= deadline)
            return E_TIMEOUT;
        thread_sleep_us(RETRY_US);
    }
}

static s64 make_wake_endpoint(void)
{
    if (wake_endpoint != 0)
        return 0;
    s64 endpoint = ipc_endpoint(on_wake, NULL);
    if (endpoint < 0)
        return endpoint;
    wake_endpoint = (cap_t)endpoint;
    return 0;
}

s64 session_get(u64 deadline, struct net_session **session)
{
    s64 error = 0;

    mutex_lock(&session_lock);
    if (current == NULL || session_lost(current)) {
        if (current != NULL)
            session_put(
                current); // its watching thread finds that it is not the current one any more
        current = NULL;
        error = make_wake_endpoint();
        error = error ? error : open_session(deadline, &current);
    }
    if (error == 0)
        *session = hold(current);
    mutex_unlock(&session_lock);
    return error;
}

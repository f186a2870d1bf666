// SPDX-License-Identifier: MIT
// Streams for programs with one event loop (net/stream.h), over sockets of the net server. When the
// server has ended, all streams end; ports are listened on again as soon as it is back.
#include "socket.h"

#include <net/stream.h>
#include <user/time.h>

#define STREAMS_MAX 48
#define LISTENERS_MAX 4
#define RETRY_US 100000 // listening again
#define ACCEPT_A_ROUND 16

struct stream {
    struct net_socket socket;
    const struct stream_handlers *handlers; // NULL: the slot is free
    void *client;
    u32 tail;      // of its send ring when `sent` was last called
    bool held;     // receive did not take all
    bool finished; // the handler of that name was called
};

struct listener {
    struct net_socket socket;
    const struct stream_handlers *handlers; // NULL: the slot is free
    u16 port;
    bool listening;
    u64 retry;
};

static struct stream streams[STREAMS_MAX];
static u32 stream_end; // no later slot is in use: the loop looks at those before it
static struct listener listeners[LISTENERS_MAX];
static struct waiter waiter; // of the one thread

// ---- listening ---------------------------------------------------------------------------------

static s64 listen_on(struct listener *listener, u64 patience_us)
{
    struct net_socket *socket = &listener->socket;
    u32 bound;

    s64 error = net_socket_open(time_after_us(patience_us), socket);
    if (error != 0)
        return error;
    error = net_socket_bind(socket, 0, listener->port, &bound);
    error = error ? error : net_socket_listen(socket, STREAMS_MAX);
    if (error != 0)
        net_socket_close(socket, true);
    listener->listening = error == 0;
    return error;
}

s64 stream_listen(u16 port, const struct stream_handlers *handlers)
{
    for (u32 i = 0; i < LISTENERS_MAX; i++) {
        if (listeners[i].handlers != NULL)
            continue;
        listeners[i] = (struct listener){.port = port};
        s64 error = listen_on(&listeners[i], 0);
        if (error == 0)
            listeners[i].handlers = handlers;
        return error;
    }
    return E_LIMIT;
}

// Opens a listener again whose server has ended or whose socket has failed, from time to time.
static void listen_again(struct listener *listener, u64 now)
{
    if (listener->listening && net_socket_state(&listener->socket) == NET_FAILED) {
        net_socket_close(&listener->socket, true);
        listener->listening = false;
    }
    if (listener->listening || now < listener->retry)
        return;
    if (listen_on(listener, 0) != 0)
        listener->retry = time_after_us(RETRY_US);
}

static struct stream *free_stream(void)
{
    for (u32 i = 0; i < STREAMS_MAX; i++)
        if (streams[i].handlers == NULL)
            return &streams[i];
    return NULL;
}

// After a slot has been taken or given back.
static void note_end(void)
{
    stream_end = STREAMS_MAX;
    while (stream_end > 0 && streams[stream_end - 1].handlers == NULL)
        stream_end--;
}

static void forget(struct stream *stream, bool reset)
{
    net_socket_close(&stream->socket, reset);
    stream->handlers = NULL;
    stream->client = NULL;
    note_end();
}

static bool accept_one(struct listener *listener)
{
    struct stream *stream = free_stream();
    struct net_names names;

    if (stream == NULL)
        return false;
    if (net_socket_accept(&listener->socket, &stream->socket, &names) != 0)
        return false;
    stream->handlers = listener->handlers;
    stream->client = NULL;
    stream->held = stream->finished = false;
    stream->tail = 0;
    void *client = listener->handlers->accept(stream, names.peer_address);
    if (stream->handlers == NULL)
        return true; // closed by the handler
    if (client == NULL)
        forget(stream, true);
    stream->client = client;
    return true;
}

static bool accept_some(struct listener *listener, u64 now)
{
    u32 count = 0;

    listen_again(listener, now);
    while (count < ACCEPT_A_ROUND && listener->listening && accept_one(listener))
        count++;
    return count > 0;
}

// ---- bytes -------------------------------------------------------------------------------------

// Offers the client what has come, until it takes no more. Returns whether there was any. A stream
// that the handler closes has no handlers any more.
static bool offer(struct stream *stream)
{
    bool any = false;

    while (stream->handlers != NULL && !stream->held) {
        u32 count;
        const u8 *bytes = net_socket_front(&stream->socket, &count);
        if (count == 0)
            break;
        const struct stream_handlers *handlers = stream->handlers;
        u64 taken = handlers->receive(stream->client, bytes, count);
        if (stream->handlers == NULL)
            return true;
        stream->held = taken < count;
        if (taken > 0)
            net_socket_taken(&stream->socket, (u32)taken);
        any = true;
    }
    return any;
}

// The state comes first: what the ring holds came before the end.
static bool has_finished(const struct stream *stream)
{
    u32 count;

    if (stream->finished || net_socket_state(&stream->socket) != NET_FINISHED)
        return false;
    ring_front(&stream->socket.receive, &count);
    return count == 0;
}

static bool tell_finished(struct stream *stream)
{
    stream->finished = has_finished(stream);
    if (stream->finished)
        stream->handlers->finished(stream->client);
    return stream->finished;
}

static bool tell_sent(struct stream *stream)
{
    u32 tail = shared_load(&stream->socket.send.shared->tail);

    if (tail == stream->tail)
        return false;
    stream->tail = tail;
    stream->handlers->sent(stream->client);
    return true;
}

static bool work_on(struct stream *stream)
{
    if (stream->handlers == NULL)
        return false;
    bool any = tell_sent(stream);
    any |= stream->handlers != NULL && offer(stream);
    any |= stream->handlers != NULL && !stream->finished && tell_finished(stream);
    if (stream->handlers == NULL || net_socket_state(&stream->socket) != NET_FAILED)
        return any;
    const struct stream_handlers *handlers = stream->handlers;
    void *client = stream->client;
    forget(stream, false);
    handlers->ended(client);
    return true;
}

u64 stream_send(struct stream *stream, const void *bytes, u64 count)
{
    s64 sent = net_socket_write(&stream->socket, bytes, count);
    return sent < 0 ? 0 : (u64)sent;
}

void stream_resume(struct stream *stream)
{
    stream->held = false;
    work_on(stream);
}

void stream_close(struct stream *stream)
{
    forget(stream, false);
}

void stream_abort(struct stream *stream)
{
    forget(stream, true);
}

// ---- the loop ----------------------------------------------------------------------------------

static bool work(void)
{
    u64 now = time_now();
    bool any = false;

    for (u32 i = 0; i < LISTENERS_MAX; i++)
        if (listeners[i].handlers != NULL)
            any |= accept_some(&listeners[i], now);
    if (any)
        note_end();
    for (u32 i = 0; i < stream_end; i++)
        any |= work_on(&streams[i]);
    return any;
}

// A full ring is waited for only once somebody has found it so; else only the end, and bytes.
static bool stream_wanted(struct stream *stream)
{
    u32 waits = NET_WAIT_WRITE;

    if (net_socket_room(&stream->socket) > 0)
        waits = 0;
    if (!stream->held && !stream->finished)
        waits |= NET_WAIT_READ;
    bool told = shared_load(&stream->socket.send.shared->tail) != stream->tail;
    if (told || waits == 0)
        return told || net_socket_watch(&stream->socket);
    return net_socket_wanted(&stream->socket, waits) != 0;
}

static bool anything_wanted(void *argument)
{
    bool any = false;

    (void)argument;
    for (u32 i = 0; i < LISTENERS_MAX; i++)
        if (listeners[i].handlers != NULL && listeners[i].listening)
            any |= net_socket_wanted(&listeners[i].socket, NET_WAIT_READ) != 0;
    for (u32 i = 0; i < stream_end; i++)
        if (streams[i].handlers != NULL)
            any |= stream_wanted(&streams[i]);
    return any;
}

// Returns when the first listener is to try again, or deadline if that is earlier.
static u64 next_retry(u64 deadline)
{
    for (u32 i = 0; i < LISTENERS_MAX; i++)
        if (listeners[i].handlers != NULL && !listeners[i].listening &&
            listeners[i].retry < deadline)
            deadline = listeners[i].retry;
    return deadline;
}

void stream_run(u64 deadline)
{
    if (work())
        return;
    if (time_now() < deadline) {
        // Others look at its sockets only while it sleeps: then `waiter` is among those who wait.
        waiter = (struct waiter){.thread = thread_current(), .ready = anything_wanted};
        wait_begin(&waiter);
        if (!anything_wanted(NULL))
            thread_park(next_retry(deadline));
        wait_end(&waiter);
    }
    work();
}

s64 stream_start(void)
{
    struct net_session *session;

    s64 error = session_get(time_after_us(10000000), &session);
    if (error == 0)
        session_put(session);
    return error;
}

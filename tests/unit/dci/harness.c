// SPDX-License-Identifier: MIT
// The server's thread, the made-up network (net/stream.h) and the viewers on it.
#include "harness.h"

#include "client.h"
#include "serve.h"

#include <net/stream.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS_MAX 100000

struct stream {
    void *client;
    u64 room; // what the server may still send
    u8 *held; // sent by the peer, not taken by the server
    u64 held_bytes;
    u8 *sent; // sent by the server
    u64 sent_bytes, read_bytes, sent_capacity;
    bool closed, aborted;
    bool finished; // the peer sends no more
    bool told;     // and the server knows
};

struct peer {
    struct stream stream;
};

static const struct stream_handlers *handlers;
static u32 next_address = 0x0a000202;
static sem_t go, done;
static u64 wanted_deadline;

// ---- the server's side -------------------------------------------------------------------------

static void *run_server(void *argument)
{
    dci_serve();
    sem_post(&done);
    return argument;
}

s64 sys_option(const char *name, char *buffer, u64 bytes)
{
    const char *value = strcmp(name, "observer") == 0 ? OBSERVER_TOKEN : CONTROLLER_TOKEN;

    if (strlen(value) >= bytes)
        return E_INVAL;
    strcpy(buffer, value);
    return 0;
}

s64 stream_start(void)
{
    return 0;
}

s64 stream_listen(u16 port, const struct stream_handlers *given)
{
    handlers = given;
    return port == DCI_PORT ? 0 : E_INVAL;
}

void stream_run(u64 deadline)
{
    wanted_deadline = deadline;
    sem_post(&done);
    sem_wait(&go);
}

void machine_stopped(void)
{
    wanted_deadline = UINT64_MAX;
    sem_post(&done);
    for (;;)
        sem_wait(&go);
}

u64 stream_send(struct stream *stream, const void *bytes, u64 count)
{
    u64 sent = count < stream->room ? count : stream->room;

    while (stream->sent_bytes + sent > stream->sent_capacity) {
        stream->sent_capacity = stream->sent_capacity * 2 + 4096;
        stream->sent = realloc(stream->sent, stream->sent_capacity);
    }
    if (sent > 0)
        memcpy(stream->sent + stream->sent_bytes, bytes, sent);
    stream->sent_bytes += sent;
    if (stream->room != UINT64_MAX)
        stream->room -= sent;
    return sent;
}

static void offer(struct stream *stream)
{
    while (stream->held_bytes > 0 && stream->client != NULL) {
        u64 taken = handlers->receive(stream->client, stream->held, stream->held_bytes);
        assert_true(taken <= stream->held_bytes);
        stream->held_bytes -= taken;
        memmove(stream->held, stream->held + taken, stream->held_bytes);
        if (taken == 0)
            return;
    }
    if (stream->client != NULL && stream->finished && !stream->told) {
        stream->told = true;
        handlers->finished(stream->client);
    }
}

void stream_resume(struct stream *stream)
{
    offer(stream);
}

void stream_close(struct stream *stream)
{
    stream->client = NULL;
    stream->closed = true;
}

void stream_abort(struct stream *stream)
{
    stream->client = NULL;
    stream->aborted = true;
}

// ---- the tests' side ---------------------------------------------------------------------------

int server_start(void **state)
{
    pthread_t thread;

    (void)state;
    machine = (struct machine){.time = 1000000, .mask = 0x5};
    sem_init(&go, 0, 0);
    sem_init(&done, 0, 0);
    if (pthread_create(&thread, NULL, run_server, NULL) != 0)
        return -1;
    sem_wait(&done);
    return strcmp(machine.console, "dci: listening on port 4242\n");
}

void server_round(void)
{
    sem_post(&go);
    sem_wait(&done);
}

void server_settle(void)
{
    u32 rounds = 0;

    do {
        server_round();
        assert_true(++rounds < ROUNDS_MAX); // or it would spin for ever
    } while (wanted_deadline <= machine.time || machine_is_asked());
}

void time_pass(u64 milliseconds)
{
    machine.time += milliseconds * 1000;
    server_settle();
}

struct peer *peer_connect(u64 room)
{
    struct peer *peer = calloc(1, sizeof(*peer));

    peer->stream.room = room;
    peer->stream.client = handlers->accept(&peer->stream, next_address);
    server_settle();
    return peer;
}

void peers_come_from(u32 address)
{
    next_address = address;
}

void peer_finish(struct peer *peer)
{
    peer->stream.finished = true;
    offer(&peer->stream);
    server_settle();
}

struct peer *peer_connect_as(const char *token)
{
    struct peer *peer = peer_connect(UINT64_MAX);
    Orrery__Dci__HelloRequest hello = ORRERY__DCI__HELLO_REQUEST__INIT;

    hello.version = 2;
    hello.token = (char *)token;
    assert_int_equal(peer_ask(peer, REQUEST(HELLO, hello, &hello)), 0);
    return peer;
}

void peer_give_room(struct peer *peer, u64 bytes)
{
    peer->stream.room += bytes;
    if (peer->stream.client != NULL)
        handlers->sent(peer->stream.client);
    server_settle();
}

void peer_send(struct peer *peer, const void *bytes, u64 count)
{
    struct stream *stream = &peer->stream;
    bool waiting = stream->held_bytes > 0;

    stream->held = realloc(stream->held, stream->held_bytes + count + 1);
    memcpy(stream->held + stream->held_bytes, bytes, count);
    stream->held_bytes += count;
    if (!waiting)
        offer(stream);
}

void peer_hang_up(struct peer *peer)
{
    if (peer->stream.client != NULL)
        handlers->ended(peer->stream.client);
    server_settle();
    free(peer->stream.held);
    free(peer->stream.sent);
    free(peer);
}

bool peer_closed(const struct peer *peer)
{
    return peer->stream.closed;
}

bool peer_aborted(const struct peer *peer)
{
    return peer->stream.aborted;
}

u64 peer_unread(const struct peer *peer)
{
    return peer->stream.sent_bytes - peer->stream.read_bytes;
}

void peer_request(struct peer *peer, request_t *request)
{
    u8 bytes[16384];

    u64 length = orrery__dci__request__get_packed_size(request);
    assert_true(length + 4 <= sizeof(bytes));
    orrery__dci__request__pack(request, bytes + 4);
    bytes[0] = bytes[1] = 0;
    bytes[2] = (u8)(length >> 8);
    bytes[3] = (u8)length;
    peer_send(peer, bytes, length + 4);
}

answer_t *peer_next(struct peer *peer)
{
    struct stream *stream = &peer->stream;
    const u8 *at = stream->sent + stream->read_bytes;

    if (peer_unread(peer) < 4)
        return NULL;
    u32 length = (u32)at[0] << 24 | (u32)at[1] << 16 | (u32)at[2] << 8 | at[3];
    assert_in_range(length, 1, FRAME_BYTES_MAX);
    if (peer_unread(peer) < 4 + (u64)length)
        return NULL;
    answer_t *answer = orrery__dci__server_frame__unpack(NULL, length, at + 4);
    assert_non_null(answer);
    assert_int_not_equal(answer->frame_case, ORRERY__DCI__SERVER_FRAME__FRAME__NOT_SET);
    stream->read_bytes += 4 + (u64)length;
    return answer;
}

void answer_free(answer_t *answer)
{
    orrery__dci__server_frame__free_unpacked(answer, NULL);
}

answer_t *peer_answer(struct peer *peer, request_t *request)
{
    peer_request(peer, request);
    server_settle();
    answer_t *answer = peer_next(peer);
    assert_non_null(answer);
    assert_int_equal(answer->frame_case, ORRERY__DCI__SERVER_FRAME__FRAME_RESPONSE);
    assert_int_equal(answer->response->id, request->id);
    return answer;
}

s64 peer_ask(struct peer *peer, request_t *request)
{
    answer_t *answer = peer_answer(peer, request);
    s64 error = answer->response->error;
    answer_free(answer);
    return error;
}

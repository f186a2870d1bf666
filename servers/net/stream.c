// SPDX-License-Identifier: MIT
// TCP connections as streams, by lwIP's raw callbacks.
#include <lwip/tcp.h>
#include <net/stream.h>
#include <orrery/errors.h>

#define STREAMS_MAX 96
#define KEEP_IDLE_MS 10000 // a silent peer is asked after this, then three times again
#define KEEP_INTERVAL_MS 5000
#define KEEP_COUNT 3
#define LINGER_POLLS 20 // half seconds that a closing connection may take to end
#define SEND_PIECE (16 * TCP_MSS)

struct stream {
    struct tcp_pcb *pcb; // NULL: the slot is free
    const struct stream_handlers *handlers;
    void *client;          // NULL: no handler is called any more
    struct pbuf *received; // not yet taken
    bool finished;         // the peer will send no more
    bool closing;          // closed by us, the peer has not closed yet
    u8 polls;              // while closing
};

static struct stream streams[STREAMS_MAX];
static const struct tcp_pcb *aborted; // in this callback: lwIP must be told when it was its own

static void forget(struct stream *stream)
{
    if (stream->received != NULL)
        pbuf_free(stream->received);
    *stream = (struct stream){0};
}

// Takes our callbacks off the connection and the stream off our list.
static struct tcp_pcb *detach(struct stream *stream)
{
    struct tcp_pcb *pcb = stream->pcb;

    tcp_arg(pcb, NULL);
    tcp_recv(pcb, NULL);
    tcp_sent(pcb, NULL);
    tcp_err(pcb, NULL);
    tcp_poll(pcb, NULL, 0);
    forget(stream);
    return pcb;
}

static void reset(struct stream *stream)
{
    struct tcp_pcb *pcb = detach(stream);
    aborted = pcb;
    tcp_abort(pcb);
}

static err_t callback_result(const struct tcp_pcb *pcb)
{
    return aborted == pcb ? ERR_ABRT : ERR_OK;
}

static void finish(struct stream *stream)
{
    struct tcp_pcb *pcb = detach(stream);
    if (tcp_close(pcb) == ERR_OK)
        return;
    aborted = pcb;
    tcp_abort(pcb);
}

static void tell_ended(struct stream *stream)
{
    void *client = stream->client;
    stream->client = NULL;
    if (client != NULL)
        stream->handlers->ended(client);
}

// Offers received bytes until the client takes no more.
static void offer(struct stream *stream)
{
    while (stream->received != NULL && stream->client != NULL) {
        struct pbuf *first = stream->received;
        u64 taken = stream->handlers->receive(stream->client, first->payload, first->len);
        if (stream->pcb == NULL || stream->client == NULL || taken == 0)
            return;
        stream->received = pbuf_free_header(first, (u16)taken);
        tcp_recved(stream->pcb, (u16)taken);
    }
}

static void discard(struct stream *stream)
{
    if (stream->received == NULL)
        return;
    tcp_recved(stream->pcb, stream->received->tot_len);
    pbuf_free(stream->received);
    stream->received = NULL;
}

// After any change: what the client does not want any more goes, and when all is said the
// connection ends.
static void settle(struct stream *stream)
{
    if (stream->pcb == NULL)
        return; // ended by the handler
    if (stream->client == NULL)
        discard(stream);
    if (!stream->finished || stream->received != NULL)
        return;
    tell_ended(stream);
    finish(stream);
}

static err_t on_receive(void *argument, struct tcp_pcb *pcb, struct pbuf *bytes, err_t error)
{
    struct stream *stream = argument;

    (void)error;
    aborted = NULL;
    if (bytes == NULL) {
        stream->finished = true;
    } else if (stream->received == NULL) {
        stream->received = bytes;
        offer(stream);
    } else {
        pbuf_cat(stream->received, bytes); // the client is holding back: so does this stream
    }
    settle(stream);
    return callback_result(pcb);
}

static err_t on_sent(void *argument, struct tcp_pcb *pcb, u16 count)
{
    struct stream *stream = argument;

    (void)count;
    aborted = NULL;
    if (stream->client != NULL)
        stream->handlers->sent(stream->client);
    return callback_result(pcb);
}

static err_t on_poll(void *argument, struct tcp_pcb *pcb)
{
    struct stream *stream = argument;

    aborted = NULL;
    if (!stream->closing || ++stream->polls < LINGER_POLLS)
        return ERR_OK;
    reset(stream);
    return callback_result(pcb);
}

// The connection is gone already.
static void on_error(void *argument, err_t error)
{
    struct stream *stream = argument;

    (void)error;
    stream->pcb = NULL;
    tell_ended(stream);
    forget(stream);
}

static struct stream *stream_free_slot(void)
{
    for (u32 i = 0; i < STREAMS_MAX; i++)
        if (streams[i].pcb == NULL)
            return &streams[i];
    return NULL;
}

static void attach(struct stream *stream, struct tcp_pcb *pcb)
{
    tcp_arg(pcb, stream);
    tcp_recv(pcb, on_receive);
    tcp_sent(pcb, on_sent);
    tcp_err(pcb, on_error);
    tcp_poll(pcb, on_poll, 1);
    tcp_nagle_disable(pcb);
    ip_set_option(pcb, SOF_KEEPALIVE);
    pcb->keep_idle = KEEP_IDLE_MS;
    pcb->keep_intvl = KEEP_INTERVAL_MS;
    pcb->keep_cnt = KEEP_COUNT;
}

static err_t on_accept(void *argument, struct tcp_pcb *pcb, err_t error)
{
    struct stream *stream = stream_free_slot();

    if (error != ERR_OK || pcb == NULL)
        return ERR_VAL;
    if (stream == NULL) {
        tcp_abort(pcb);
        return ERR_ABRT;
    }
    aborted = NULL;
    *stream = (struct stream){.pcb = pcb, .handlers = argument};
    attach(stream, pcb);
    stream->client = stream->handlers->accept(stream);
    if (stream->client == NULL && stream->pcb != NULL && !stream->closing)
        reset(stream);
    return callback_result(pcb);
}

s64 stream_listen(u16 port, const struct stream_handlers *handlers)
{
    struct tcp_pcb *pcb = tcp_new();
    if (pcb == NULL)
        return E_NOMEM;
    if (tcp_bind(pcb, IP_ADDR_ANY, port) != ERR_OK) {
        tcp_close(pcb);
        return E_EXIST;
    }
    struct tcp_pcb *listening = tcp_listen(pcb);
    if (listening == NULL) {
        tcp_close(pcb);
        return E_NOMEM;
    }
    tcp_arg(listening, (void *)handlers);
    tcp_accept(listening, on_accept);
    return 0;
}

u64 stream_room(const struct stream *stream)
{
    if (tcp_sndqueuelen(stream->pcb) >= TCP_SND_QUEUELEN - SEND_PIECE / TCP_MSS)
        return 0;
    return tcp_sndbuf(stream->pcb);
}

u64 stream_send(struct stream *stream, const void *bytes, u64 count)
{
    u64 sent = 0;

    while (sent < count) {
        u64 piece = count - sent;
        u64 room = stream_room(stream);
        piece = piece < room ? piece : room;
        piece = piece < SEND_PIECE ? piece : SEND_PIECE;
        if (piece == 0)
            break;
        if (tcp_write(stream->pcb, (const u8 *)bytes + sent, (u16)piece, TCP_WRITE_FLAG_COPY) !=
            ERR_OK)
            break;
        sent += piece;
    }
    tcp_output(stream->pcb);
    return sent;
}

void stream_resume(struct stream *stream)
{
    offer(stream);
    settle(stream);
}

// The sending side is shut first and what still comes is thrown away until the peer closes: an
// outright close with bytes unread would be a reset, which can overtake what was sent.
void stream_close(struct stream *stream)
{
    stream->client = NULL;
    stream->closing = true;
    discard(stream);
    if (stream->finished)
        finish(stream);
    else
        tcp_shutdown(stream->pcb, 0, 1);
}

void stream_abort(struct stream *stream)
{
    reset(stream);
}

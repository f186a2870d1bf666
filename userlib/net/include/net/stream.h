// SPDX-License-Identifier: MIT
// TCP streams for servers. Everything happens in one thread: the one that called stream_start and
// calls stream_run, from which all handlers are called.
#ifndef NET_STREAM_H
#define NET_STREAM_H

#include <orrery/types.h>

struct stream; // one connection

struct stream_handlers {
    // A connection is there, from an IPv4 address (the first number of its text in the highest
    // byte; 0: not known). Returns the client that the other handlers get, or NULL when it is not
    // wanted; the handler may have sent something and closed it before, else it is reset. It may
    // close others.
    void *(*accept)(struct stream *stream, u32 address);
    // count (> 0) bytes have come. Returns how many were taken, 0…count; the rest is offered again
    // after stream_resume, and meanwhile the sender is held back.
    u64 (*receive)(void *client, const void *bytes, u64 count);
    // The other side has taken something: there is more room to send.
    void (*sent)(void *client);
    // The other side sends no more, and everything it sent was taken; whether it still takes
    // anything only sending to it will tell. Called once.
    void (*finished)(void *client);
    // The connection has ended, by a reset or another error: what came and was not taken is gone.
    // The stream must not be used any more.
    void (*ended)(void *client);
};

// Brings up the interface and the protocols. 0, E_NOENT without an interface, or its error.
s64 stream_start(void);
// Takes connections on a port; the handlers stay in use for good. 0, E_NOMEM, or E_EXIST.
s64 stream_listen(u16 port, const struct stream_handlers *handlers);

// Copies at most count bytes for sending: how many there was room for, maybe 0.
u64 stream_send(struct stream *stream, const void *bytes, u64 count);
// Offers again what receive did not take. May call receive, finished and ended before it returns.
void stream_resume(struct stream *stream);
// Ends the connection in order: what was sent still arrives. No handler is called any more.
void stream_close(struct stream *stream);
// Ends it at once and forgets what was not sent. No handler is called any more.
void stream_abort(struct stream *stream);

// Handles all that has come. Sleeps first, until something comes or the time base reaches deadline,
// when there is nothing to do.
void stream_run(u64 deadline);

#endif

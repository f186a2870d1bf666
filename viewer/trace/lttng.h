// SPDX-License-Identifier: MIT
// A running trace for viewers that speak LTTng's live protocol, as lttng-relayd does (version 2.4
// of it): babeltrace2 and others. Packets go to each client as the machine made them.
//
// A viewer merges streams by time, so it must be told in time that a stream has nothing: an answer
// without a packet is a beacon, a promise that nothing earlier will come. What breaks a promise
// that was made (a process's packet that came much too late) is left out and counted.
#ifndef KOV_LTTNG_H
#define KOV_LTTNG_H

#include "tools/memory.h"
#include "trace/engine/descriptions.h"

#include <pthread.h>

#define LTTNG_CLIENTS 8
#define LTTNG_REQUEST_BYTES 64          // more than the longest
#define LTTNG_QUEUE_BYTES (256UL << 20) // of a client: it is cut off when it is that far behind

struct lttng_packet {
    u64 begin, end, discarded, content_bits, packet_bits;
    u32 holders, size;
    u64 metadata; // how often it must have been renewed: it describes the events then
    u8 data[];
};

// What a client has of a stream.
struct lttng_view {
    struct lttng_packet **queue; // first … count - 1
    size_t first, count, capacity;
    struct lttng_packet *present; // whose index it has got
    u64 offset;                   // of the present one in the stream
    u64 granted;                  // nothing earlier may come
    bool announced;
};

struct lttng_client {
    int fd; // -1: this place is free
    u32 number;
    bool connected, created, attached;
    size_t metadata;          // bytes of it that it has
    struct lttng_view *views; // by the relay's streams
    size_t view_count, view_capacity;
    bool behind; // there is no more room for what it has not taken
    u64 floor;   // it may have shown what was before
    u64 queued_bytes, queued_packets;
    double took; // when it last took a packet
    u8 request[LTTNG_REQUEST_BYTES];
    size_t request_bytes;
    struct bytes answer;
    size_t answered; // bytes of it that are sent
};

struct lttng_stream {
    u32 pid, cpu;
    u64 end; // of its last packet; 0: none came
};

struct lttng_account {
    u64 clients;              // that came
    u64 refused;              // for want of a place, or for what they said
    u64 given, late, cut_off; // packets: to clients; left out; not taken by clients cut off
};

struct lttng_relay {
    pthread_mutex_t lock; // of all that follows; made by the caller
    pthread_t thread;
    int listener, waker;
    u16 port;
    struct bytes metadata; // only ever grows
    struct descriptions descriptions;
    u64 asked, renewed, wanted; // the metadata: how often
    u32 cpus;                   // of the machine
    u64 lag; // ticks by which processes' packets may come later than the kernel's
    bool ended, stop;
    struct lttng_stream *streams; // ids for clients: from 1; 0 is the metadata's
    size_t count, capacity;
    struct lttng_client clients[LTTNG_CLIENTS];
    struct lttng_account account;
};

// ---- lttng_serve.c -----------------------------------------------------------------------------

// Listens on 127.0.0.1 (port 0: any that is free, relay->port tells) and serves from a thread.
// relay->metadata, cpus and lag are set. An exit code.
int lttng_start(struct lttng_relay *relay, u16 port);
// No more packets come: what clients have not taken yet they may still take.
void lttng_finish(struct lttng_relay *relay);
// All that were attached have taken leave.
bool lttng_is_done(struct lttng_relay *relay);
void lttng_stop(struct lttng_relay *relay);

// ---- lttng_relay.c -----------------------------------------------------------------------------

// Takes a packet that came as that process's and CPU's. KOV_CONNECTION if it is damaged. From any
// thread.
int lttng_add(struct lttng_relay *relay, u32 pid, u32 cpu, const u8 *data, size_t size);

// A packet came whose events the metadata does not describe: it waits until they are asked for,
// which must be done now, and set.
bool lttng_wants_metadata(struct lttng_relay *relay);
// Takes over what the machine says: before lttng_start, and when it is wanted. An exit code.
int lttng_set_metadata(struct lttng_relay *relay, struct bytes *metadata);

// The rest with the lock. The index of a stream, which may be new.
size_t lttng_stream(struct lttng_relay *relay, u32 pid, u32 cpu);
// Up to when everything has come.
u64 lttng_complete_until(const struct lttng_relay *relay);
struct lttng_view *lttng_view(const struct lttng_relay *relay, struct lttng_client *client,
                              size_t stream);
// Time of the first event of streams that the client does not know yet; UINT64_MAX: there is none.
u64 lttng_unannounced(const struct lttng_client *client);
// The client is promised that nothing earlier comes on this stream.
void lttng_grant(struct lttng_client *client, struct lttng_view *view, u64 until);
void lttng_announce(struct lttng_client *client, struct lttng_view *view);
// The next packet becomes the present one; the one before is released.
void lttng_advance(struct lttng_client *client, struct lttng_view *view);
void lttng_release_present(struct lttng_view *view);
void lttng_free_views(struct lttng_client *client);

// ---- lttng_answer.c ----------------------------------------------------------------------------

#define LTTNG_HEADER_BYTES 16
// How long the request is that begins with this header, with it; 0: there is none such.
size_t lttng_request_size(const u8 header[LTTNG_HEADER_BYTES]);
// Answers a whole request. NULL, or why the connection must end.
const char *lttng_answer(struct lttng_relay *relay, struct lttng_client *client);

#endif

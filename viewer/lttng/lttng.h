// SPDX-License-Identifier: MIT
// Serves a running trace to viewers that speak LTTng's live protocol (version 2.4), as lttng-relayd
// does: babeltrace2 and others. Packets go to each client as the machine made them.
//
// A viewer merges streams by time. So it must be told in time that a stream has nothing. An answer
// without a packet is a beacon: a promise that nothing earlier will come. A process's packet may
// come much too late and break a promise. It is then left out and counted.
#ifndef KOV_LTTNG_H
#define KOV_LTTNG_H

#include "tools/memory.h"
#include "trace/descriptions.h"

#include <pthread.h>

#define LTTNG_CLIENTS 8
#define LTTNG_HELLO_SECONDS 10          // from the connection until the client is attached
#define LTTNG_SILENT_SECONDS 10         // then others may have the place of an attached client
#define LTTNG_REQUEST_BYTES 64          // more than the longest request
#define LTTNG_QUEUE_BYTES (256UL << 20) // of one client; it is cut off when it is that far behind

struct lttng_packet {
    u64 begin, end, discarded, content_bits, packet_bits;
    u32 holders, size;
    u64 metadata; // how often the metadata must have been renewed until it describes the events
    u8 data[];
};

// What a client has of a stream.
struct lttng_view {
    struct lttng_packet **queue; // first … count - 1
    size_t first, count, capacity;
    struct lttng_packet *present; // the packet whose index the client has got
    u64 offset;                   // of the present packet in the stream
    u64 granted;                  // nothing earlier may come
    bool announced;
};

struct lttng_client {
    int fd; // -1: this place is free
    u32 number;
    bool connected, created, attached;
    size_t metadata;          // bytes of it that the client has
    struct lttng_view *views; // by the relay's streams
    size_t view_count, view_capacity;
    bool behind; // there is no room for more of what it has not taken
    u64 floor;   // it may have shown all events before this time
    u64 queued_bytes, queued_packets;
    double took;  // when it last took a packet
    double came;  // when it connected, or detached
    double heard; // when its last whole request came
    u8 request[LTTNG_REQUEST_BYTES];
    size_t request_bytes;
    struct bytes answer;
    size_t answered; // bytes of the answer that are sent
};

struct lttng_stream {
    u32 pid, cpu;
    u64 end; // of its last packet; 0: no packet has come
};

struct lttng_account {
    u64 clients;              // how many came
    u64 refused;              // for lack of a place, or for what they said
    u64 given, late, cut_off; // packets: given to clients; left out; not taken by clients that were
                              // cut off
};

struct lttng_relay {
    pthread_mutex_t lock; // of all that follows; the caller makes it
    pthread_t thread;
    int listener, waker;
    u16 port;
    struct bytes metadata; // it only grows
    struct descriptions descriptions;
    u64 asked, renewed, wanted; // how often the metadata was asked for, was renewed, must be
                                // renewed
    u32 cpus;                   // of the machine
    u64 lag; // ticks by which processes' packets may come later than the kernel's
    bool ended, stop;
    struct lttng_stream *streams; // clients' ids begin at 1; 0 is the metadata's
    size_t count, capacity;
    struct lttng_client clients[LTTNG_CLIENTS];
    struct lttng_account account;
};

// ---- lttng_serve.c -----------------------------------------------------------------------------

// Listens on 127.0.0.1 and serves from a thread. Port 0 means any free port; relay->port then has
// its number. The caller has set relay->metadata, cpus and lag. Returns an exit code.
int lttng_start(struct lttng_relay *relay, u16 port);
// Tells that no more packets come. Clients may still take what they have not taken yet.
void lttng_finish(struct lttng_relay *relay);
// Returns whether all clients that were attached have left.
bool lttng_is_done(struct lttng_relay *relay);
void lttng_stop(struct lttng_relay *relay);

// ---- lttng_relay.c -----------------------------------------------------------------------------

// Takes a packet of that process and CPU. Returns KOV_CONNECTION if it is damaged. Any thread may
// call it.
int lttng_add(struct lttng_relay *relay, u32 pid, u32 cpu, const u8 *data, size_t size);

// Returns whether a packet has come whose events the metadata does not describe. The packet waits.
// The caller must now ask for the metadata and set it.
bool lttng_wants_metadata(struct lttng_relay *relay);
// Takes the machine's metadata: before lttng_start, and when it is wanted. Returns an exit code.
int lttng_set_metadata(struct lttng_relay *relay, struct bytes *metadata);

// All functions below need the lock. Returns the index of a stream, which may be new.
size_t lttng_stream(struct lttng_relay *relay, u32 pid, u32 cpu);
// Returns the time up to which everything has come.
u64 lttng_complete_until(const struct lttng_relay *relay);
struct lttng_view *lttng_view(const struct lttng_relay *relay, struct lttng_client *client,
                              size_t stream);
// Returns the time of the first event of all streams that the client does not know yet. UINT64_MAX:
// there is none.
u64 lttng_unannounced(const struct lttng_client *client);
// Promises the client that nothing earlier comes on this stream.
void lttng_grant(struct lttng_client *client, struct lttng_view *view, u64 until);
void lttng_announce(struct lttng_client *client, struct lttng_view *view);
// Makes the next packet the present one, and releases the one before.
void lttng_advance(struct lttng_client *client, struct lttng_view *view);
void lttng_release_present(struct lttng_view *view);
void lttng_free_views(struct lttng_client *client);

// ---- lttng_answer.c ----------------------------------------------------------------------------

#define LTTNG_HEADER_BYTES 16
// Returns the length of the request that begins with this header. The length includes the header.
// 0: there is no such request.
size_t lttng_request_size(const u8 header[LTTNG_HEADER_BYTES]);
// Answers a whole request. Returns NULL, or why the connection must end.
const char *lttng_answer(struct lttng_relay *relay, struct lttng_client *client);

#endif

// SPDX-License-Identifier: MIT
// Requests of the live protocol and their answers. All numbers are big endian, and all texts have a
// fixed length. A request without the length of its kind is invalid.
#include "tools/clock.h"
#include "lttng/lttng.h"

#include <string.h>
#include <trace/layout.h>

#define VERSION_MAJOR 2
#define VERSION_MINOR 4
#define HOST "orrery"
#define SESSION "trace"
#define SESSION_ID 1
#define METADATA_ID 0
#define TIMER_MICROSECONDS 200000
#define HOST_BYTES 64
#define NAME_BYTES 255
#define PATH_BYTES 4096

enum command {
    CONNECT = 1,
    LIST_SESSIONS,
    ATTACH_SESSION,
    GET_NEXT_INDEX,
    GET_PACKET,
    GET_METADATA,
    GET_NEW_STREAMS,
    CREATE_SESSION,
    DETACH_SESSION,
};

static const size_t payload_bytes[] = {
    [CONNECT] = 20,        [LIST_SESSIONS] = 0,  [ATTACH_SESSION] = 20,
    [GET_NEXT_INDEX] = 8,  [GET_PACKET] = 20,    [GET_METADATA] = 8,
    [GET_NEW_STREAMS] = 8, [CREATE_SESSION] = 0, [DETACH_SESSION] = 8,
};

enum { ATTACH_OK = 1, ATTACH_ALREADY, ATTACH_UNKNOWN, ATTACH_NOT_LIVE, ATTACH_SEEK, ATTACH_NONE };
enum { INDEX_OK = 1, INDEX_RETRY, INDEX_HUP, INDEX_ERROR, INDEX_INACTIVE };
enum { PACKET_OK = 1, PACKET_RETRY, PACKET_ERROR };
enum { METADATA_OK = 1, METADATA_NO_NEW, METADATA_ERROR };
enum { STREAMS_OK = 1, STREAMS_NO_NEW, STREAMS_ERROR, STREAMS_HUP };
enum { CREATE_OK = 1 };
enum { DETACH_OK = 1, DETACH_UNKNOWN };
enum { SEEK_BEGINNING = 1, SEEK_LAST };
#define FLAG_NEW_METADATA 1
#define FLAG_NEW_STREAM 2
#define SIGNATURE "/* CTF 1.8 */\n" // each piece of metadata begins with it

static u32 get32(const u8 *from)
{
    u32 value;
    memcpy(&value, from, sizeof(value));
    return TRACE_BE32(value);
}

static u64 get64(const u8 *from)
{
    u64 value;
    memcpy(&value, from, sizeof(value));
    return TRACE_BE64(value);
}

static void put32(struct bytes *to, u32 value)
{
    value = TRACE_BE32(value);
    bytes_append(to, &value, sizeof(value));
}

static void put64(struct bytes *to, u64 value)
{
    value = TRACE_BE64(value);
    bytes_append(to, &value, sizeof(value));
}

static void put_name(struct bytes *to, const char *name, size_t bytes)
{
    u8 *place = bytes_reserve(to, bytes);
    memset(place, 0, bytes);
    memcpy(place, name, strlen(name));
    to->size += bytes;
}

size_t lttng_request_size(const u8 header[LTTNG_HEADER_BYTES])
{
    u64 size = get64(header);
    u32 command = get32(header + 8);
    bool known = command >= CONNECT && command < ARRAY_SIZE(payload_bytes);
    return known && size == payload_bytes[command] ? LTTNG_HEADER_BYTES + (size_t)size : 0;
}

// ---- streams -----------------------------------------------------------------------------------

static void put_stream(struct bytes *to, u64 id, bool is_metadata)
{
    put64(to, id);
    put64(to, SESSION_ID); // of the trace, which is the only one
    put32(to, is_metadata);
    put_name(to, HOST, PATH_BYTES);
    put_name(to, is_metadata ? "metadata" : "stream", NAME_BYTES);
}

// Announces the streams that the client does not know and that have something for it. With `kernel`
// it also announces those of the kernel that have nothing yet. Returns how many.
static u32 announce(const struct lttng_relay *relay, struct lttng_client *client, bool kernel)
{
    u32 count = 0;
    for (size_t i = 0; i < relay->count; i++) {
        struct lttng_view *view = lttng_view(relay, client, i);
        bool wanted = view->first < view->count || (kernel && relay->streams[i].pid == 0);
        if (view->announced || !wanted)
            continue;
        lttng_announce(client, view);
        put_stream(&client->answer, i + 1, false);
        count++;
    }
    return count;
}

static void set32(struct bytes *in, size_t at, u32 value)
{
    value = TRACE_BE32(value);
    memcpy(in->data + at, &value, sizeof(value));
}

// Returns the view of a stream that the client was told of, else NULL.
static struct lttng_view *known_view(const struct lttng_relay *relay, struct lttng_client *client,
                                     u64 id)
{
    if (!client->attached || id == METADATA_ID || id > relay->count)
        return NULL;
    struct lttng_view *view = lttng_view(relay, client, (size_t)id - 1);
    return view->announced ? view : NULL;
}

// ---- answers -----------------------------------------------------------------------------------

static const char *connect_client(struct lttng_client *client, const u8 *payload)
{
    if (client->connected)
        return "it connects twice";
    if (get32(payload + 8) != VERSION_MAJOR)
        return "it speaks another version of the protocol than 2";
    client->connected = true;
    put64(&client->answer, client->number);
    put32(&client->answer, VERSION_MAJOR);
    put32(&client->answer, VERSION_MINOR);
    put32(&client->answer, get32(payload + 16));
    return NULL;
}

static void list_sessions(const struct lttng_relay *relay, struct lttng_client *client)
{
    struct bytes *answer = &client->answer;
    put32(answer, relay->ended && !client->attached ? 0 : 1);
    if (relay->ended && !client->attached)
        return;
    u32 clients = 0;
    for (u32 i = 0; i < LTTNG_CLIENTS; i++)
        clients += relay->clients[i].fd >= 0 && relay->clients[i].attached;
    put64(answer, SESSION_ID);
    put32(answer, TIMER_MICROSECONDS);
    put32(answer, clients);
    put32(answer, (u32)relay->count + 1);
    put_name(answer, HOST, HOST_BYTES);
    put_name(answer, SESSION, NAME_BYTES);
}

static u32 attach_status(const struct lttng_relay *relay, const struct lttng_client *client,
                         const u8 *payload)
{
    u32 seek = get32(payload + 16);
    if (!client->created)
        return ATTACH_NONE;
    if (get64(payload) != SESSION_ID)
        return ATTACH_UNKNOWN;
    if (client->attached)
        return ATTACH_ALREADY;
    if (seek != SEEK_BEGINNING && seek != SEEK_LAST)
        return ATTACH_SEEK;
    return relay->ended ? ATTACH_NOT_LIVE : ATTACH_OK;
}

// Attaches a client. Either kind of seek begins with what comes next, since older packets are not
// kept.
static void attach(const struct lttng_relay *relay, struct lttng_client *client, const u8 *payload)
{
    u32 status = attach_status(relay, client, payload);
    put32(&client->answer, status);
    put32(&client->answer, 0);
    if (status != ATTACH_OK)
        return;
    client->attached = true;
    client->metadata = 0;
    put_stream(&client->answer, METADATA_ID, true);
    set32(&client->answer, sizeof(u32), 1 + announce(relay, client, true));
}

static void put_index(const struct lttng_relay *relay, struct lttng_client *client, u64 id,
                      u32 status, const struct lttng_view *view, u64 time)
{
    struct bytes *answer = &client->answer;
    const struct lttng_packet *packet = status == INDEX_OK ? view->present : NULL;
    bool process = view != NULL && relay->streams[id - 1].pid != 0;
    put64(answer, packet == NULL ? 0 : view->offset);
    put64(answer, packet == NULL ? 0 : packet->packet_bits);
    put64(answer, packet == NULL ? 0 : packet->content_bits);
    put64(answer, packet == NULL ? time : packet->begin);
    put64(answer, packet == NULL ? time : packet->end);
    put64(answer, packet == NULL ? 0 : packet->discarded);
    put64(answer, process ? TRACE_STREAM_PROCESS : TRACE_STREAM_KERNEL);
    put32(answer, status);
    u32 flags = lttng_unannounced(client) == UINT64_MAX ? 0 : FLAG_NEW_STREAM;
    bool more = client->metadata > 0 && client->metadata < relay->metadata.size;
    put32(answer, flags | (more ? FLAG_NEW_METADATA : 0));
}

// Returns the time of a beacon. It is not later than the next packet of this stream. Nor is it
// later than streams that the client does not know yet, since it asks for these only with a
// packet's index. Two beacons of the same time make babeltrace2 warn.
static u64 beacon(u64 until, const struct lttng_client *client, const struct lttng_packet *next,
                  u64 id)
{
    u64 others = lttng_unannounced(client);
    until = next != NULL && next->begin < until ? next->begin : until;
    until = others < until ? others : until;
    return until == UINT64_MAX ? 0 : until - (id < until ? id : until);
}

static void give_packet(struct lttng_relay *relay, struct lttng_client *client,
                        struct lttng_view *view, u64 id)
{
    lttng_advance(client, view);
    lttng_grant(client, view, view->present->end);
    client->took = clock_now();
    relay->account.given++;
    put_index(relay, client, id, INDEX_OK, view, 0);
}

static void next_index(struct lttng_relay *relay, struct lttng_client *client, u64 id)
{
    struct lttng_view *view = known_view(relay, client, id);
    if (view == NULL) {
        put_index(relay, client, id, INDEX_ERROR, NULL, 0);
        return;
    }
    const struct lttng_packet *next = view->first < view->count ? view->queue[view->first] : NULL;
    u64 until = lttng_complete_until(relay);
    if (next != NULL && next->end <= until && next->metadata <= relay->renewed) {
        give_packet(relay, client, view, id);
        return;
    }
    until = beacon(until, client, next, id);
    bool moves = until > view->granted;
    if (moves)
        lttng_grant(client, view, until);
    u32 idle = relay->ended && next == NULL ? INDEX_HUP : moves ? INDEX_INACTIVE : INDEX_RETRY;
    put_index(relay, client, id, idle, view, until);
}

// Gives any part of the packet whose index the client has.
static void get_packet(const struct lttng_relay *relay, struct lttng_client *client,
                       const u8 *payload)
{
    const struct lttng_view *view = known_view(relay, client, get64(payload));
    u64 offset = get64(payload + 8);
    u32 bytes = get32(payload + 16);
    const struct lttng_packet *packet = view == NULL ? NULL : view->present;
    bool there = packet != NULL && offset >= view->offset &&
                 offset - view->offset <= packet->size && bytes > 0 &&
                 bytes <= packet->size - (offset - view->offset);
    put32(&client->answer, there ? PACKET_OK : PACKET_ERROR);
    put32(&client->answer, there ? bytes : 0);
    put32(&client->answer, 0);
    if (there)
        bytes_append(&client->answer, packet->data + (offset - view->offset), bytes);
}

// Gives the metadata that the client has not got yet.
static void get_metadata(const struct lttng_relay *relay, struct lttng_client *client, u64 id)
{
    bool right = client->attached && id == METADATA_ID;
    size_t more = right ? relay->metadata.size - client->metadata : 0;
    size_t signature = more > 0 && client->metadata > 0 ? strlen(SIGNATURE) : 0;
    put64(&client->answer, signature + more);
    put32(&client->answer, more > 0 ? METADATA_OK : right ? METADATA_NO_NEW : METADATA_ERROR);
    bytes_append(&client->answer, SIGNATURE, signature);
    bytes_append(&client->answer, relay->metadata.data + client->metadata, more);
    client->metadata += more;
}

static void get_new_streams(const struct lttng_relay *relay, struct lttng_client *client, u64 id)
{
    bool right = client->attached && id == SESSION_ID;
    put32(&client->answer, STREAMS_OK);
    put32(&client->answer, 0);
    u32 count = right ? announce(relay, client, false) : 0;
    u32 without = relay->ended && client->queued_packets == 0 ? STREAMS_HUP : STREAMS_NO_NEW;
    set32(&client->answer, 0, !right ? STREAMS_ERROR : count > 0 ? STREAMS_OK : without);
    set32(&client->answer, sizeof(u32), count);
}

static void detach(struct lttng_client *client, u64 id)
{
    bool right = client->attached && id == SESSION_ID;
    put32(&client->answer, right ? DETACH_OK : DETACH_UNKNOWN);
    if (!right)
        return;
    client->attached = false;
    client->came = clock_now();
    lttng_free_views(client);
}

const char *lttng_answer(struct lttng_relay *relay, struct lttng_client *client)
{
    u32 command = get32(client->request + 8);
    const u8 *payload = client->request + LTTNG_HEADER_BYTES;
    if (command == CONNECT)
        return connect_client(client, payload);
    if (!client->connected)
        return "it asks before it connects";
    if (command == LIST_SESSIONS)
        list_sessions(relay, client);
    else if (command == ATTACH_SESSION)
        attach(relay, client, payload);
    else if (command == GET_NEXT_INDEX)
        next_index(relay, client, get64(payload));
    else if (command == GET_PACKET)
        get_packet(relay, client, payload);
    else if (command == GET_METADATA)
        get_metadata(relay, client, get64(payload));
    else if (command == GET_NEW_STREAMS)
        get_new_streams(relay, client, get64(payload));
    else if (command == DETACH_SESSION)
        detach(client, get64(payload));
    else
        put32(&client->answer, CREATE_OK);
    client->created |= command == CREATE_SESSION;
    return NULL;
}

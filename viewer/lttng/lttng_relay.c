// SPDX-License-Identifier: MIT
// Packets on their way to clients: a queue for each client and stream, and the promises made.
#include "lttng/lttng.h"
#include "tools/kov.h"
#include "trace/stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void release(struct lttng_packet *packet)
{
    if (packet != NULL && --packet->holders == 0)
        free(packet);
}

u64 lttng_complete_until(const struct lttng_relay *relay)
{
    u64 until = UINT64_MAX;
    u32 found = 0;
    if (relay->ended)
        return until;
    for (size_t i = 0; i < relay->count; i++) {
        const struct lttng_stream *stream = &relay->streams[i];
        if (stream->pid != 0 || stream->end == 0)
            continue;
        found++;
        until = stream->end < until ? stream->end : until;
    }
    return found < relay->cpus || until < relay->lag ? 0 : until - relay->lag;
}

// ---- views -------------------------------------------------------------------------------------

struct lttng_view *lttng_view(const struct lttng_relay *relay, struct lttng_client *client,
                              size_t stream)
{
    while (client->view_count <= stream && stream < relay->count) {
        client->views = memory_grow(client->views, client->view_count, &client->view_capacity,
                                    sizeof(*client->views));
        client->views[client->view_count++] = (struct lttng_view){0};
    }
    return stream < relay->count ? &client->views[stream] : NULL;
}

u64 lttng_unannounced(const struct lttng_client *client)
{
    u64 first = UINT64_MAX;
    for (size_t i = 0; i < client->view_count; i++) {
        const struct lttng_view *view = &client->views[i];
        if (!view->announced && view->first < view->count &&
            view->queue[view->first]->begin < first)
            first = view->queue[view->first]->begin;
    }
    return first;
}

// Promises that a view gets nothing before `until`. A client shows the earliest event of its
// streams, so it shows nothing later than the least promise of all of them.
void lttng_grant(struct lttng_client *client, struct lttng_view *view, u64 until)
{
    u64 least = UINT64_MAX;
    view->granted = until;
    for (size_t i = 0; i < client->view_count; i++)
        if (client->views[i].announced && client->views[i].granted < least)
            least = client->views[i].granted;
    client->floor = least > client->floor ? least : client->floor;
}

void lttng_announce(struct lttng_client *client, struct lttng_view *view)
{
    view->announced = true;
    view->granted = client->floor;
}

void lttng_release_present(struct lttng_view *view)
{
    release(view->present);
    view->present = NULL;
}

void lttng_advance(struct lttng_client *client, struct lttng_view *view)
{
    view->offset += view->present != NULL ? view->present->size : 0;
    lttng_release_present(view);
    view->present = view->queue[view->first++];
    client->queued_bytes -= view->present->size;
    client->queued_packets--;
}

void lttng_free_views(struct lttng_client *client)
{
    for (size_t i = 0; i < client->view_count; i++) {
        struct lttng_view *view = &client->views[i];
        lttng_release_present(view);
        for (size_t next = view->first; next < view->count; next++)
            release(view->queue[next]);
        free(view->queue);
    }
    free(client->views);
    client->views = NULL;
    client->view_count = client->view_capacity = 0;
    client->floor = client->queued_bytes = client->queued_packets = 0;
}

// ---- metadata ----------------------------------------------------------------------------------

bool lttng_wants_metadata(struct lttng_relay *relay)
{
    pthread_mutex_lock(&relay->lock);
    bool wants = relay->asked < relay->wanted;
    relay->asked += wants;
    pthread_mutex_unlock(&relay->lock);
    return wants;
}

int lttng_set_metadata(struct lttng_relay *relay, struct bytes *metadata)
{
    struct descriptions descriptions = {0};
    size_t size = metadata->size;
    bytes_append(metadata, "", 1);
    int code = descriptions_read(&descriptions, (const char *)metadata->data, "the machine");
    metadata->size = size;
    if (code != KOV_OK) {
        descriptions_free(&descriptions);
        return code;
    }
    pthread_mutex_lock(&relay->lock);
    bytes_free(&relay->metadata);
    descriptions_free(&relay->descriptions);
    relay->metadata = *metadata;
    relay->descriptions = descriptions;
    relay->renewed = relay->asked;
    pthread_mutex_unlock(&relay->lock);
    *metadata = (struct bytes){0};
    return KOV_OK;
}

// ---- packets -----------------------------------------------------------------------------------

size_t lttng_stream(struct lttng_relay *relay, u32 pid, u32 cpu)
{
    for (size_t i = 0; i < relay->count; i++)
        if (relay->streams[i].pid == pid && relay->streams[i].cpu == cpu)
            return i;
    relay->streams =
        memory_grow(relay->streams, relay->count, &relay->capacity, sizeof(*relay->streams));
    relay->streams[relay->count] = (struct lttng_stream){.pid = pid, .cpu = cpu};
    return relay->count++;
}

static void offer(struct lttng_relay *relay, struct lttng_client *client, size_t stream,
                  struct lttng_packet *packet)
{
    struct lttng_view *view = lttng_view(relay, client, stream);
    u64 promised = view->announced ? view->granted : client->floor;
    if (packet->begin < promised) {
        relay->account.late++;
        return;
    }
    client->behind = client->behind || client->queued_bytes + packet->size > LTTNG_QUEUE_BYTES;
    if (client->behind) {
        relay->account.cut_off++;
        return;
    }
    if (view->first > 0 && view->count == view->capacity) {
        view->count -= view->first;
        memmove(view->queue, view->queue + view->first,
                view->count * sizeof(struct lttng_packet *));
        view->first = 0;
    }
    view->queue =
        memory_grow(view->queue, view->count, &view->capacity, sizeof(struct lttng_packet *));
    view->queue[view->count++] = packet;
    packet->holders++;
    client->queued_bytes += packet->size;
    client->queued_packets++;
}

// Returns how often the metadata must be renewed before the packet is given. A renewal counts only
// if it was asked for after the packet came.
static u64 needed_renewals(struct lttng_relay *relay, u32 pid, const u8 *data, size_t size)
{
    if (pid == 0 || descriptions_cover(&relay->descriptions, data, size))
        return 0;
    relay->wanted = relay->asked + 1;
    return relay->wanted;
}

static struct lttng_packet *make_packet(const u8 *data, size_t size)
{
    struct lttng_packet *packet = memory_get(sizeof(*packet) + size);
    const struct trace_packet *header = (const struct trace_packet *)packet->data;
    memcpy(packet->data, data, size);
    packet->size = (u32)size;
    packet->holders = 1;
    packet->begin = TRACE_BE64(header->timestamp_begin);
    packet->end = TRACE_BE64(header->timestamp_end);
    packet->discarded = TRACE_BE64(header->events_discarded);
    packet->content_bits = TRACE_BE64(header->content_bits);
    packet->packet_bits = TRACE_BE64(header->packet_bits);
    return packet;
}

int lttng_add(struct lttng_relay *relay, u32 pid, u32 cpu, const u8 *data, size_t size)
{
    struct packet_entry entry;
    const char *problem = stream_read_pushed(data, size, pid, cpu, &entry);
    struct lttng_packet *packet = problem == NULL ? make_packet(data, size) : NULL;
    pthread_mutex_lock(&relay->lock);
    size_t stream = problem == NULL ? lttng_stream(relay, pid, cpu) : 0;
    if (problem == NULL && packet->begin < relay->streams[stream].end)
        problem = "it comes out of order";
    if (problem == NULL) {
        relay->streams[stream].end = packet->end;
        packet->metadata = needed_renewals(relay, pid, data, size);
        for (u32 i = 0; i < LTTNG_CLIENTS; i++)
            if (relay->clients[i].fd >= 0 && relay->clients[i].attached)
                offer(relay, &relay->clients[i], stream, packet);
    }
    release(packet);
    pthread_mutex_unlock(&relay->lock);
    return problem == NULL
               ? KOV_OK
               : fail(KOV_CONNECTION,
                      "a packet of process %" PRIu32 " on CPU %" PRIu32 " is damaged: %s", pid, cpu,
                      problem);
}

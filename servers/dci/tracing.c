// SPDX-License-Identifier: MIT
// Requests about tracing, and the pushing of packets to the one subscriber. A full queue leaves
// packets in the kernel's buffers: what gets lost is counted there, once.
#include "requests.h"

#include <orrery/sys.h>
#include <string.h>

#define PACKET_BYTES_MAX 65536
#define EVENTS_A_FRAME 256

static struct client *subscriber;
static u64 mask_after;              // to be set when the subscription ends
static u64 flush_ticks, next_flush; // flush_ticks 0: no flushing
static u64 pushed_packets[ORRERY_MAX_CPUS];

bool tracing_owned_by(const struct client *client)
{
    return subscriber == client;
}

// ---- settings and lists ------------------------------------------------------------------------

static void add_cpu(struct frame *frame, u32 cpu)
{
    struct sys_trace_stat stat;

    if (sys_trace_stat(cpu, &stat) != 0)
        return;
    dci_TraceStat to = {
        .cpu = cpu,
        .events = stat.events,
        .discarded = stat.discarded,
        .overwritten = stat.overwritten,
        .packets = stat.packets,
        .subbuffers = stat.subbuffers,
        .subbuffer_bytes = stat.subbuffer_bytes,
        .mode = (dci_TraceMode)stat.mode,
        .pushed_packets = pushed_packets[cpu],
    };
    frame_record(frame, dci_TraceStatReply_cpus_tag, dci_TraceStat_fields, &to);
}

static s64 reply_stat(struct client *client, u32 body, u64 mask)
{
    struct frame frame;

    client_frame_begin(client, &frame, body);
    frame_varint(&frame, dci_TraceStatReply_mask_tag, mask);
    frame_varint(&frame, dci_TraceStatReply_subscribed_tag, subscriber != NULL);
    for (u32 cpu = 0; cpu < server_system.cpu_count; cpu++)
        add_cpu(&frame, cpu);
    client_frame_end(client, &frame, false);
    return REQUEST_REPLIED;
}

s64 trace_stat_begin(struct client *client, const dci_Request *request)
{
    (void)request;
    return reply_stat(client, dci_Response_trace_stat_tag, sys_trace_mask());
}

// Nothing if mode is KEEP; another client's packets are not thrown away.
static s64 check_mode(struct client *client, dci_TraceMode mode)
{
    if (mode != dci_TraceMode_TRACE_MODE_KEEP && mode != dci_TraceMode_TRACE_MODE_OVERWRITE &&
        mode != dci_TraceMode_TRACE_MODE_DISCARD)
        return client_error(client, E_INVAL, "mode %u is not known", (unsigned)mode);
    if (mode != dci_TraceMode_TRACE_MODE_KEEP && subscriber != NULL && subscriber != client)
        return client_error(client, E_BUSY, "client %u takes the packets",
                            (unsigned)subscriber->number);
    return 0;
}

// The old mask's majors are off before the mode zeroes the counts: these are then the new mask's
// alone.
static s64 set(dci_TraceMode mode, bool set_mask, u64 mask)
{
    s64 error = set_mask && mode != dci_TraceMode_TRACE_MODE_KEEP ? sys_trace_set_mask(0) : 0;

    if (error < 0)
        return error;
    if (mode == dci_TraceMode_TRACE_MODE_OVERWRITE)
        error = sys_trace_set_mode(SYS_TRACE_OVERWRITE);
    else if (mode == dci_TraceMode_TRACE_MODE_DISCARD)
        error = sys_trace_set_mode(SYS_TRACE_DISCARD);
    if (error == 0 && set_mask)
        error = sys_trace_set_mask(mask);
    return error;
}

s64 trace_set_begin(struct client *client, const dci_Request *request)
{
    const dci_TraceSetRequest *wish = &request->body.trace_set;

    s64 error = check_mode(client, wish->mode);
    if (error != 0)
        return error;
    error = set(wish->mode, wish->set_mask, wish->mask);
    return error < 0 ? error : REQUEST_DONE;
}

static void add_event(struct frame *frame, const struct sys_trace_event *from)
{
    dci_TraceEvent to = {
        .major = from->major,
        .minor = from->minor,
        .field_count = from->field_count,
    };
    memcpy(to.name, from->name, sizeof(to.name) - 1);
    memcpy(to.group, from->group, sizeof(to.group) - 1);
    memcpy(to.format, from->format, sizeof(to.format) - 1);
    frame_record(frame, dci_TraceEventsReply_events_tag, dci_TraceEvent_fields, &to);
}

s64 trace_events_step(struct client *client)
{
    struct sys_trace_event event;
    struct frame frame;
    s64 error = 0;

    client_frame_begin(client, &frame, dci_Response_trace_events_tag);
    for (u32 i = 0; i < EVENTS_A_FRAME && error == 0; i++) {
        error = sys_trace_event_get((u32)client->cursor, &event);
        if (error == 0) {
            add_event(&frame, &event);
            client->cursor++;
        }
    }
    if (error != 0 && error != E_NOENT)
        return error;
    client_frame_end(client, &frame, error == 0);
    return error == 0 ? REQUEST_GOES_ON : REQUEST_REPLIED;
}

s64 trace_metadata_step(struct client *client)
{
    struct frame frame;

    s64 bytes = sys_trace_metadata(client->cursor, (char *)server_records, sizeof(server_records));
    if (bytes < 0)
        return bytes;
    client->cursor += (u64)bytes;
    client_frame_begin(client, &frame, dci_Response_trace_metadata_tag);
    u32 mark = frame_open(&frame, dci_TraceMetadataReply_text_tag);
    frame_bytes(&frame, server_records, (u32)bytes);
    frame_close(&frame, mark);
    client_frame_end(client, &frame, bytes > 0);
    return bytes > 0 ? REQUEST_GOES_ON : REQUEST_REPLIED;
}

// ---- the subscription --------------------------------------------------------------------------

static s64 check_subscribe(struct client *client, const dci_TraceSubscribeRequest *wish)
{
    struct sys_trace_stat stat;

    if (wish->flush_ms != 0 && (wish->flush_ms < FLUSH_MS_MIN || wish->flush_ms > FLUSH_MS_MAX))
        return client_error(client, E_INVAL, "flush_ms must be 0 or %d…%d", FLUSH_MS_MIN,
                            FLUSH_MS_MAX);
    if (subscriber != NULL)
        return client_error(client, E_BUSY, "client %u takes the packets",
                            (unsigned)subscriber->number);
    s64 error = check_mode(client, wish->mode);
    if (error == 0)
        error = sys_trace_stat(0, &stat);
    if (error == 0 && stat.subbuffer_bytes > PACKET_BYTES_MAX)
        return client_error(client, E_LIMIT, "packets are longer than %d bytes", PACKET_BYTES_MAX);
    return error;
}

s64 trace_subscribe_begin(struct client *client, const dci_Request *request)
{
    const dci_TraceSubscribeRequest *wish = &request->body.trace_subscribe;

    s64 error = check_subscribe(client, wish);
    if (error != 0)
        return error;
    mask_after = sys_trace_mask();
    error = set(wish->mode, wish->set_mask, wish->mask);
    if (error < 0)
        return error;
    subscriber = client;
    flush_ticks = server_ticks(wish->flush_ms);
    next_flush = sys_time() + flush_ticks;
    memset(pushed_packets, 0, sizeof(pushed_packets));
    return REQUEST_DONE;
}

// Moves a CPU's oldest packet from the kernel's buffer into the subscriber's queue: 1, 0 when there
// is none, E_AGAIN when there is no room.
static s64 push_packet(u32 cpu, bool flush)
{
    struct frame frame;
    u32 room;

    if (!client_push_begin(subscriber, &frame, dci_Event_packet_tag))
        return E_AGAIN;
    // The packet is the first field: in a fresh block it then lies at a multiple of 8, and copying
    // is fast.
    u32 mark = frame_open(&frame, dci_TracePacket_data_tag);
    u8 *space = frame_space(&frame, &room);
    s64 bytes = sys_trace_read(cpu, flush, space, room);
    if (bytes <= 0)
        return 0;
    frame_wrote(&frame, (u32)bytes);
    frame_close(&frame, mark);
    frame_varint(&frame, dci_TracePacket_cpu_tag, cpu);
    client_push_end(subscriber, &frame);
    pushed_packets[cpu]++;
    return 1;
}

// Full packets of one CPU; then, to flush, the begun one. Returns as push_packet, 1: there may be
// more.
static s64 push_cpu(u32 cpu, bool flush)
{
    s64 result = 1;

    for (u32 i = 0; i < PACKETS_A_ROUND && result == 1; i++)
        result = push_packet(cpu, false);
    if (result == 0 && flush && push_packet(cpu, true) == E_AGAIN)
        result = E_AGAIN;
    return result;
}

u64 tracing_work(u64 now)
{
    bool more = false;

    if (subscriber == NULL)
        return UINT64_MAX;
    bool flush = flush_ticks != 0 && now >= next_flush;
    if (flush)
        next_flush = now + flush_ticks;
    for (u32 cpu = 0; cpu < server_system.cpu_count; cpu++)
        more |= push_cpu(cpu, flush) == 1;
    return more ? now : now + server_ticks(TRACE_INTERVAL_MS);
}

s64 trace_unsubscribe_begin(struct client *client, const dci_Request *request)
{
    const dci_TraceUnsubscribeRequest *wish = &request->body.trace_unsubscribe;
    struct sys_trace_stat stat;

    if (subscriber != client)
        return client_error(client, E_NOENT, "this client does not take packets");
    s64 error = sys_trace_stat(0, &stat);
    if (error == 0)
        error = sys_trace_set_mask(0);
    if (error < 0)
        return error;
    if (wish->set_mask)
        mask_after = wish->mask;
    client->left = (u32)stat.subbuffers + 1;
    return REQUEST_GOES_ON;
}

static s64 end_subscription(struct client *client)
{
    subscriber = NULL;
    reply_stat(client, dci_Response_trace_unsubscribe_tag, mask_after);
    s64 error = sys_trace_set_mask(mask_after);
    return error < 0 ? error : REQUEST_REPLIED;
}

// With the mask at 0 each CPU has at most its sub-buffers; `left` makes sure that this ends.
s64 trace_unsubscribe_step(struct client *client)
{
    struct sys_trace_stat stat;

    if (client->cpu == server_system.cpu_count)
        return end_subscription(client);
    s64 result = client->left == 0 ? 0 : push_packet(client->cpu, true);
    if (result == E_AGAIN)
        return REQUEST_WAITS;
    client->left--;
    if (result == 0) {
        client->cpu++;
        client->left = sys_trace_stat(0, &stat) == 0 ? (u32)stat.subbuffers + 1 : 0;
    }
    return REQUEST_GOES_ON;
}

void tracing_release(struct client *client)
{
    if (subscriber != client)
        return;
    subscriber = NULL;
    sys_trace_set_mask(mask_after);
}

// SPDX-License-Identifier: MIT
// The subscription to the trace: packets are pushed to the one subscriber. A full queue leaves
// packets in the kernel's buffers: what gets lost is counted there, once.
#include "tracing.h"

#include "scope.h"
#include "service.h"
#include "tracing_counts.h"
#include "tracing_processes.h"
#include "tracing_settings.h"

#include <orrery/sys.h>
#include <string.h>

#define PACKET_BYTES_MAX 65536

static bool with_kernel; // it takes the kernel's packets
static bool begun;       // its first request is done: a new try of it may set the mode anew
static bool rounds;      // over processes: not while its first or last request is under way
static u64 mask_after, process_mask_after; // to be set when the subscription ends
static u64 flush_ticks, next_flush;        // flush_ticks 0: no flushing

static u32 tracing_owned_by(const struct client *client)
{
    return tracing.subscriber == client;
}

// ---- its begin ---------------------------------------------------------------------------------

static s64 check_subscribe(struct client *client, const dci_TraceSubscribeRequest *wish)
{
    struct sys_trace_stat stat;

    if (wish->flush_ms != 0 && (wish->flush_ms < FLUSH_MS_MIN || wish->flush_ms > FLUSH_MS_MAX))
        return client_error(client, E_INVAL, "flush_ms must be 0 or %d…%d", FLUSH_MS_MIN,
                            FLUSH_MS_MAX);
    if (tracing.subscriber != NULL)
        return client_error(client, E_BUSY, "client %u takes the packets",
                            (unsigned)tracing.subscriber->number);
    s64 error = trace_mode_check(client, wish->mode);
    if (error == 0)
        error = sys_trace_stat(0, &stat);
    if (error == 0 && stat.subbuffer_bytes > PACKET_BYTES_MAX)
        return client_error(client, E_LIMIT, "packets are longer than %d bytes", PACKET_BYTES_MAX);
    return error;
}

static s64 trace_subscribe_begin(struct client *client, const dci_Request *request)
{
    const dci_TraceSubscribeRequest *wish = &request->body.trace_subscribe;

    s64 error = check_subscribe(client, wish);
    if (error == 0)
        error = scope_begin(client, wish->scope, wish->pid);
    if (error != 0)
        return error;
    mask_after = sys_trace_mask();
    process_mask_after = trace_process_mask();
    trace_settings_begin(client, wish->mode, wish->set_mask, wish->mask);
    tracing.subscriber = client;
    begun = rounds = false;
    with_kernel = wish->scope != dci_Scope_SCOPE_PROCESS || wish->pid == 0;
    trace_processes_begin(wish->scope, wish->pid);
    flush_ticks = server_ticks(wish->flush_ms);
    next_flush = sys_time() + flush_ticks;
    memset(tracing.pushed_packets, 0, sizeof(tracing.pushed_packets));
    return REQUEST_GOES_ON;
}

static s64 trace_subscribe_step(struct client *client)
{
    s64 result = trace_settings_step(client);

    if (result < 0)
        tracing.subscriber = NULL;
    begun = rounds = result == REQUEST_DONE;
    return result;
}

// ---- packets -----------------------------------------------------------------------------------

// Moves a CPU's oldest packet from the kernel's buffer into the subscriber's queue: 1, 0 when there
// is none, E_AGAIN when there is no room, or no memory for now.
static s64 push_packet(u32 cpu, bool flush)
{
    struct frame frame;
    u32 room;

    if (!client_push_begin(tracing.subscriber, &frame, dci_Event_packet_tag))
        return E_AGAIN;
    // The packet is the first field: in a fresh block it then lies at a multiple of 8, and copying
    // is fast.
    u32 mark = frame_open(&frame, dci_TracePacket_data_tag);
    u8 *space = frame_space(&frame, &room);
    s64 bytes = sys_trace_read(cpu, flush, space, room);
    if (bytes <= 0)
        return bytes == E_NOMEM ? E_AGAIN : bytes;
    frame_wrote(&frame, (u32)bytes);
    frame_close(&frame, mark);
    frame_varint(&frame, dci_TracePacket_cpu_tag, cpu);
    client_push_end(tracing.subscriber, &frame);
    tracing.pushed_packets[cpu]++;
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

static u64 tracing_work(u64 now)
{
    bool more = false;

    if (tracing.subscriber == NULL)
        return trace_processes_work(NULL, now, false);
    bool flush = flush_ticks != 0 && now >= next_flush;
    if (flush)
        next_flush = now + flush_ticks;
    for (u32 cpu = 0; cpu < server_system.cpu_count && with_kernel && begun; cpu++)
        more |= push_cpu(cpu, flush) == 1;
    u64 next = !rounds ? UINT64_MAX : trace_processes_work(tracing.subscriber, now, flush);
    u64 own = more ? now : now + server_ticks(TRACE_INTERVAL_MS);
    return next < own ? next : own;
}

// ---- its end -----------------------------------------------------------------------------------

enum end_phase { END_ROUND, END_MASKS, END_KERNEL, END_PROCESSES, END_COUNTS, END_MASKS_BACK };

static s64 begin_phase(struct client *client, enum end_phase phase)
{
    struct sys_trace_stat stat;

    client_end_round(client);
    client->phase = phase;
    client->cpu = 0;
    client->left = sys_trace_stat(0, &stat) == 0 ? (u32)stat.subbuffers + 1 : 0;
    scope_begin(client, trace_processes_scope(), trace_processes_pid());
    if (phase == END_PROCESSES)
        trace_processes_end_begin();
    return REQUEST_GOES_ON;
}

static s64 trace_unsubscribe_begin(struct client *client, const dci_Request *request)
{
    const dci_TraceUnsubscribeRequest *wish = &request->body.trace_unsubscribe;

    if (tracing.subscriber != client)
        return client_error(client, E_NOENT, "this client does not take packets");
    if (wish->set_mask) {
        mask_after = wish->mask;
        process_mask_after = wish->process_mask;
    }
    trace_settings_begin(client, dci_TraceMode_TRACE_MODE_KEEP, true, 0);
    rounds = false;
    return begin_phase(client, END_ROUND);
}

// With the mask at 0 each CPU has at most its sub-buffers; `left` makes sure that this ends.
static s64 drain_kernel_step(struct client *client)
{
    struct sys_trace_stat stat;

    if (client->cpu == server_system.cpu_count || !with_kernel)
        return REQUEST_DONE;
    s64 result = client->left == 0 ? 0 : push_packet(client->cpu, true);
    if (result < 0)
        return result == E_AGAIN ? REQUEST_WAITS : result;
    client->left--;
    if (result == 0) {
        client->cpu++;
        client->left = sys_trace_stat(0, &stat) == 0 ? (u32)stat.subbuffers + 1 : 0;
    }
    return REQUEST_GOES_ON;
}

// The counts are the last answer but for one empty one, which follows when all is as it was.
static s64 end_step(struct client *client)
{
    switch ((enum end_phase)client->phase) {
    case END_ROUND: // the one under way
        return trace_processes_end_step(client);
    case END_MASKS:
        return trace_settings_step(client);
    case END_KERNEL:
        return drain_kernel_step(client);
    case END_PROCESSES:
        return trace_processes_end_step(client);
    case END_COUNTS: {
        s64 result =
            trace_counts_step(client, dci_Response_trace_unsubscribe_tag, mask_after, true);
        return result == REQUEST_REPLIED ? REQUEST_DONE : result;
    }
    case END_MASKS_BACK:
        return trace_settings_step(client);
    }
    return REQUEST_DONE;
}

static s64 reply_end(struct client *client)
{
    struct frame frame;

    client_frame_begin(client, &frame, dci_Response_trace_unsubscribe_tag);
    frame_varint(&frame, dci_TraceStatReply_mask_tag, mask_after);
    client_frame_end(client, &frame, false);
    return REQUEST_REPLIED;
}

static s64 trace_unsubscribe_step(struct client *client)
{
    s64 result = end_step(client);

    if (result != REQUEST_DONE && result >= 0)
        return result;
    if (client->phase == END_COUNTS) {
        tracing.subscriber = NULL;
        trace_settings_begin(client, dci_TraceMode_TRACE_MODE_KEEP, true, mask_after);
        client->process_mask = process_mask_after;
    }
    if (result >= 0 && client->phase != END_MASKS_BACK)
        return begin_phase(client, client->phase + 1);
    tracing.subscriber = NULL;
    return result < 0 ? result : reply_end(client);
}

static void tracing_release(struct client *client)
{
    if (tracing.subscriber != client)
        return;
    tracing.subscriber = NULL;
    if (with_kernel)
        sys_trace_set_mask(mask_after);
    trace_processes_release(process_mask_after);
}

static const struct request_kind kinds[] = {
    REQUEST(trace_subscribe, dci_Role_ROLE_CONTROLLER, trace_subscribe_begin, trace_subscribe_step),
    REQUEST(trace_unsubscribe, dci_Role_ROLE_CONTROLLER, trace_unsubscribe_begin,
            trace_unsubscribe_step),
};

const struct service tracing_service = {.kinds = kinds,
                                        .kind_count = ARRAY_SIZE(kinds),
                                        .work = tracing_work,
                                        .release = tracing_release,
                                        .held_by = tracing_owned_by};

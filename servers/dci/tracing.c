// SPDX-License-Identifier: MIT
// Requests about tracing, and the pushing of packets to the one subscriber. A full queue leaves
// packets in the kernel's buffers: what gets lost is counted there, once.
#include "ask.h"
#include "requests.h"
#include "scope.h"
#include "tracing_processes.h"

#include <orrery/monitor.h>
#include <orrery/sys.h>
#include <string.h>

#define PACKET_BYTES_MAX 65536
#define EVENTS_A_FRAME 256

static struct client *subscriber;
static bool with_kernel; // it takes the kernel's packets
static bool begun;       // its first request is done: a new try of it may set the mode anew
static bool rounds;      // over processes: not while its first or last request is under way
static u64 mask_after, process_mask_after; // to be set when the subscription ends
static u64 flush_ticks, next_flush;        // flush_ticks 0: no flushing
static u64 pushed_packets[ORRERY_MAX_CPUS];

bool tracing_owned_by(const struct client *client)
{
    return subscriber == client;
}

// ---- settings and lists ------------------------------------------------------------------------

// What processes begin with.
static u64 process_mask(void)
{
    s64 mask = sys_trace_process_mask();
    return mask < 0 ? 0 : (u64)mask;
}

static void add_stat(struct frame *frame, u32 pid, u32 cpu, const struct sys_trace_stat *stat)
{
    dci_TraceStat to = {
        .cpu = cpu,
        .events = stat->events,
        .discarded = stat->discarded,
        .overwritten = stat->overwritten,
        .packets = stat->packets,
        .subbuffers = stat->subbuffers,
        .subbuffer_bytes = stat->subbuffer_bytes,
        .mode = (dci_TraceMode)stat->mode,
        .pushed_packets = pid == 0 ? pushed_packets[cpu] : 0,
        .pid = pid,
    };
    frame_record(frame, dci_TraceStatReply_cpus_tag, dci_TraceStat_fields, &to);
}

static void add_kernel_stat(struct frame *frame)
{
    struct sys_trace_stat stat;

    for (u32 cpu = 0; cpu < server_system.cpu_count; cpu++)
        if (sys_trace_stat(cpu, &stat) == 0)
            add_stat(frame, 0, cpu, &stat);
}

// One buffer of the list's process: 1 when it may have more, 0 at the end or when it has none, or an
// error.
static s64 add_process_stat(struct client *client, struct frame *frame)
{
    const u64 arguments[4] = {client->cpu};
    struct answer answer;

    s64 result = client->cpu == server_system.cpu_count
                     ? 0
                     : ask(client, client->pid, MONITOR_TRACE_STAT, arguments, &answer);
    if (result == sizeof(struct sys_trace_stat))
        add_stat(frame, client->pid, client->cpu, (const struct sys_trace_stat *)answer.bytes);
    else if (result < 0 && result != E_NOENT)
        return result;
    return client->cpu++ < server_system.cpu_count;
}

static void add_stuck(struct frame *frame, u32 pid, s64 error)
{
    dci_StuckProcess stuck = {.pid = pid, .error = (s32)error};

    if (scope_failure(error))
        frame_record(frame, dci_TraceStatReply_stuck_tag, dci_StuckProcess_fields, &stuck);
}

// A part of the counts that client->scope asks for, a frame each. Returns as a step; the last frame is
// sent with `more` as given.
static s64 stat_step(struct client *client, u32 body, u64 mask, bool more_follows)
{
    struct frame frame;
    s64 result = 0;

    client_frame_begin(client, &frame, body);
    frame_varint(&frame, dci_TraceStatReply_mask_tag, mask);
    frame_varint(&frame, dci_TraceStatReply_process_mask_tag, process_mask());
    frame_varint(&frame, dci_TraceStatReply_subscribed_tag, subscriber != NULL);
    if (client->pid == 0)
        add_kernel_stat(&frame);
    else
        result = add_process_stat(client, &frame);
    if (result == E_AGAIN)
        return REQUEST_WAITS;
    add_stuck(&frame, client->pid, result);
    bool more = true;
    if (result <= 0) {
        client->cpu = 0;
        more = scope_next(client);
    }
    client_frame_end(client, &frame, more || more_follows);
    return more ? REQUEST_GOES_ON : REQUEST_REPLIED;
}

s64 trace_stat_begin(struct client *client, const dci_Request *request)
{
    const dci_TraceStatRequest *wish = &request->body.trace_stat;
    s64 error = scope_begin(client, wish->scope, wish->pid);
    return error != 0 ? error : REQUEST_GOES_ON;
}

s64 trace_stat_step(struct client *client)
{
    return stat_step(client, dci_Response_trace_stat_tag, sys_trace_mask(), false);
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

// With all, also what processes begin with.
static s64 set_kernel(const struct client *client)
{
    s64 error = set(client->mode, client->set_mask, client->mask);

    if (error == 0 && client->set_mask && client->scope == dci_Scope_SCOPE_ALL)
        error = sys_trace_set_process_mask(client->process_mask);
    return error;
}

// Sets mode and mask of the list's process.
static s64 set_process(struct client *client)
{
    const u64 arguments[4] = {client->set_mask ? client->process_mask : process_mask(),
                              (u64)client->mode};
    struct answer answer;

    if (client->pid == 0)
        return set_kernel(client);
    s64 result = ask(client, client->pid, MONITOR_TRACE_MASK, arguments, &answer);
    // Of many processes some end, and some are stuck.
    return result < 0 && result != E_AGAIN && client->scope == dci_Scope_SCOPE_ALL ? 0 : result;
}

// One process a call: REQUEST_DONE after the last.
static s64 set_step(struct client *client)
{
    s64 result = set_process(client);

    if (result == E_AGAIN)
        return REQUEST_WAITS;
    if (result < 0)
        return result;
    return scope_next(client) ? REQUEST_GOES_ON : REQUEST_DONE;
}

static void set_later(struct client *client, dci_TraceMode mode, bool set_mask, u64 mask)
{
    client->mode = mode;
    client->set_mask = set_mask;
    client->mask = client->process_mask = mask;
}

s64 trace_set_begin(struct client *client, const dci_Request *request)
{
    const dci_TraceSetRequest *wish = &request->body.trace_set;

    s64 error = check_mode(client, wish->mode);
    if (error == 0)
        error = scope_begin(client, wish->scope, wish->pid);
    if (error != 0)
        return error;
    set_later(client, wish->mode, wish->set_mask, wish->mask);
    return REQUEST_GOES_ON;
}

s64 trace_set_step(struct client *client)
{
    return set_step(client);
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
    if (error == 0)
        error = scope_begin(client, wish->scope, wish->pid);
    if (error != 0)
        return error;
    mask_after = sys_trace_mask();
    process_mask_after = process_mask();
    set_later(client, wish->mode, wish->set_mask, wish->mask);
    subscriber = client;
    begun = rounds = false;
    with_kernel = wish->scope != dci_Scope_SCOPE_PROCESS || wish->pid == 0;
    trace_processes_begin(wish->scope, wish->pid);
    flush_ticks = server_ticks(wish->flush_ms);
    next_flush = sys_time() + flush_ticks;
    memset(pushed_packets, 0, sizeof(pushed_packets));
    return REQUEST_GOES_ON;
}

s64 trace_subscribe_step(struct client *client)
{
    s64 result = set_step(client);

    if (result < 0)
        subscriber = NULL;
    begun = rounds = result == REQUEST_DONE;
    return result;
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
        return trace_processes_work(NULL, now, false);
    bool flush = flush_ticks != 0 && now >= next_flush;
    if (flush)
        next_flush = now + flush_ticks;
    for (u32 cpu = 0; cpu < server_system.cpu_count && with_kernel && begun; cpu++)
        more |= push_cpu(cpu, flush) == 1;
    u64 next = !rounds ? UINT64_MAX : trace_processes_work(subscriber, now, flush);
    u64 own = more ? now : now + server_ticks(TRACE_INTERVAL_MS);
    return next < own ? next : own;
}

// ---- its end -----------------------------------------------------------------------------------

enum end_phase { END_ROUND, END_MASKS, END_KERNEL, END_PROCESSES, END_COUNTS, END_MASKS_BACK };

static s64 begin_phase(struct client *client, enum end_phase phase)
{
    struct sys_trace_stat stat;

    client->phase = phase;
    client->cpu = 0;
    client->left = sys_trace_stat(0, &stat) == 0 ? (u32)stat.subbuffers + 1 : 0;
    scope_begin(client, trace_processes_scope(), trace_processes_pid());
    if (phase == END_PROCESSES)
        trace_processes_end_begin();
    return REQUEST_GOES_ON;
}

s64 trace_unsubscribe_begin(struct client *client, const dci_Request *request)
{
    const dci_TraceUnsubscribeRequest *wish = &request->body.trace_unsubscribe;

    if (subscriber != client)
        return client_error(client, E_NOENT, "this client does not take packets");
    if (wish->set_mask) {
        mask_after = wish->mask;
        process_mask_after = wish->process_mask;
    }
    set_later(client, dci_TraceMode_TRACE_MODE_KEEP, true, 0);
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
    if (result == E_AGAIN)
        return REQUEST_WAITS;
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
        return set_step(client);
    case END_KERNEL:
        return drain_kernel_step(client);
    case END_PROCESSES:
        return trace_processes_end_step(client);
    case END_COUNTS: {
        s64 result = stat_step(client, dci_Response_trace_unsubscribe_tag, mask_after, true);
        return result == REQUEST_REPLIED ? REQUEST_DONE : result;
    }
    case END_MASKS_BACK:
        return set_step(client);
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

s64 trace_unsubscribe_step(struct client *client)
{
    s64 result = end_step(client);

    if (result != REQUEST_DONE && result >= 0)
        return result;
    if (client->phase == END_COUNTS) {
        subscriber = NULL;
        set_later(client, dci_TraceMode_TRACE_MODE_KEEP, true, mask_after);
        client->process_mask = process_mask_after;
    }
    if (result >= 0 && client->phase != END_MASKS_BACK)
        return begin_phase(client, client->phase + 1);
    subscriber = NULL;
    return result < 0 ? result : reply_end(client);
}

void tracing_release(struct client *client)
{
    if (subscriber != client)
        return;
    subscriber = NULL;
    if (with_kernel)
        sys_trace_set_mask(mask_after);
    trace_processes_release(process_mask_after);
}

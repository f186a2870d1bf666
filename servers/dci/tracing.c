// SPDX-License-Identifier: MIT
// The subscription to the trace. Packets are pushed to the one subscriber. While its queue is full
// they stay in the kernel's buffers, which count what is lost, once. A subscription ends in phases.
// They are the steps of the subscriber's request, or of nobody's if another client displaces it.
#include "tracing.h"

#include "scope.h"
#include "service.h"
#include "tracing_left_out.h"
#include "tracing_processes.h"
#include "tracing_settings.h"

#include <orrery/sys.h>
#include <string.h>

#define PACKET_BYTES_MAX 65536
#define USUAL_SUBBUFFERS 64

struct tracing tracing = {
    .shared = {.missed_tag = dci_Event_trace_missed_tag, .ended_tag = dci_Event_trace_ended_tag}};
static struct shared_session *const shared = &tracing.shared;

static dci_TraceSubscribeRequest asked;
static dci_TraceSubscribeRequest request_of_successor;
static u64 began;
static bool with_kernel; // the subscription takes the kernel's packets
static bool rounds;      // over processes; false while the first or the last request is under way
static u64 mask_after, process_mask_after; // masks to set when the subscription ends
static dci_TraceMode mode_after;           // likewise; KEEP if the subscription has set none
static u64 flush_ticks, next_flush;        // flush_ticks 0: no flushing
static u64 quiet_ticks;                    // between two looks while no packet gets full
static u64 busy_until;                     // time
static u64 give_up;                        // time until which a displaced subscriber may make room

enum end_phase { END_ROUND, END_MASKS, END_KERNEL, END_PROCESSES, END_COUNTS, END_MASKS_BACK };

// The end that is under way, by the subscriber's request or for another client. The second may
// begin during the first: then the request fails.
static struct {
    enum end_phase phase;
    struct walk walk;
    struct trace_setting setting;
    u32 cpu;  // of END_KERNEL
    u32 left; // packets that this CPU may still have
} end;

static bool taken; // the kernel gives packets to this process only

// Gives the packets back if nobody here takes them any more, or is about to.
static void release_packets(void)
{
    if (!taken || !shared_is_idle(shared))
        return;
    taken = false;
    sys_trace_take(false);
}

static s64 take_packets(struct client *client)
{
    s64 error = taken ? 0 : sys_trace_take(true);

    taken |= error == 0;
    return error == 0 ? 0
                      : client_error(client, error, "a program in the machine records the trace");
}

static u32 tracing_owned_by(const struct client *client)
{
    return shared->owner.client == client;
}

// ---- what members are told ---------------------------------------------------------------------

void tracing_add_began(struct frame *frame)
{
    shared_frame(frame, dci_Event_trace_began_tag);
    frame_varint(frame, dci_TraceBegan_time_tag, began);
    frame_record(frame, dci_TraceBegan_owner_tag, dci_SharingClient_fields, &shared->name);
    frame_record(frame, dci_TraceBegan_start_tag, dci_TraceSubscribeRequest_fields, &asked);
    frame_varint(frame, dci_TraceBegan_mask_tag, sys_trace_mask());
    frame_varint(frame, dci_TraceBegan_process_mask_tag, trace_process_mask());
    frame_varint(frame, dci_TraceBegan_pushed_tag, shared->pushed);
}

static void tell_end_alone(void)
{
    struct frame frame;

    shared_frame(&frame, dci_Event_trace_ended_tag);
    shared_tell_end(shared, &frame, false);
}

// ---- claims ------------------------------------------------------------------------------------

s64 tracing_claim(struct client *client, bool yielding)
{
    const struct client *other = shared_claim(shared, client, yielding);

    if (other == NULL)
        return 0;
    return client_error(client, E_BUSY, "client %u takes the packets", (unsigned)other->number);
}

void tracing_unclaim(const struct client *client)
{
    shared_unclaim(shared, client);
    release_packets();
}

// ---- its begin ---------------------------------------------------------------------------------

static s64 check_subscribe(struct client *client, const dci_TraceSubscribeRequest *body)
{
    struct sys_trace_stat stat;

    if (body->flush_ms != 0 && (body->flush_ms < FLUSH_MS_MIN || body->flush_ms > FLUSH_MS_MAX))
        return client_error(client, E_INVAL, "flush_ms must be 0 or %d…%d", FLUSH_MS_MIN,
                            FLUSH_MS_MAX);
    s64 error = trace_check(client);
    if (error == 0)
        error = trace_mode_check(client, body->mode);
    if (error == 0)
        error = sys_trace_stat(0, &stat);
    if (error == 0 && stat.subbuffer_bytes > PACKET_BYTES_MAX)
        return client_error(client, E_LIMIT, "packets are longer than %d bytes", PACKET_BYTES_MAX);
    return error;
}

// Returns the mode to come back to, however the subscription ends: the flight recorder goes on.
static dci_TraceMode mode_before(dci_TraceMode body)
{
    struct sys_trace_stat stat;

    if (body == dci_TraceMode_TRACE_MODE_KEEP || sys_trace_stat(0, &stat) != 0)
        return dci_TraceMode_TRACE_MODE_KEEP;
    return stat.mode == SYS_TRACE_OVERWRITE ? dci_TraceMode_TRACE_MODE_OVERWRITE
                                            : dci_TraceMode_TRACE_MODE_DISCARD;
}

// Returns for how long a ring without a full packet can be left alone: in proportion to its room,
// and for TRACE_INTERVAL_MS_MAX if it has the usual one.
static u64 quiet_interval(void)
{
    struct sys_trace_stat stat;
    u64 ms = TRACE_INTERVAL_MS;

    if (sys_trace_stat(0, &stat) == 0)
        ms = stat.subbuffers * TRACE_INTERVAL_MS_MAX / USUAL_SUBBUFFERS;
    ms = ms < TRACE_INTERVAL_MS_MAX ? ms : TRACE_INTERVAL_MS_MAX;
    return server_ticks(ms > TRACE_INTERVAL_MS ? (u32)ms : TRACE_INTERVAL_MS);
}

static void subscribe(struct client *client, const dci_TraceSubscribeRequest *body)
{
    shared_start(shared, client, body->yielding, (struct forms){0});
    asked = *body;
    began = sys_time();
    mask_after = sys_trace_mask();
    process_mask_after = trace_process_mask();
    mode_after = mode_before(body->mode);
    rounds = false;
    with_kernel = body->scope != dci_Scope_SCOPE_PROCESS || body->pid == 0;
    trace_processes_begin(body->scope, body->pid);
    if (body->leave_out_monitor && body->scope != dci_Scope_SCOPE_PROCESS)
        trace_left_out_begin();
    flush_ticks = server_ticks(body->flush_ms);
    next_flush = sys_time() + flush_ticks;
    quiet_ticks = quiet_interval();
    busy_until = 0;
    memset(tracing.pushed_packets, 0, sizeof(tracing.pushed_packets));
}

static s64 trace_subscribe_begin(struct client *client, const dci_Request *request)
{
    const dci_TraceSubscribeRequest *body = &request->body.trace_subscribe;

    s64 error = check_subscribe(client, body);
    if (error == 0)
        error = scope_begin(client, body->scope, body->pid);
    if (error == 0)
        error = take_packets(client);
    if (error == 0)
        error = tracing_claim(client, body->yielding);
    if (error != 0) {
        release_packets();
        return error;
    }
    trace_settings_begin(client, body->mode, body->set_mask, body->mask);
    if (shared->successor == client)
        request_of_successor = *body;
    else
        subscribe(client, body);
    return REQUEST_GOES_ON;
}

static s64 reply_subscribe(struct client *client)
{
    struct frame frame;

    tracing_add_began(&frame);
    shared_started(shared, &frame);
    client_frame_begin(client, &frame, 0);
    shared_add_displaced(shared, &frame);
    trace_left_out_add(&frame);
    client_frame_end(client, &frame, false);
    return REQUEST_REPLIED;
}

static s64 trace_subscribe_step(struct client *client)
{
    if (!tracing_is_free(client))
        return REQUEST_WAITS;
    if (shared->successor == client)
        subscribe(client, &request_of_successor);
    s64 result = trace_settings_step(client);
    if (result < 0) {
        trace_left_out_end();
        shared_end(shared);
        release_packets();
    }
    if (result != REQUEST_DONE)
        return result;
    rounds = true;
    if (with_kernel)
        sys_trace_state(); // if memory is short, the trace has no state_end
    return reply_subscribe(client);
}

// ---- packets -----------------------------------------------------------------------------------

// Returns true if the subscriber may miss a packet: it is displaced and does not read.
static bool may_miss(void)
{
    const struct client *subscriber = shared->owner.client;

    return shared->displacing &&
           (subscriber == NULL || subscriber->closing || sys_time() >= give_up);
}

bool tracing_packet_begin(struct frame *frame)
{
    return shared_push_begin(shared, frame, dci_Event_packet_tag, FORM_SINGLE, may_miss());
}

void tracing_packet_end(struct frame *frame)
{
    shared_push_end(shared, frame, 1, FORM_SINGLE);
    shared->pushed++;
}

// Moves a CPU's oldest packet from the kernel's buffer into the subscriber's queue. Returns 1, 0 if
// there is none, or E_AGAIN if there is no room, or no memory now.
static s64 push_packet(u32 cpu, bool flush)
{
    struct frame frame;
    u32 room;

    if (!tracing_packet_begin(&frame))
        return E_AGAIN;
    // The packet is the first field. So in a fresh block it lies at a multiple of 8, and copying is
    // fast.
    u32 mark = frame_open(&frame, dci_TracePacket_data_tag);
    u8 *space = frame_space(&frame, &room);
    s64 bytes = sys_trace_read(cpu, flush, space, room);
    if (bytes <= 0)
        return bytes == E_NOMEM ? E_AGAIN : bytes;
    frame_wrote(&frame, (u32)bytes);
    frame_close(&frame, mark);
    frame_varint(&frame, dci_TracePacket_cpu_tag, cpu);
    tracing_packet_end(&frame);
    tracing.pushed_packets[cpu]++;
    return 1;
}

// Pushes the full packets of one CPU, and to flush also the begun one. Returns 1 if there may be
// more, else as push_packet.
static s64 push_cpu(u32 cpu, bool flush, u64 now)
{
    s64 result = push_packet(cpu, false);

    if (result != 0) // a full one, or no room for it
        busy_until = now + server_ticks(TRACE_BUSY_MS);
    for (u32 i = 1; i < PACKETS_A_ROUND && result == 1; i++)
        result = push_packet(cpu, false);
    if (result == 0 && flush && push_packet(cpu, true) == E_AGAIN)
        result = E_AGAIN;
    return result;
}

// ---- its end -----------------------------------------------------------------------------------

// Returns the most packets that a CPU can have when it logs nothing more.
static u32 packets_left(void)
{
    struct sys_trace_stat stat;
    return sys_trace_stat(0, &stat) == 0 ? (u32)stat.subbuffers + 1 : 0;
}

static s64 begin_phase(enum end_phase phase)
{
    walk_end(&end.walk);
    end.walk = trace_processes_scope();
    end.phase = phase;
    end.cpu = 0;
    end.left = packets_left();
    if (phase == END_PROCESSES)
        trace_processes_end_begin();
    return REQUEST_GOES_ON;
}

static s64 begin_end(void)
{
    end.setting = (struct trace_setting){.mode = dci_TraceMode_TRACE_MODE_KEEP, .set_mask = true};
    rounds = false;
    if (with_kernel)
        sys_trace_waits(); // what has begun to wait meanwhile; without memory it is not told
    return begin_phase(END_ROUND);
}

static s64 trace_unsubscribe_begin(struct client *client, const dci_Request *request)
{
    const dci_TraceUnsubscribeRequest *body = &request->body.trace_unsubscribe;

    if (shared->owner.client != client || shared->displacing)
        return client_error(client, E_NOENT, "this client does not take packets");
    if (body->set_mask) {
        mask_after = body->mask;
        process_mask_after = body->process_mask;
    }
    return begin_end();
}

// Pushes one packet of the kernel. With the mask at 0 a CPU has at most its sub-buffers; `left`
// makes sure that this ends.
static s64 drain_kernel_step(void)
{
    if (end.cpu == server_system.cpu_count || !with_kernel)
        return REQUEST_DONE;
    s64 result = end.left == 0 ? 0 : push_packet(end.cpu, true);
    if (result < 0)
        return result == E_AGAIN ? REQUEST_WAITS : result;
    end.left--;
    if (result == 0) {
        end.cpu++;
        end.left = packets_left();
    }
    return REQUEST_GOES_ON;
}

// Tells the counts to everyone. The subscriber gets them in its answers, or is told like members if
// it is displaced.
static s64 counts_step(struct client *client)
{
    struct frame news, frame;

    shared->state = SHARED_TELLING;
    shared_frame(&news, dci_Event_trace_ended_tag);
    u32 mark = frame_open(&news, dci_TraceEnded_stat_tag);
    s64 result = trace_counts_walk(&end.walk, &news, mask_after);
    if (result != REQUEST_GOES_ON && result != REQUEST_REPLIED)
        return result;
    if (!shared->displacing) {
        client_frame_begin(client, &frame, dci_Response_trace_unsubscribe_tag);
        frame_bytes(&frame, news.base + mark, news.used - mark);
        client_frame_end(client, &frame, true);
    }
    frame_close(&news, mark);
    shared_tell_end(shared, &news, result == REQUEST_GOES_ON);
    return result == REQUEST_REPLIED ? REQUEST_DONE : result;
}

// Does a step of the phase. client: the subscriber, or NULL if it is displaced. After the counts
// there is one more answer, without any, once the masks are back.
static s64 end_step(struct client *client)
{
    switch (end.phase) {
    case END_ROUND: // waits for the round under way
        return trace_processes_end_step();
    case END_MASKS:
    case END_MASKS_BACK:
        return trace_settings_walk(client, &end.walk, &end.setting);
    case END_KERNEL:
        return drain_kernel_step();
    case END_PROCESSES:
        return trace_processes_end_step();
    case END_COUNTS:
        return counts_step(client);
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

// Does one step, and goes on to the next phase. Returns REQUEST_DONE after the last one.
static s64 phases_step(struct client *client)
{
    s64 result = end_step(client);

    if (result != REQUEST_DONE)
        return result;
    if (end.phase == END_COUNTS) {
        trace_left_out_end(); // their masks go back, too
        end.setting.mask = mask_after;
        end.setting.process_mask = process_mask_after;
        end.setting.mode = mode_after;
    }
    return end.phase == END_MASKS_BACK ? REQUEST_DONE : begin_phase(end.phase + 1);
}

static s64 trace_unsubscribe_step(struct client *client)
{
    if (shared->displacing)
        return client_error(client, E_NOENT, "another client takes over: trace_ended has the end");
    s64 result = phases_step(client);
    if (result < 0 && end.phase <= END_COUNTS)
        tell_end_alone();
    if (result < 0) {
        walk_end(&end.walk);
        trace_left_out_end();
    }
    if (result < 0 || end.phase == END_MASKS_BACK) {
        shared_end(shared);
        release_packets();
    }
    return result == REQUEST_DONE ? reply_end(client) : result;
}

// ---- an end for another client -----------------------------------------------------------------

bool tracing_is_free(const struct client *client)
{
    // A subscription is not displaced before it has begun, nor once its own end is being told.
    if (shared_displace(shared, client)) {
        give_up = sys_time() + server_ticks(DISPLACED_MS);
        begin_end();
    }
    return shared_is_free(shared, client);
}

// Drops the subscription without its end. Masks and modes go back as processes answer.
static void drop_subscription(void)
{
    walk_end(&end.walk);
    trace_left_out_end();
    if (with_kernel && mode_after != dci_TraceMode_TRACE_MODE_KEEP)
        sys_trace_set_mode(trace_kernel_mode(mode_after));
    if (with_kernel)
        sys_trace_set_mask(mask_after);
    trace_processes_release(process_mask_after, mode_after);
}

static void end_displacement(s64 result)
{
    if (result < 0 && end.phase <= END_COUNTS)
        tell_end_alone();
    if (result < 0)
        drop_subscription();
    shared_end(shared);
    release_packets();
}

static u64 displacement_work(u64 now)
{
    s64 result = REQUEST_GOES_ON;

    for (u32 i = 0; i < PACKETS_A_ROUND && result == REQUEST_GOES_ON; i++)
        result = phases_step(NULL);
    if (result == REQUEST_GOES_ON)
        return now;
    if (result == REQUEST_WAITS)
        return now + server_ticks(TRACE_INTERVAL_MS);
    end_displacement(result);
    return now;
}

// ---- turns -------------------------------------------------------------------------------------

// Pushes the kernel's packets. Returns when there may be others.
static u64 kernel_work(u64 now, bool flush)
{
    bool more = false;

    for (u32 cpu = 0; cpu < server_system.cpu_count && with_kernel; cpu++)
        more |= push_cpu(cpu, flush, now) == 1;
    if (more)
        return now;
    return now + (now < busy_until ? server_ticks(TRACE_INTERVAL_MS) : quiet_ticks);
}

static u64 tracing_work(u64 now)
{
    if (shared->displacing)
        return displacement_work(now);
    if (shared->owner.client == NULL)
        return trace_processes_work(now, false);
    bool begun = shared->state != SHARED_STARTING;
    bool flush = flush_ticks != 0 && now >= next_flush;
    if (flush)
        next_flush = now + flush_ticks;
    u64 own = begun ? kernel_work(now, flush) : now + server_ticks(TRACE_INTERVAL_MS);
    if (flush_ticks != 0 && next_flush < own)
        own = next_flush;
    u64 next = !rounds ? UINT64_MAX : trace_processes_work(now, flush);
    return next < own ? next : own;
}

static void tracing_release(struct client *client)
{
    if (shared_lose(shared, client)) {
        if (shared->state != SHARED_STARTING)
            tell_end_alone();
        drop_subscription();
        shared_end(shared);
    }
    release_packets();
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

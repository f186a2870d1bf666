// SPDX-License-Identifier: MIT
// Requests about sampling, and the pushing of samples to the client that owns the session. A full
// queue leaves the samples in the kernel's buffers, where what gets lost is counted.
#include "sampling_request.h"
#include "service.h"

#include <orrery/sys.h>
#include <string.h>

#define SAMPLE_BYTES_MAX (sizeof(struct sys_sample) + SYS_CALLERS_MAX * sizeof(u64))

static struct client *owner; // NULL: nobody samples through us
static s64 session;          // the running or the last one; 0: none yet
// What was asked for, with the periods as they have been changed since.
static dci_SampledEvent events[SYS_SAMPLING_EVENTS];
static u32 event_count;
static bool precise;
static u64 due;                                        // when to look at the buffers again
static u64 interval;                                   // ms from one look to the next
static bool cut[ORRERY_MAX_CPUS][SYS_SAMPLING_EVENTS]; // more samples than were asked for

// Whose samples are pushed: those of `pids`, all when there are none, but never those of `except`.
static struct {
    u32 pids[FILTER_PIDS_MAX], except[FILTER_PIDS_MAX];
    u32 pid_count, except_count;
} filter;
static u64 filtered[ORRERY_MAX_CPUS][SYS_SAMPLING_EVENTS];

static u32 sampling_owned_by(const struct client *client)
{
    return owner == client;
}

static void set_filter(const dci_SamplingStartRequest *start)
{
    filter.pid_count = start->pids_count;
    filter.except_count = start->except_pids_count;
    memcpy(filter.pids, start->pids, sizeof(filter.pids));
    memcpy(filter.except, start->except_pids, sizeof(filter.except));
    memset(filtered, 0, sizeof(filtered));
}

static bool is_among(u32 pid, const u32 *pids, u32 count)
{
    for (u32 i = 0; i < count; i++)
        if (pids[i] == pid)
            return true;
    return false;
}

static bool is_wanted(u32 pid)
{
    return (filter.pid_count == 0 || is_among(pid, filter.pids, filter.pid_count)) &&
           !is_among(pid, filter.except, filter.except_count);
}

// ---- start and change --------------------------------------------------------------------------

static s64 sampling_start_begin(struct client *client, const dci_Request *request)
{
    const dci_SamplingStartRequest *start = &request->body.sampling_start;
    struct sys_sampling sampling;
    char message[sizeof(client->message)] = "";

    s64 result = sampling_request_check(client, start);
    if (result != 0)
        return result;
    if (owner != NULL)
        return client_error(client, E_BUSY, "client %u samples already", (unsigned)owner->number);
    sampling_request_fill(&sampling, start);
    result = sys_sampling_start(&sampling, message, sizeof(message));
    if (result < 0)
        return client_error(client, result, "%s", sampling_refusal(result, message));
    owner = client;
    session = result;
    event_count = start->events_count;
    memcpy(events, start->events, event_count * sizeof(events[0]));
    precise = start->precise;
    due = 0;
    interval = SAMPLING_INTERVAL_MS;
    memset(cut, 0, sizeof(cut));
    set_filter(start);
    dci_SamplingStartReply reply = {.session = (u64)session, .time = sys_time()};
    client_reply(client, dci_Response_sampling_start_tag, dci_SamplingStartReply_fields, &reply);
    return REQUEST_REPLIED;
}

// Room for the news comes first: what is changed must be told to who adds the samples up.
static s64 sampling_change_begin(struct client *client, const dci_Request *request)
{
    const dci_SamplingChangeRequest *change = &request->body.sampling_change;
    struct frame frame;

    if (owner == NULL)
        return client_error(client, E_NOENT, "nobody samples");
    if (change->index >= event_count)
        return client_error(client, E_INVAL, "the session has %u events", (unsigned)event_count);
    s64 error =
        sampling_period_check(client, change->index, change->period, change->randomise, precise);
    if (error != 0)
        return error;
    if (!client_push_begin(owner, &frame, dci_Event_sampling_changed_tag))
        return client_error(client, E_AGAIN, "the client that samples does not read");
    error = sys_sampling_change(session, change->index, change->period, change->randomise);
    if (error < 0)
        return error; // the frame is not ended: as if it had never been begun
    dci_SamplingChanged changed = {
        .index = change->index,
        .period = change->period,
        .randomise = change->randomise,
        .time = sys_time(),
    };
    events[change->index].period = change->period;
    events[change->index].randomise = change->randomise;
    frame_message(&frame, dci_SamplingChanged_fields, &changed);
    client_push_end(owner, &frame);
    return REQUEST_DONE;
}

// ---- samples -----------------------------------------------------------------------------------

static void add_sample(struct frame *frame, const struct sys_sample *sample)
{
    u32 mark = frame_open(frame, dci_Samples_samples_tag);

    frame_fixed64(frame, dci_Sample_time_tag, sample->time);
    frame_varint(frame, dci_Sample_coid_tag, sample->coid);
    frame_fixed64(frame, dci_Sample_pc_tag, sample->pc);
    frame_varint(frame, dci_Sample_flags_tag, sample->flags);
    frame_varint(frame, dci_Sample_thread_tag, sample->thread);
    frame_varint(frame, dci_Sample_pid_tag, sample->pid);
    frame_varint(frame, dci_Sample_event_tag, sample->event);
    frame_packed_fixed64(frame, dci_Sample_callers_tag, sample->callers, sample->caller_count);
    frame_close(frame, mark);
}

static dci_SamplingTurns turns_of(const struct sys_sampling_stat *stat)
{
    return (dci_SamplingTurns){
        .measured = stat->measured, .total = stat->total, .turns = stat->turns};
}

// What is said of a stream with each batch.
static void add_account(struct frame *frame, u32 cpu, u32 index)
{
    struct sys_sampling_stat stat;

    if (sys_sampling_stat(session, cpu, index, &stat) != 0)
        return;
    frame_varint(frame, dci_Samples_lost_tag, stat.lost);
    if (stat.total == 0)
        return;
    dci_SamplingTurns turns = turns_of(&stat);
    frame_record(frame, dci_Samples_turns_tag, dci_SamplingTurns_fields, &turns);
}

// The samples that are wanted, of those in server_records: how many.
static u32 add_samples(struct frame *frame, u32 cpu, u32 index, u64 bytes)
{
    u32 added = 0;

    for (u64 at = 0; at < bytes;) {
        const struct sys_sample *sample = (const struct sys_sample *)(server_records + at);
        at += sys_sample_bytes(sample);
        if (!is_wanted(sample->pid)) {
            filtered[cpu][index]++;
            continue;
        }
        add_sample(frame, sample);
        added++;
    }
    return added;
}

// Pushes what an event's buffer on a CPU holds, at most a frame. The bytes of the samples, 0 when
// it was empty, or E_AGAIN, no room. There are more when it was `cut`.
static s64 push_batch(u32 cpu, u32 index)
{
    u64 room = cut[cpu][index] ? sizeof(server_records) : SAMPLES_BYTES_FEW;
    struct frame frame;

    if (!client_push_begin(owner, &frame, dci_Event_samples_tag))
        return E_AGAIN;
    s64 bytes = sys_sampling_read(session, cpu, index, server_records, room);
    cut[cpu][index] = bytes > 0 && room - (u64)bytes < SAMPLE_BYTES_MAX;
    if (bytes <= 0)
        return 0;
    frame_varint(&frame, dci_Samples_cpu_tag, cpu);
    frame_varint(&frame, dci_Samples_index_tag, index);
    add_account(&frame, cpu, index);
    // A frame that is begun and not ended is as if it had never been.
    if (add_samples(&frame, cpu, index, (u64)bytes) != 0)
        client_push_end(owner, &frame);
    return bytes;
}

// Buffers are numbered CPU by CPU.
static u32 stream_count(void)
{
    return (u32)server_system.cpu_count * event_count;
}

// Pushes a batch of each buffer. The bytes of the largest; *more: a buffer holds more.
static u64 push_all(bool *more)
{
    u64 most = 0;

    *more = false;
    for (u32 stream = 0; stream < stream_count(); stream++) {
        u32 cpu = stream / event_count, index = stream % event_count;
        s64 bytes = push_batch(cpu, index);
        if (bytes == E_AGAIN)
            break;
        most = (u64)bytes > most ? (u64)bytes : most;
        *more |= cut[cpu][index];
    }
    return most;
}

// Not at every round of the server's loop: there is one as long as there is something to send, so
// that the sampling of the sending itself would go on for ever, a sample a frame. Where samples are
// few, they wait longer for each other: a look takes as long with one as with many.
static u64 sampling_work(u64 now)
{
    bool more;

    if (owner == NULL)
        return UINT64_MAX;
    if (now < due)
        return due;
    u64 most = push_all(&more);
    interval = most > SAMPLES_BYTES_FEW / 4              ? SAMPLING_INTERVAL_MS
               : 2 * interval < SAMPLING_INTERVAL_MS_MAX ? 2 * interval
                                                         : SAMPLING_INTERVAL_MS_MAX;
    due = more ? now : now + server_ticks(interval);
    return due;
}

// ---- statistics and the end --------------------------------------------------------------------

static void add_stat(struct frame *frame, u32 cpu, u32 index)
{
    struct sys_sampling_stat stat;

    if (sys_sampling_stat(session, cpu, index, &stat) != 0)
        return;
    dci_SamplingStat to = {
        .cpu = cpu,
        .index = index,
        .taken = stat.taken,
        .lost = stat.lost,
        .attributed = stat.attributed,
        .unattributed = stat.unattributed,
        .stale = stat.stale,
        .idle = stat.idle,
        .buffer_bytes = stat.buffer_bytes,
        .buffer_grown = stat.buffer_grown,
        .ticks_in_handler = stat.ticks_in_handler,
        .missed = stat.missed,
        .filtered = filtered[cpu][index],
        .overflows = stat.overflows,
        .has_turns = stat.total != 0,
        .turns = turns_of(&stat),
    };
    frame_record(frame, dci_SamplingStatReply_cpus_tag, dci_SamplingStat_fields, &to);
}

static s64 reply_stat(struct client *client, u32 body)
{
    struct frame frame;

    client_frame_begin(client, &frame, body);
    frame_varint(&frame, dci_SamplingStatReply_session_tag, (u64)session);
    for (u32 stream = 0; stream < stream_count(); stream++)
        add_stat(&frame, stream / event_count, stream % event_count);
    for (u32 index = 0; index < event_count; index++)
        frame_record(&frame, dci_SamplingStatReply_events_tag, dci_SampledEvent_fields,
                     &events[index]);
    frame_varint(&frame, dci_SamplingStatReply_running_tag, owner != NULL);
    client_frame_end(client, &frame, false);
    return REQUEST_REPLIED;
}

static s64 sampling_stat_begin(struct client *client, const dci_Request *request)
{
    (void)request;
    if (session == 0)
        return client_error(client, E_NOENT, "nothing has been sampled yet");
    return reply_stat(client, dci_Response_sampling_stat_tag);
}

static s64 sampling_stop_begin(struct client *client, const dci_Request *request)
{
    (void)request;
    if (owner != client)
        return client_error(client, E_NOENT, "this client does not sample");
    s64 error = sys_sampling_stop(session);
    return error < 0 ? error : REQUEST_GOES_ON;
}

static s64 sampling_stop_step(struct client *client)
{
    if (client->cpu == stream_count()) {
        owner = NULL;
        return reply_stat(client, dci_Response_sampling_stop_tag);
    }
    s64 result = push_batch(client->cpu / event_count, client->cpu % event_count);
    if (result == 0)
        client->cpu++;
    return result == E_AGAIN ? REQUEST_WAITS : REQUEST_GOES_ON;
}

static void sampling_release(struct client *client)
{
    if (owner != client)
        return;
    sys_sampling_stop(session);
    owner = NULL;
}

static const struct request_kind kinds[] = {
    REQUEST(sampling_start, dci_Role_ROLE_CONTROLLER, sampling_start_begin, NULL),
    REQUEST(sampling_stop, dci_Role_ROLE_CONTROLLER, sampling_stop_begin, sampling_stop_step),
    REQUEST(sampling_stat, dci_Role_ROLE_OBSERVER, sampling_stat_begin, NULL),
    REQUEST(sampling_change, dci_Role_ROLE_CONTROLLER, sampling_change_begin, NULL),
};

const struct service sampling_service = {.kinds = kinds,
                                         .kind_count = ARRAY_SIZE(kinds),
                                         .work = sampling_work,
                                         .release = sampling_release,
                                         .held_by = sampling_owned_by};

// SPDX-License-Identifier: MIT
// Requests about sampling, and the pushing of samples to the client that owns the session. A full
// queue leaves the samples in the kernel's buffers, where what gets lost is counted.
#include "requests.h"

#include <orrery/sys.h>
#include <string.h>

#define CALLERS_MAX 16
#define RANDOMISE_MAX 16

static struct client *owner; // NULL: nobody samples through us
static s64 session;          // the running or the last one; 0: none yet

// Whose samples are pushed: those of `pids`, all when there are none, but never those of `except`.
static struct {
    u32 pids[FILTER_PIDS_MAX], except[FILTER_PIDS_MAX];
    u32 pid_count, except_count;
} filter;
static u64 filtered[ORRERY_MAX_CPUS];

bool sampling_owned_by(const struct client *client)
{
    return owner == client;
}

static s64 check_start(struct client *client, const dci_SamplingStartRequest *start)
{
    if (start->event != dci_PmuEvent_PMU_EVENT_CYCLES)
        return client_error(client, E_INVAL, "event %u is not known", (unsigned)start->event);
    if (start->callers > CALLERS_MAX)
        return client_error(client, E_INVAL, "callers must be 0…%d", CALLERS_MAX);
    if (start->period < SYS_PERIOD_MIN || start->period > SYS_PERIOD_MAX)
        return client_error(client, E_INVAL, "period must be %d…%d", SYS_PERIOD_MIN,
                            SYS_PERIOD_MAX);
    if (start->randomise > RANDOMISE_MAX || (1UL << start->randomise) >= start->period)
        return client_error(client, E_INVAL,
                            "randomise must be 0…%d, and 2^randomise below the period",
                            RANDOMISE_MAX);
    if (start->cpu_mask >> server_system.cpu_count != 0)
        return client_error(client, E_INVAL, "cpu_mask names CPUs beyond the %u there are",
                            (unsigned)server_system.cpu_count);
    if (owner != NULL)
        return client_error(client, E_BUSY, "client %u samples already", (unsigned)owner->number);
    return 0;
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

s64 sampling_start_begin(struct client *client, const dci_Request *request)
{
    const dci_SamplingStartRequest *start = &request->body.sampling_start;

    s64 result = check_start(client, start);
    if (result != 0)
        return result;
    struct sys_sampling sampling = {
        .event = SYS_PMU_CYCLES,
        .callers = start->callers,
        .period = start->period,
        .randomise = start->randomise,
        .cpu_mask = start->cpu_mask,
    };
    result = sys_sampling_start(&sampling);
    if (result < 0)
        return result;
    owner = client;
    session = result;
    set_filter(start);
    dci_SamplingStartReply reply = {.session = (u64)session};
    client_reply(client, dci_Response_sampling_start_tag, dci_SamplingStartReply_fields, &reply);
    return REQUEST_REPLIED;
}

static void add_sample(struct frame *frame, const struct sys_sample *sample)
{
    dci_Sample to = {
        .time = sample->time,
        .coid = sample->coid,
        .pc = sample->pc,
        .flags = sample->flags,
        .thread = sample->thread,
        .pid = sample->pid,
        .event = (dci_PmuEvent)sample->event,
    };

    for (u32 i = 0; i < sample->caller_count && i < CALLERS_MAX; i++)
        to.callers[to.callers_count++] = sample->callers[i];
    frame_record(frame, dci_Samples_samples_tag, dci_Sample_fields, &to);
}

static u64 lost_on(u32 cpu)
{
    struct sys_sampling_stat stat;
    return sys_sampling_stat(session, cpu, &stat) == 0 ? stat.lost : 0;
}

// The samples that are wanted, of those in server_records: how many.
static u32 add_samples(struct frame *frame, u32 cpu, u64 bytes)
{
    u32 added = 0;

    for (u64 at = 0; at < bytes;) {
        const struct sys_sample *sample = (const struct sys_sample *)(server_records + at);
        at += sample->record_bytes;
        if (!is_wanted(sample->pid)) {
            filtered[cpu]++;
            continue;
        }
        add_sample(frame, sample);
        added++;
    }
    return added;
}

// Pushes what one CPU's buffer holds, at most a frame: 1 pushed, 0 it was empty, E_AGAIN no room.
static s64 push_batch(u32 cpu)
{
    struct frame frame;

    if (!client_push_begin(owner, &frame, dci_Event_samples_tag))
        return E_AGAIN;
    s64 bytes = sys_sampling_read(session, cpu, server_records, sizeof(server_records));
    if (bytes <= 0)
        return 0;
    frame_varint(&frame, dci_Samples_cpu_tag, cpu);
    frame_varint(&frame, dci_Samples_lost_tag, lost_on(cpu));
    if (add_samples(&frame, cpu, (u64)bytes) == 0)
        return 1; // the frame was begun and is not ended: as if it had never been
    client_push_end(owner, &frame);
    return 1;
}

u64 sampling_work(u64 now)
{
    if (owner == NULL)
        return UINT64_MAX;
    for (u32 cpu = 0; cpu < server_system.cpu_count; cpu++)
        if (push_batch(cpu) == E_AGAIN)
            break;
    return now + server_ticks(SAMPLING_INTERVAL_MS);
}

static void add_cpu(struct frame *frame, u32 cpu)
{
    struct sys_sampling_stat stat;

    if (sys_sampling_stat(session, cpu, &stat) != 0)
        return;
    dci_SamplingStat to = {
        .cpu = cpu,
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
        .filtered = filtered[cpu],
    };
    frame_record(frame, dci_SamplingStatReply_cpus_tag, dci_SamplingStat_fields, &to);
}

static s64 reply_stat(struct client *client, u32 body)
{
    struct frame frame;

    client_frame_begin(client, &frame, body);
    frame_varint(&frame, dci_SamplingStatReply_session_tag, (u64)session);
    for (u32 cpu = 0; cpu < server_system.cpu_count; cpu++)
        add_cpu(&frame, cpu);
    client_frame_end(client, &frame, false);
    return REQUEST_REPLIED;
}

s64 sampling_stat_begin(struct client *client, const dci_Request *request)
{
    (void)request;
    if (session == 0)
        return client_error(client, E_NOENT, "nothing has been sampled yet");
    return reply_stat(client, dci_Response_sampling_stat_tag);
}

s64 sampling_stop_begin(struct client *client, const dci_Request *request)
{
    (void)request;
    if (owner != client)
        return client_error(client, E_NOENT, "this client does not sample");
    s64 error = sys_sampling_stop(session);
    return error < 0 ? error : REQUEST_GOES_ON;
}

s64 sampling_stop_step(struct client *client)
{
    if (client->cpu == server_system.cpu_count) {
        owner = NULL;
        return reply_stat(client, dci_Response_sampling_stop_tag);
    }
    s64 result = push_batch(client->cpu);
    if (result == 0)
        client->cpu++;
    return result == E_AGAIN ? REQUEST_WAITS : REQUEST_GOES_ON;
}

void sampling_release(struct client *client)
{
    if (owner != client)
        return;
    sys_sampling_stop(session);
    owner = NULL;
}

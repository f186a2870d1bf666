// SPDX-License-Identifier: MIT
// Requests about counting hardware events. One session at a time, of the client that started it;
// its counts stay readable when it has ended.
#include "count_mode.h"
#include "exclusion.h"
#include "service.h"

#include <orrery/pmu.h>
#include <orrery/sys.h>
#include <string.h>
#include <user/answers.h>

#define EVENTS_MAX 256 // in one frame
#define FLAGS (SYS_PMU_BY_PROCESS | SYS_PMU_BY_THREAD)

_Static_assert(dci_CountFlags_COUNT_BY_PROCESS == SYS_PMU_BY_PROCESS &&
                   dci_CountFlags_COUNT_BY_THREAD == SYS_PMU_BY_THREAD,
               "flags are passed on");
_Static_assert(dci_CountTaskFlags_COUNT_TASK_ENDED == SYS_PMU_TASK_ENDED &&
                   dci_CountTaskFlags_COUNT_TASK_IDLE == SYS_PMU_TASK_IDLE &&
                   dci_CountTaskFlags_COUNT_TASK_OTHERS == SYS_PMU_TASK_OTHERS,
               "and those of tasks");

static struct client *owner; // NULL: nobody counts through us
static s64 session;          // the running or the last one; 0: none yet
static u32 item_count;       // of that session
static u32 cpu_mask;         // never 0
static bool by_task;

static u32 counting_owned_by(const struct client *client)
{
    return owner == client;
}

static void add_event(struct frame *frame, const struct sys_pmu_event *event)
{
    dci_PmuEventInfo to = {
        .event = event->event, .modelled = event->modelled != 0, .counters = event->counters};

    memcpy(to.name, event->name, sizeof(to.name) - 1);
    memcpy(to.unit, event->unit, sizeof(to.unit) - 1);
    memcpy(to.meaning, event->meaning, sizeof(to.meaning) - 1);
    frame_record(frame, dci_PmuEventsReply_events_tag, dci_PmuEventInfo_fields, &to);
}

static s64 pmu_events_step(struct client *client)
{
    struct sys_pmu_event event;
    struct frame frame;
    s64 error = 0;

    client_frame_begin(client, &frame, dci_Response_pmu_events_tag);
    for (u32 i = 0; i < EVENTS_MAX && error == 0; i++) {
        error = sys_pmu_event_get(i, &event);
        if (error == 0)
            add_event(&frame, &event);
    }
    if (error != 0 && error != E_NOENT)
        return error;
    client_frame_end(client, &frame, false);
    return REQUEST_REPLIED;
}

static s64 check_sets(struct client *client, const dci_CountStartRequest *start)
{
    if (start->shares_count == 0)
        return client_error(client, E_INVAL, "there is no set");
    for (u32 i = 0; i < start->shares_count; i++)
        if (start->shares[i] == 0 || start->shares[i] > SYS_PMU_SHARE_MAX)
            return client_error(client, E_INVAL, "shares must be 1…%d", SYS_PMU_SHARE_MAX);
    return 0;
}

static s64 check_items(struct client *client, const dci_CountStartRequest *start)
{
    if (start->items_count == 0)
        return client_error(client, E_INVAL, "there is no event to count");
    for (u32 i = 0; i < start->items_count; i++) {
        if (start->items[i].set >= start->shares_count)
            return client_error(client, E_INVAL, "item %u is in a set that is not there",
                                (unsigned)i);
        if (start->items[i].mode > _dci_CountMode_MAX)
            return client_error(client, E_INVAL, "item %u: mode %u is not known", (unsigned)i,
                                (unsigned)start->items[i].mode);
    }
    return 0;
}

static s64 check_start(struct client *client, const dci_CountStartRequest *start)
{
    s64 error = check_sets(client, start);
    error = error ? error : check_items(client, start);
    if (error != 0)
        return error;
    if (start->cpu_mask >> server_system.cpu_count != 0)
        return client_error(client, E_INVAL, "cpu_mask names CPUs beyond the %u there are",
                            (unsigned)server_system.cpu_count);
    if (start->slice != 0 && (start->slice < SYS_PMU_SLICE_MIN || start->slice > SYS_PMU_SLICE_MAX))
        return client_error(client, E_INVAL, "slice must be 0 or %d…%d", SYS_PMU_SLICE_MIN,
                            SYS_PMU_SLICE_MAX);
    if ((start->flags & ~FLAGS) != 0)
        return client_error(client, E_INVAL, "flags %x are not known", (unsigned)start->flags);
    if (owner != NULL)
        return client_error(client, E_BUSY, "client %u counts already", (unsigned)owner->number);
    return 0;
}

static void fill_counting(struct sys_pmu_counting *to, const dci_CountStartRequest *start)
{
    *to = (struct sys_pmu_counting){
        .item_count = start->items_count,
        .set_count = start->shares_count,
        .cpu_mask = start->cpu_mask,
        .slice_event = start->slice_event,
        .slice = start->slice,
        .flags = start->flags,
    };
    memcpy(to->shares, start->shares, start->shares_count * sizeof(to->shares[0]));
    for (u32 i = 0; i < start->items_count; i++)
        to->items[i] = (struct sys_pmu_item){
            .event = start->items[i].event,
            .filter = count_mode_filter(start->items[i].mode),
            .set = start->items[i].set,
        };
}

static s64 count_start_begin(struct client *client, const dci_Request *request)
{
    const dci_CountStartRequest *start = &request->body.count_start;
    static struct sys_pmu_counting counting;
    char message[sizeof(client->message)] = "";

    s64 result = check_start(client, start);
    if (result != 0)
        return result;
    fill_counting(&counting, start);
    result = sys_pmu_count_start(&counting, message, sizeof(message));
    if (result < 0)
        return client_error(client, result, "%s", message);
    owner = client;
    session = result;
    item_count = counting.item_count;
    by_task = counting.flags != 0;
    exclusion_session_begin();
    cpu_mask = counting.cpu_mask != 0 ? counting.cpu_mask : (1u << server_system.cpu_count) - 1;
    dci_CountStartReply reply = {.session = (u64)session, .time = sys_time()};
    client_reply(client, dci_Response_count_start_tag, dci_CountStartReply_fields, &reply);
    return REQUEST_REPLIED;
}

static void add_count(struct frame *frame, u32 field, const struct sys_pmu_count *count)
{
    dci_Count to = {
        .count = count->count,
        .measured = count->measured,
        .total = count->total,
        .error = count->error,
        .slices = count->slices,
    };
    frame_record(frame, field, dci_Count_fields, &to);
}

// The next of the session's CPUs, from `cpu` on.
static u32 next_cpu(u32 cpu)
{
    while (cpu < server_system.cpu_count && (cpu_mask >> cpu & 1) == 0)
        cpu++;
    return cpu;
}

static void add_excluded(struct frame *frame)
{
    const u32 *pids;
    u32 count = exclusion_of_session(&pids);

    for (u32 i = 0; i < count; i++)
        frame_varint(frame, dci_CountReply_excluded_tag, pids[i]);
}

// Responds with the counts of the CPU that the client's list is at.
static s64 reply_cpu(struct client *client, u32 body)
{
    static struct sys_pmu_count counts[SYS_PMU_ITEMS];
    struct frame frame;
    u32 cpu = next_cpu(client->cpu);

    u64 time = sys_time();
    s64 error = sys_pmu_count_read(session, cpu, counts, item_count * sizeof(counts[0]));
    if (error < 0)
        return error;
    client->cpu = next_cpu(cpu + 1);
    bool more = client->cpu < server_system.cpu_count;
    client_frame_begin(client, &frame, body);
    frame_varint(&frame, dci_CountReply_session_tag, (u64)session);
    frame_varint(&frame, dci_CountReply_time_tag, time);
    frame_varint(&frame, dci_CountReply_cpu_tag, cpu);
    for (u32 i = 0; i < item_count; i++)
        add_count(&frame, dci_CountReply_counts_tag, &counts[i]);
    add_excluded(&frame);
    client_frame_end(client, &frame, more);
    return more ? REQUEST_GOES_ON : REQUEST_REPLIED;
}

static s64 count_read_begin(struct client *client, const dci_Request *request)
{
    (void)request;
    if (session == 0)
        return client_error(client, E_NOENT, "nothing has been counted yet");
    return REQUEST_GOES_ON;
}

static s64 count_read_step(struct client *client)
{
    return reply_cpu(client, dci_Response_count_read_tag);
}

static s64 count_stop_begin(struct client *client, const dci_Request *request)
{
    (void)request;
    if (owner != client)
        return client_error(client, E_NOENT, "this client does not count");
    // Stale: it has ended by itself, and the reading says why.
    s64 error = sys_pmu_count_stop(session);
    if (error < 0 && error != E_STALE)
        return error;
    owner = NULL;
    return REQUEST_GOES_ON;
}

static s64 count_stop_step(struct client *client)
{
    return reply_cpu(client, dci_Response_count_stop_tag);
}

static s64 count_trace_begin(struct client *client, const dci_Request *request)
{
    if (owner != client)
        return client_error(client, E_NOENT, "this client does not count");
    s64 error = sys_pmu_count_trace(session, request->body.count_trace.majors);
    if (error == E_LIMIT)
        return client_error(client, error,
                            "the trace takes at most %d events, which fit the counters at once",
                            SYS_PMU_TRACED);
    return error;
}

// ---- tasks -------------------------------------------------------------------------------------

static s64 count_tasks_begin(struct client *client, const dci_Request *request)
{
    (void)request;
    if (session == 0)
        return client_error(client, E_NOENT, "nothing has been counted yet");
    if (!by_task)
        return client_error(client, E_INVAL, "the session does not count by process");
    client->cpu = next_cpu(0);
    return REQUEST_GOES_ON;
}

static void add_task(struct frame *frame, const struct sys_pmu_task *task)
{
    dci_CountTask head = {.pid = task->pid, .thread = task->thread, .flags = task->flags};

    answer_text(head.name, task->name, sizeof(head.name));
    u32 mark = frame_open(frame, dci_CountTasksReply_tasks_tag);
    frame_message(frame, dci_CountTask_fields, &head);
    for (u32 i = 0; i < item_count; i++)
        add_count(frame, dci_CountTask_counts_tag, &task->counts[i]);
    frame_close(frame, mark);
}

static void add_tasks(struct frame *frame, u64 bytes)
{
    const struct sys_pmu_task *task;

    for (u64 at = 0; at < bytes; at += task->record_bytes) {
        task = (const struct sys_pmu_task *)(server_records + at);
        add_task(frame, task);
    }
}

// One more part of the tasks of the CPU that the list is at. Large numbers make a count half as
// long again in a frame as it is in memory, hence the part of the room.
static s64 count_tasks_step(struct client *client)
{
    struct frame frame;
    u32 cpu = client->cpu;

    u64 time = sys_time();
    s64 bytes = sys_pmu_count_tasks(session, cpu, &client->cursor, server_records,
                                    sizeof(server_records) / 2);
    if (bytes < 0)
        return bytes;
    if (bytes == 0) {
        client->cpu = next_cpu(cpu + 1);
        client->cursor = 0;
    }
    bool more = client->cpu < server_system.cpu_count;
    client_frame_begin(client, &frame, dci_Response_count_tasks_tag);
    frame_varint(&frame, dci_CountTasksReply_session_tag, (u64)session);
    frame_varint(&frame, dci_CountTasksReply_time_tag, time);
    frame_varint(&frame, dci_CountTasksReply_cpu_tag, cpu);
    add_tasks(&frame, (u64)bytes);
    client_frame_end(client, &frame, more);
    return more ? REQUEST_GOES_ON : REQUEST_REPLIED;
}

static void counting_release(struct client *client)
{
    if (owner != client)
        return;
    sys_pmu_count_stop(session);
    owner = NULL;
}

static const struct request_kind kinds[] = {
    REQUEST(pmu_events, dci_Role_ROLE_OBSERVER, NULL, pmu_events_step),
    REQUEST(count_start, dci_Role_ROLE_CONTROLLER, count_start_begin, NULL),
    REQUEST(count_read, dci_Role_ROLE_OBSERVER, count_read_begin, count_read_step),
    REQUEST(count_stop, dci_Role_ROLE_CONTROLLER, count_stop_begin, count_stop_step),
    REQUEST(count_tasks, dci_Role_ROLE_OBSERVER, count_tasks_begin, count_tasks_step),
    REQUEST(count_trace, dci_Role_ROLE_CONTROLLER, count_trace_begin, NULL),
};

const struct service counting_service = {.kinds = kinds,
                                         .kind_count = ARRAY_SIZE(kinds),
                                         .release = counting_release,
                                         .held_by = counting_owned_by};

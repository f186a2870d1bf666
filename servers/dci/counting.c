// SPDX-License-Identifier: MIT
// Requests about counting hardware events. A session belongs to the client that started it. When it
// has ended its counts stay readable, until another session needs its place.
#include "counting.h"

#include "exclusion.h"
#include "sampling.h"
#include "service.h"
#include "tracing_settings.h"

#include <orrery/utf8.h>
#include <orrery/pmu.h>
#include <orrery/sys.h>
#include <string.h>

#define EVENTS_MAX 256 // events in one frame
#define FLAGS (SYS_PMU_BY_PROCESS | SYS_PMU_BY_THREAD)

_Static_assert(dci_CountFlags_COUNT_BY_PROCESS == SYS_PMU_BY_PROCESS &&
                   dci_CountFlags_COUNT_BY_THREAD == SYS_PMU_BY_THREAD,
               "flags of sessions are passed on");
_Static_assert(dci_CountTaskFlags_COUNT_TASK_ENDED == SYS_PMU_TASK_ENDED &&
                   dci_CountTaskFlags_COUNT_TASK_IDLE == SYS_PMU_TASK_IDLE &&
                   dci_CountTaskFlags_COUNT_TASK_OTHERS == SYS_PMU_TASK_OTHERS,
               "flags of tasks are passed on");

static struct counting {
    struct owner owner; // NULL: it has gone
    bool running;
    s64 number; // 0: the place has no session
    u32 item_count;
    u32 cpu_mask; // never 0
    bool by_task;
    bool displaced; // it yielded, and was ended for another client
} sessions[SYS_PMU_SESSIONS];

// The session whose counts each client reads, and the CPU that is next.
static struct reading {
    s64 session;
    u32 cpu;
} readings[SLOTS_MAX];

static struct counting *find_running(const struct client *owner)
{
    for (u32 i = 0; i < SYS_PMU_SESSIONS; i++)
        if (sessions[i].running && sessions[i].owner.client == owner)
            return &sessions[i];
    return NULL;
}

static struct counting *find_session(s64 number)
{
    for (u32 i = 0; i < SYS_PMU_SESSIONS; i++)
        if (sessions[i].number == number)
            return &sessions[i];
    return NULL;
}

// Returns the latest session of a client, or of anybody (NULL). Returns NULL if there is none.
static const struct counting *find_latest(const struct client *owner)
{
    const struct counting *found = NULL;

    for (u32 i = 0; i < SYS_PMU_SESSIONS; i++)
        if (sessions[i].number != 0 && (owner == NULL || sessions[i].owner.client == owner) &&
            (found == NULL || sessions[i].number > found->number))
            found = &sessions[i];
    return found;
}

// Returns the place of the session that ended first, or NULL if all run.
static struct counting *find_place(void)
{
    struct counting *found = NULL;

    for (u32 i = 0; i < SYS_PMU_SESSIONS; i++)
        if (!sessions[i].running && (found == NULL || sessions[i].number < found->number))
            found = &sessions[i];
    return found;
}

static u32 counting_owned_by(const struct client *client)
{
    return find_running(client) != NULL;
}

u32 count_mode_filter(dci_CountMode mode)
{
    switch (mode) {
    case dci_CountMode_COUNT_MODE_KERNEL:
        return SYS_PMU_KERNEL;
    case dci_CountMode_COUNT_MODE_USER:
        return SYS_PMU_USER;
    default:
        return SYS_PMU_KERNEL | SYS_PMU_USER;
    }
}

bool counting_give_way(const struct client *client)
{
    bool any = false;

    for (u32 i = 0; i < SYS_PMU_SESSIONS; i++) {
        if (!sessions[i].running || !owner_yields_to(&sessions[i].owner, client, false))
            continue;
        sys_pmu_count_stop(sessions[i].number);
        sessions[i].running = false;
        sessions[i].displaced = true;
        any = true;
    }
    return any;
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
    if (find_running(client) != NULL)
        return client_error(client, E_BUSY, "this client counts already");
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
    // The machine says E_BUSY after all else: a request that is wrong displaces nobody.
    result = sys_pmu_count_start(&counting, message, sizeof(message));
    if (result == E_BUSY && !start->yielding && counting_give_way(client))
        result = sys_pmu_count_start(&counting, message, sizeof(message));
    if (result < 0)
        return client_error(client, result, "%s", message);
    u32 everywhere = (1u << server_system.cpu_count) - 1;
    struct counting *place = find_place(); // one is free, as in the machine
    *place = (struct counting){
        .owner = {.client = client, .yielding = start->yielding},
        .running = true,
        .number = result,
        .item_count = counting.item_count,
        .cpu_mask = counting.cpu_mask != 0 ? counting.cpu_mask : everywhere,
        .by_task = counting.flags != 0,
    };
    exclusion_session_begin(result);
    dci_CountStartReply reply = {.session = (u64)result, .time = sys_time()};
    client_reply(client, dci_Response_count_start_tag, dci_CountStartReply_fields, &reply);
    return REQUEST_REPLIED;
}

// Returns a count as if it had gone on all the time; UINT64_MAX: beyond a u64.
static u64 scaled(const struct sys_pmu_count *count)
{
    if (count->measured == 0 || count->measured == count->total)
        return count->count;
    unsigned __int128 product = (unsigned __int128)count->count * count->total;
    product = (product + count->measured / 2) / count->measured;
    return product > UINT64_MAX ? UINT64_MAX : (u64)product;
}

static void add_squares(struct frame *frame, const struct sys_pmu_count *count)
{
    frame_varint(frame, dci_Count_time_squares_tag, count->time_squares.low);
    frame_varint(frame, dci_Count_time_squares_high_tag, count->time_squares.high);
    frame_varint(frame, dci_Count_count_squares_tag, count->count_squares.low);
    frame_varint(frame, dci_Count_count_squares_high_tag, count->count_squares.high);
    frame_varint(frame, dci_Count_products_tag, count->products.low);
    frame_varint(frame, dci_Count_products_high_tag, count->products.high);
}

static void add_count(struct frame *frame, u32 field, const struct sys_pmu_count *count)
{
    bool is_exact = count->measured == count->total && count->slices > 0;
    u32 mark = frame_open(frame, field);

    frame_varint(frame, dci_Count_count_tag, scaled(count));
    frame_varint(frame, dci_Count_measured_tag, count->measured);
    frame_varint(frame, dci_Count_total_tag, count->total);
    frame_varint(frame, dci_Count_error_tag, is_exact ? 0 : UINT64_MAX);
    frame_varint(frame, dci_Count_slices_tag, count->slices);
    frame_varint(frame, dci_Count_counted_tag, count->count);
    add_squares(frame, count);
    frame_close(frame, mark);
}

// Returns the session's next CPU from `cpu` on, or the number of CPUs.
static u32 next_cpu(const struct counting *session, u32 cpu)
{
    while (cpu < server_system.cpu_count && (session->cpu_mask >> cpu & 1) == 0)
        cpu++;
    return cpu;
}

// Begins to read a session's counts, and sets *session. number: of the session; 0: the client's
// latest one, or else the latest of anybody.
static s64 begin_reading(struct client *client, u64 number, const struct counting **session)
{
    *session = number == 0 ? find_latest(client) : find_session((s64)number);
    if (*session == NULL && number == 0)
        *session = find_latest(NULL);
    if (*session == NULL && number == 0)
        return client_error(client, E_NOENT, "nothing has been counted yet");
    if (*session == NULL)
        return client_error(client, E_STALE, "there are no counts of session %lu", number);
    readings[client_slot(client)] =
        (struct reading){.session = (*session)->number, .cpu = next_cpu(*session, 0)};
    return REQUEST_GOES_ON;
}

// Returns the session that the client reads, or NULL, with a message, if another has taken its
// place.
static const struct counting *session_read(struct client *client)
{
    s64 number = readings[client_slot(client)].session;
    const struct counting *session = find_session(number);

    if (session == NULL)
        client_error(client, E_STALE, "the counts of session %ld are gone", (long)number);
    return session;
}

// Responds with the counts of the client's next CPU.
static s64 reply_cpu(struct client *client, u32 body)
{
    static struct sys_pmu_count counts[SYS_PMU_ITEMS];
    const struct counting *session = session_read(client);
    struct frame frame;
    struct reading *reading = &readings[client_slot(client)];
    u32 cpu = reading->cpu;

    if (session == NULL)
        return E_STALE;
    u64 time = sys_time();
    s64 error =
        sys_pmu_count_read(session->number, cpu, counts, session->item_count * sizeof(counts[0]));
    if (error < 0)
        return error;
    reading->cpu = next_cpu(session, cpu + 1);
    bool more = reading->cpu < server_system.cpu_count;
    client_frame_begin(client, &frame, body);
    frame_varint(&frame, dci_CountReply_session_tag, (u64)session->number);
    frame_varint(&frame, dci_CountReply_time_tag, time);
    frame_varint(&frame, dci_CountReply_cpu_tag, cpu);
    for (u32 i = 0; i < session->item_count; i++)
        add_count(&frame, dci_CountReply_counts_tag, &counts[i]);
    exclusion_add(&frame, dci_CountReply_excluded_tag, session->number);
    frame_varint(&frame, dci_CountReply_displaced_tag, session->displaced);
    client_frame_end(client, &frame, more);
    return more ? REQUEST_GOES_ON : REQUEST_REPLIED;
}

static s64 count_read_begin(struct client *client, const dci_Request *request)
{
    const struct counting *session;
    return begin_reading(client, request->body.count_read.session, &session);
}

static s64 count_read_step(struct client *client)
{
    return reply_cpu(client, dci_Response_count_read_tag);
}

static s64 count_stop_begin(struct client *client, const dci_Request *request)
{
    struct counting *session = find_running(client);
    const struct counting *ended = find_latest(client);

    (void)request;
    if (session == NULL && ended != NULL && ended->displaced)
        return begin_reading(client, (u64)ended->number, &ended);
    if (session == NULL)
        return client_error(client, E_NOENT, "this client does not count");
    // E_STALE: it has ended by itself, and the reading says why.
    s64 error = sys_pmu_count_stop(session->number);
    if (error < 0 && error != E_STALE)
        return error;
    session->running = false;
    return begin_reading(client, (u64)session->number, &ended);
}

static s64 count_stop_step(struct client *client)
{
    return reply_cpu(client, dci_Response_count_stop_tag);
}

// Ends the yielding sessions that a session takes turns with, so that it may fit the counters at
// once. Returns true if there was one.
static bool make_room(const struct client *client, const struct counting *session)
{
    if (session->owner.yielding || session->item_count > SYS_PMU_TRACED)
        return false;
    bool counted = counting_give_way(client);
    return sampling_give_way(client) || counted;
}

static s64 count_trace_begin(struct client *client, const dci_Request *request)
{
    const struct counting *session = find_running(client);
    u64 majors = request->body.count_trace.majors;

    if (session == NULL)
        return client_error(client, E_NOENT, "this client does not count");
    s64 error = trace_check(client);
    if (error == 0)
        error = sys_pmu_count_trace(session->number, majors);
    if (error == E_LIMIT && make_room(client, session))
        error = sys_pmu_count_trace(session->number, majors);
    if (error == E_LIMIT)
        return client_error(client, error,
                            "the trace takes at most %d events, which fit the counters at once",
                            SYS_PMU_TRACED);
    if (error == E_BUSY)
        return client_error(client, error, "the counts of another session are in the trace");
    return error;
}

// ---- tasks -------------------------------------------------------------------------------------

static s64 count_tasks_begin(struct client *client, const dci_Request *request)
{
    const struct counting *session;
    s64 result = begin_reading(client, request->body.count_tasks.session, &session);

    if (result >= 0 && !session->by_task)
        return client_error(client, E_INVAL, "the session does not count by process");
    return result;
}

static void add_task(struct frame *frame, const struct sys_pmu_task *task, u32 item_count)
{
    dci_CountTask head = {.pid = task->pid, .thread = task->thread, .flags = task->flags};

    utf8_copy(head.name, task->name, sizeof(head.name));
    u32 mark = frame_open(frame, dci_CountTasksReply_tasks_tag);
    frame_message(frame, dci_CountTask_fields, &head);
    for (u32 i = 0; i < item_count; i++)
        add_count(frame, dci_CountTask_counts_tag, &task->counts[i]);
    frame_close(frame, mark);
}

static void add_tasks(struct frame *frame, u64 bytes, u32 item_count)
{
    const struct sys_pmu_task *task;

    for (u64 at = 0; at < bytes; at += task->record_bytes) {
        task = (const struct sys_pmu_task *)(server_records + at);
        add_task(frame, task, item_count);
    }
}

// Responds with one more part of the tasks of the client's next CPU. It asks for half the room of
// server_records: in a frame a count with large numbers is up to 1.7 times as long as in memory.
static s64 count_tasks_step(struct client *client)
{
    const struct counting *session = session_read(client);
    struct frame frame;
    struct reading *reading = &readings[client_slot(client)];
    u32 cpu = reading->cpu;

    if (session == NULL)
        return E_STALE;
    u64 time = sys_time();
    s64 bytes = sys_pmu_count_tasks(session->number, cpu, &client->walk.cursor, server_records,
                                    sizeof(server_records) / 2);
    if (bytes < 0)
        return bytes;
    if (bytes == 0) {
        reading->cpu = next_cpu(session, cpu + 1);
        client->walk.cursor = 0;
    }
    bool more = reading->cpu < server_system.cpu_count;
    client_frame_begin(client, &frame, dci_Response_count_tasks_tag);
    frame_varint(&frame, dci_CountTasksReply_session_tag, (u64)session->number);
    frame_varint(&frame, dci_CountTasksReply_time_tag, time);
    frame_varint(&frame, dci_CountTasksReply_cpu_tag, cpu);
    add_tasks(&frame, (u64)bytes, session->item_count);
    client_frame_end(client, &frame, more);
    return more ? REQUEST_GOES_ON : REQUEST_REPLIED;
}

static void counting_release(struct client *client)
{
    struct counting *session = find_running(client);

    if (session != NULL) {
        sys_pmu_count_stop(session->number);
        session->running = false;
    }
    for (u32 i = 0; i < SYS_PMU_SESSIONS; i++)
        if (sessions[i].owner.client == client)
            sessions[i].owner.client = NULL;
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

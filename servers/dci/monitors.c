// SPDX-License-Identifier: MIT
// Requests about monitors (orrery/monitors.h). A client's own monitors end with it. Kept ones
// belong to all controllers. Records stay in the machine's rings until a client asks for them. A
// record that finds no room there is lost and counted there.
#include "service.h"

#include <orrery/ipc.h>
#include <orrery/monitors.h>
#include <orrery/sys.h>
#include <string.h>

#define MONITORS_MAX (CLIENTS_MAX * CLIENT_MONITORS_MAX + KEPT_MONITORS_MAX)

struct watch {
    u32 number;            // 0: the slot is free
    struct client *client; // NULL: it is kept
    cap_t monitor;
    u64 bytes;
    dci_MonitorTrack tracks[MONITOR_TRACKS_MAX];
    u32 track_count;
};

static struct watch watches[MONITORS_MAX];
static u32 last_number;

// Returns a monitor that the client may use, or NULL with a message.
static struct watch *find_or_say(struct client *client, u64 number)
{
    for (u32 i = 0; i < MONITORS_MAX && number != 0; i++) {
        bool kept_for = watches[i].client == NULL && client->role >= dci_Role_ROLE_CONTROLLER;
        if (watches[i].number == number && (watches[i].client == client || kept_for))
            return &watches[i];
    }
    client_error(client, E_NOENT, "no monitor %u that this client may use", (unsigned)number);
    return NULL;
}

static void drop(struct watch *watch)
{
    sys_monitor_terminate(watch->monitor);
    sys_cap_drop(watch->monitor);
    *watch = (struct watch){0};
}

// Returns how many monitors a client has. client: NULL for the kept ones.
static u32 monitors_of(const struct client *client)
{
    u32 count = 0;

    for (u32 i = 0; i < MONITORS_MAX; i++)
        count += watches[i].number != 0 && watches[i].client == client;
    return count;
}

static void monitors_release(struct client *client)
{
    for (u32 i = 0; i < MONITORS_MAX; i++)
        if (watches[i].number != 0 && watches[i].client == client)
            drop(&watches[i]);
}

// ---- create and stop ---------------------------------------------------------------------------

static s64 check_create(struct client *client, const dci_MonitorCreateRequest *body)
{
    if (body->kept && client->role < dci_Role_ROLE_CONTROLLER)
        return client_error(client, E_PERM, "only a controller may have a monitor kept");
    if (body->bytes != 0 &&
        (body->bytes < SYS_MONITOR_BYTES_MIN || body->bytes > SYS_MONITOR_BYTES_MAX))
        return client_error(client, E_INVAL, "bytes must be %lu…%lu",
                            (unsigned long)SYS_MONITOR_BYTES_MIN,
                            (unsigned long)SYS_MONITOR_BYTES_MAX);
    if (monitors_of(body->kept ? NULL : client) <
        (body->kept ? KEPT_MONITORS_MAX : CLIENT_MONITORS_MAX))
        return 0;
    return body->kept
               ? client_error(client, E_LIMIT, "%d monitors are kept already", KEPT_MONITORS_MAX)
               : client_error(client, E_LIMIT, "this client has %d monitors already",
                              CLIENT_MONITORS_MAX);
}

static s64 monitor_create_begin(struct client *client, const dci_Request *request)
{
    const dci_MonitorCreateRequest *body = &request->body.monitor_create;
    u64 bytes = body->bytes != 0 ? body->bytes : MONITOR_RING_BYTES;

    s64 error = check_create(client, body);
    if (error != 0)
        return error;
    s64 monitor = sys_monitor_create(&bytes);
    if (monitor == E_LIMIT)
        return client_error(client, E_LIMIT, "the machine has no place for another monitor");
    if (monitor < 0)
        return monitor;
    struct watch *watch = watches; // one is free: there are as many as all limits allow
    while (watch->number != 0)
        watch++;
    *watch = (struct watch){.number = ++last_number,
                            .client = body->kept ? NULL : client,
                            .monitor = (cap_t)monitor,
                            .bytes = bytes};
    dci_MonitorCreateReply reply = {.monitor = watch->number, .bytes = bytes};
    client_reply(client, dci_Response_monitor_create_tag, dci_MonitorCreateReply_fields, &reply);
    return REQUEST_REPLIED;
}

static s64 monitor_stop_begin(struct client *client, const dci_Request *request)
{
    struct watch *watch = find_or_say(client, request->body.monitor_stop.monitor);

    if (watch == NULL)
        return E_NOENT;
    drop(watch);
    return REQUEST_DONE;
}

// ---- track and run -----------------------------------------------------------------------------

// Returns the place where a thread is tracked, or the first free one. Returns NULL if there is
// none.
static dci_MonitorTrack *track_place(struct watch *watch, u32 pid, u32 thread)
{
    for (u32 i = 0; i < watch->track_count; i++)
        if (watch->tracks[i].pid == pid && watch->tracks[i].thread == thread)
            return &watch->tracks[i];
    return watch->track_count < MONITOR_TRACKS_MAX ? &watch->tracks[watch->track_count] : NULL;
}

static s64 untrack(struct watch *watch, dci_MonitorTrack *place,
                   const dci_MonitorTrackRequest *body)
{
    s64 error = sys_monitor_untrack(watch->monitor, body->pid, body->thread);

    if (place == NULL || place == &watch->tracks[watch->track_count])
        return error;
    *place = watch->tracks[--watch->track_count];
    return error == E_NOENT ? 0 : error; // E_NOENT: it has ended
}

static s64 track(struct watch *watch, dci_MonitorTrack *place, const dci_MonitorTrackRequest *body)
{
    s64 error =
        sys_monitor_track_pid(watch->monitor, body->pid, body->thread, body->id, body->kinds);

    if (error != 0)
        return error;
    watch->track_count += place == &watch->tracks[watch->track_count];
    *place = (dci_MonitorTrack){
        .pid = body->pid, .thread = body->thread, .id = body->id, .kinds = body->kinds};
    return 0;
}

static s64 say_track_error(struct client *client, s64 error)
{
    switch (error) {
    case 0:
        return REQUEST_DONE;
    case E_NOENT:
        return client_error(client, error, "no such process or thread");
    case E_INVAL:
        return client_error(client, error, "kinds must be of %#lx", SYS_MONITOR_KINDS_MASK);
    case E_LIMIT:
        return client_error(client, error, "%d monitors track it already", SYS_MONITORS_THREAD);
    default:
        return error;
    }
}

static s64 monitor_track_begin(struct client *client, const dci_Request *request)
{
    const dci_MonitorTrackRequest *body = &request->body.monitor_track;
    struct watch *watch = find_or_say(client, body->monitor);

    if (watch == NULL)
        return E_NOENT;
    dci_MonitorTrack *place = track_place(watch, body->pid, body->thread);
    if (body->kinds == 0)
        return say_track_error(client, untrack(watch, place, body));
    if (place == NULL)
        return client_error(client, E_LIMIT, "it tracks %d processes and threads already",
                            MONITOR_TRACKS_MAX);
    return say_track_error(client, track(watch, place, body));
}

static s64 monitor_run_begin(struct client *client, const dci_Request *request)
{
    struct watch *watch = find_or_say(client, request->body.monitor_run.monitor);
    dci_MonitorRunReply reply = {.time = sys_time()};

    if (watch == NULL)
        return E_NOENT;
    bool on = request->body.monitor_run.on;
    s64 error = on ? sys_monitor_resume(watch->monitor) : sys_monitor_suspend(watch->monitor);
    if (error != 0)
        return error;
    if (!on)
        reply.time = sys_time();
    client_reply(client, dci_Response_monitor_run_tag, dci_MonitorRunReply_fields, &reply);
    return REQUEST_REPLIED;
}

// ---- read --------------------------------------------------------------------------------------

static void add_stat(struct frame *frame, u32 field, const struct sys_monitor_stat *stat)
{
    dci_MonitorStat to = {.fired = stat->fired,
                          .lost = stat->lost,
                          .unread = stat->unread,
                          .cost = stat->cost,
                          .cost_fast = stat->cost_fast};

    frame_record(frame, field, dci_MonitorStat_fields, &to);
}

static void add_records(struct frame *frame, const struct sys_monitor_record *records, u64 count)
{
    for (u64 i = 0; i < count; i++) {
        dci_MonitorRecord to = {
            .time = records[i].time,
            .id = records[i].id,
            .kind = records[i].kind,
            .reason = records[i].reason,
            .lost = records[i].lost,
            .word0 = records[i].word[0],
            .word1 = records[i].word[1],
        };
        frame_record(frame, dci_MonitorReadReply_records_tag, dci_MonitorRecord_fields, &to);
    }
}

// Returns the most frames of a CPU in one request. Later records are left for the next request.
static u32 frames_of(const struct watch *watch)
{
    return (u32)(watch->bytes / MONITOR_READ_BYTES) + 1;
}

// The reading of each client: the monitor's number, the next CPU, and the frames left of it.
static struct reading {
    u32 number, cpu, left;
} readings[SLOTS_MAX];

static s64 monitor_read_begin(struct client *client, const dci_Request *request)
{
    const struct watch *watch = find_or_say(client, request->body.monitor_read.monitor);

    if (watch == NULL)
        return E_NOENT;
    readings[client_slot(client)] =
        (struct reading){.number = watch->number, .left = frames_of(watch)};
    return REQUEST_GOES_ON;
}

static s64 monitor_read_step(struct client *client)
{
    struct reading *reading = &readings[client_slot(client)];
    struct watch *watch = find_or_say(client, reading->number);
    struct sys_monitor_stat stat;
    struct frame frame;
    u32 cpu = reading->cpu;

    if (watch == NULL)
        return E_NOENT; // a kept monitor that was stopped meanwhile
    client_frame_begin(client, &frame, dci_Response_monitor_read_tag);
    s64 bytes = sys_monitor_read(watch->monitor, cpu, (u64)server_records, MONITOR_READ_BYTES);
    s64 error = bytes < 0 ? bytes : sys_monitor_stat(watch->monitor, cpu, &stat);
    if (error < 0)
        return error;
    frame_varint(&frame, dci_MonitorReadReply_cpu_tag, cpu);
    add_records(&frame, (const struct sys_monitor_record *)server_records,
                (u64)bytes / sizeof(struct sys_monitor_record));
    add_stat(&frame, dci_MonitorReadReply_stat_tag, &stat);
    if (bytes < MONITOR_READ_BYTES || --reading->left == 0) {
        reading->cpu++;
        reading->left = frames_of(watch);
    }
    bool more = reading->cpu < server_system.cpu_count;
    client_frame_end(client, &frame, more);
    return more ? REQUEST_GOES_ON : REQUEST_REPLIED;
}

// ---- list --------------------------------------------------------------------------------------

// Returns the next monitor from a place on that the client may see: its own or a kept one. Returns
// MONITORS_MAX if there is none.
static u32 next_seen(const struct client *client, u32 from)
{
    while (from < MONITORS_MAX && (watches[from].number == 0 || (watches[from].client != NULL &&
                                                                 watches[from].client != client)))
        from++;
    return from;
}

static void add_watch(struct frame *frame, const struct watch *watch)
{
    struct sys_monitor_stat stat = {0};
    u32 mark = frame_open(frame, dci_MonitorsReply_monitors_tag);

    frame_varint(frame, dci_Monitor_monitor_tag, watch->number);
    frame_varint(frame, dci_Monitor_kept_tag, watch->client == NULL);
    frame_varint(frame, dci_Monitor_bytes_tag, watch->bytes);
    for (u32 cpu = 0; cpu < server_system.cpu_count; cpu++)
        if (sys_monitor_stat(watch->monitor, cpu, &stat) == 0)
            add_stat(frame, dci_Monitor_cpus_tag, &stat);
    frame_varint(frame, dci_Monitor_running_tag, stat.running);
    for (u32 i = 0; i < watch->track_count; i++)
        frame_record(frame, dci_Monitor_tracks_tag, dci_MonitorTrack_fields, &watch->tracks[i]);
    frame_close(frame, mark);
}

static s64 monitors_begin(struct client *client, const dci_Request *request)
{
    (void)request;
    client->walk.cursor = next_seen(client, 0);
    return REQUEST_GOES_ON;
}

static s64 monitors_step(struct client *client)
{
    struct frame frame;
    u32 at = next_seen(client, (u32)client->walk.cursor);

    client_frame_begin(client, &frame, dci_Response_monitors_tag);
    if (at < MONITORS_MAX)
        add_watch(&frame, &watches[at++]);
    client->walk.cursor = next_seen(client, at);
    bool more = client->walk.cursor < MONITORS_MAX;
    client_frame_end(client, &frame, more);
    return more ? REQUEST_GOES_ON : REQUEST_REPLIED;
}

static const struct request_kind kinds[] = {
    REQUEST(monitor_create, dci_Role_ROLE_OBSERVER, monitor_create_begin, NULL),
    REQUEST(monitor_track, dci_Role_ROLE_OBSERVER, monitor_track_begin, NULL),
    REQUEST(monitor_run, dci_Role_ROLE_OBSERVER, monitor_run_begin, NULL),
    REQUEST(monitor_read, dci_Role_ROLE_OBSERVER, monitor_read_begin, monitor_read_step),
    REQUEST(monitor_stop, dci_Role_ROLE_OBSERVER, monitor_stop_begin, NULL),
    REQUEST(monitors, dci_Role_ROLE_OBSERVER, monitors_begin, monitors_step),
};

const struct service monitors_service = {.kinds = kinds,
                                         .kind_count = ARRAY_SIZE(kinds),
                                         .release = monitors_release,
                                         .held_by = monitors_of};

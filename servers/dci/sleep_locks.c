// SPDX-License-Identifier: MIT
// Requests about sleep locks: the logs of processes' BlockedThreadQueues objects (orrery/monitor.h). One client at a
// time has them on; processes are switched one by one, as they answer.
#include "ask.h"
#include "requests.h"
#include "scope.h"
#include "switching.h"

#include <orrery/monitor.h>
#include <orrery/process.h>
#include <orrery/sys.h>
#include <string.h>

static struct client *owner; // NULL: nobody wants any logging
static u32 wanted_pids[FILTER_PIDS_MAX];
static u32 wanted_count; // 0: all
static coid_t wanted_object;
static s64 object_error; // what its process said to being switched on
static u64 began;

static bool wanted(u32 pid)
{
    if (owner == NULL)
        return false;
    for (u32 i = 0; i < wanted_count; i++)
        if (wanted_pids[i] == pid)
            return true;
    return wanted_count == 0;
}

// All go off before any goes on, so that each log begins anew.
static bool stays(u32 pid)
{
    (void)pid;
    return false;
}

static void log_arguments(u64 arguments[4], bool on)
{
    arguments[0] = on ? wanted_object : 0;
    arguments[1] = on ? SYS_BLOCKED_FRESH : SYS_BLOCKED_OFF;
}

static bool answered(s64 result)
{
    if (wanted_object != 0)
        object_error = result < 0 ? result : 0;
    return result >= 0 || scope_failure(result) || result == E_NOMEM;
}

static struct switched_process logged[LOGGED_PROCESSES_MAX];
static struct switching switching = {
    .operation = MONITOR_BLOCKED_LOG,
    .arguments = log_arguments,
    .wanted = wanted,
    .stays = stays,
    .answered = answered,
    .processes = logged,
    .max = LOGGED_PROCESSES_MAX,
};

u64 sleep_locks_work(u64 now)
{
    return switching_go(&switching) ? UINT64_MAX : now;
}

// ---- switching ---------------------------------------------------------------------------------

static bool process_exists(u32 pid)
{
    struct sys_process_info info;
    u64 cursor = 0;

    while (sys_process_list(&cursor, &info, sizeof(info)) > 0)
        if (info.pid == pid)
            return true;
    return false;
}

static s64 check_wish(struct client *client, const dci_SleepLocksEnableRequest *wish)
{
    if (owner != NULL && owner != client)
        return client_error(client, E_BUSY, "another viewer logs sleep locks");
    if (wish->coid != 0 && wish->pids_count != 1)
        return client_error(client, E_INVAL, "an object needs the one process that it is of");
    for (u32 i = 0; i < wish->pids_count; i++) {
        if (wish->pids[i] == 0)
            return client_error(client, E_INVAL, "the kernel has no sleep locks");
        if (!process_exists(wish->pids[i]))
            return client_error(client, E_NOENT, "no process %u", (unsigned)wish->pids[i]);
    }
    return 0;
}

s64 sleep_locks_enable_begin(struct client *client, const dci_Request *request)
{
    const dci_SleepLocksEnableRequest *wish = &request->body.sleep_locks_enable;

    s64 error = wish->on || owner == client ? check_wish(client, wish) : 0;
    if (error != 0)
        return error;
    if (!wish->on && owner != client)
        return client_error(client, E_NOENT, "no logging of sleep locks to switch off");
    owner = wish->on ? client : NULL;
    wanted_count = wish->pids_count;
    memcpy(wanted_pids, wish->pids, wish->pids_count * sizeof(wanted_pids[0]));
    wanted_object = wish->coid;
    object_error = 0;
    began = sys_time();
    switching_begin(&switching, SWITCHING_OFF);
    return REQUEST_GOES_ON;
}

s64 sleep_locks_enable_step(struct client *client)
{
    if (!switching_go(&switching))
        return REQUEST_WAITS;
    if (owner == client && object_error < 0) {
        sleep_locks_release(client);
        return object_error == E_NOENT
                   ? client_error(client, E_NOENT, "no BlockedThreadQueues object of this COID")
                   : object_error;
    }
    dci_SleepLocksEnableReply reply = {.time = began};
    client_reply(client, dci_Response_sleep_locks_enable_tag, dci_SleepLocksEnableReply_fields,
                 &reply);
    return REQUEST_REPLIED;
}

bool sleep_locks_owned_by(const struct client *client)
{
    return owner == client;
}

void sleep_locks_release(struct client *client)
{
    if (owner != client)
        return;
    owner = NULL;
    switching_begin(&switching, SWITCHING_OFF);
}

// ---- reading -----------------------------------------------------------------------------------

// Processes that have begun meanwhile are logged from now on.
s64 sleep_locks_read_begin(struct client *client, const dci_Request *request)
{
    (void)request;
    if (owner != client)
        return client_error(client, E_NOENT, "this viewer has not enabled the logging");
    if (switching.phase == SWITCHING_IN_LINE && wanted_count == 0)
        switching_begin(&switching, SWITCHING_ON);
    client->processes = 0; // where it is in `logged`
    client->cursor = 0;
    client->left = LOGS_A_PROCESS;
    return REQUEST_GOES_ON;
}

static void add_records(struct frame *frame, const struct sys_blocked_record *records, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        dci_SleepLockRecord record = {
            .time = records[i].time,
            .queue = records[i].queue,
            .thread = records[i].thread,
            .length = records[i].length,
            .operation = (dci_SleepLockOperation)(records[i].operation & 7),
            .lost = records[i].lost,
        };
        frame_record(frame, dci_SleepLockLog_records_tag, dci_SleepLockRecord_fields, &record);
    }
}

// What a process wrote, which may be anything: false when it is no logs.
static bool add_logs(struct frame *frame, const u8 *bytes, u64 count)
{
    while (count > 0) {
        const struct sys_blocked_log *head = (const struct sys_blocked_log *)bytes;
        if (count < sizeof(*head) ||
            (count - sizeof(*head)) / sizeof(struct sys_blocked_record) < head->count)
            return false;
        u32 mark = frame_open(frame, dci_SleepLocksReadReply_objects_tag);
        frame_varint(frame, dci_SleepLockLog_coid_tag, head->coid);
        frame_varint(frame, dci_SleepLockLog_logged_tag, head->logged);
        frame_varint(frame, dci_SleepLockLog_lost_tag, head->lost);
        frame_varint(frame, dci_SleepLockLog_buffer_bytes_tag, head->buffer_bytes);
        add_records(frame, (const struct sys_blocked_record *)(head + 1), head->count);
        frame_close(frame, mark);
        u64 used = sizeof(*head) + head->count * sizeof(struct sys_blocked_record);
        bytes += used;
        count -= used;
    }
    return true;
}

static void add_failure(struct frame *frame, s64 error)
{
    dci_ProcessFailure failure = {.error = (s32)error};

    strcpy(failure.message, error == E_TIMEOUT  ? "stuck: no answer within 1 s"
                            : error == E_NOTSUP ? "does not answer the monitor"
                            : error == E_PEER   ? "has ended: what it logged last is not known"
                            : error == E_NOMEM  ? "has no memory for its logs"
                                                : "answers nonsense");
    frame_record(frame, dci_SleepLocksReadReply_failure_tag, dci_ProcessFailure_fields, &failure);
}

// Goes on with the next process of the list.
static void next_process(struct client *client)
{
    client->processes++;
    client->cursor = 0;
    client->left = LOGS_A_PROCESS;
}

// The process at the list's place has failed for good, or has ended.
static void fail_process(struct client *client, u32 place, s64 error)
{
    bool ended = error == E_NOENT || error == E_PEER || error == E_STALE;

    logged[place].error = (s32)error;
    next_process(client);
    if (ended) {
        switching_forget(&switching, place);
        client->processes--;
    }
}

// One question to a process: E_AGAIN, or what it came to is in the frame.
static s64 read_process(struct client *client, struct frame *frame, u32 place)
{
    const u64 arguments[4] = {client->cursor, LOGS_BYTES_MAX};
    struct answer answer = {0};
    s64 bytes = logged[place].error;
    u32 pid = logged[place].pid;

    if (bytes == 0)
        bytes = ask(client, pid, MONITOR_BLOCKED_READ, arguments, &answer);
    if (bytes == E_AGAIN)
        return E_AGAIN;
    client_frame_begin(client, frame, dci_Response_sleep_locks_read_tag);
    frame_varint(frame, dci_SleepLocksReadReply_pid_tag, pid);
    if (bytes > LOGS_BYTES_MAX || (bytes > 0 && !add_logs(frame, answer.bytes, (u64)bytes)))
        bytes = E_PROTO;
    bool ended = bytes == E_NOENT || bytes == E_STALE;
    if (bytes < 0)
        add_failure(frame, ended ? E_PEER : bytes);
    frame_varint(frame, dci_SleepLocksReadReply_time_tag, sys_time());
    if (bytes < 0)
        fail_process(client, place, bytes);
    else if (bytes == 0 || --client->left == 0)
        next_process(client);
    else
        client->cursor = answer.results[0];
    return 0;
}

s64 sleep_locks_read_step(struct client *client)
{
    struct frame frame;

    if (!switching_go(&switching))
        return REQUEST_WAITS;
    if (client->processes >= switching.count) { // none at all
        client_frame_begin(client, &frame, dci_Response_sleep_locks_read_tag);
        frame_varint(&frame, dci_SleepLocksReadReply_time_tag, sys_time());
        client_frame_end(client, &frame, false);
        return REQUEST_REPLIED;
    }
    if (read_process(client, &frame, (u32)client->processes) == E_AGAIN)
        return REQUEST_WAITS;
    bool more = client->processes < switching.count;
    client_frame_end(client, &frame, more);
    return more ? REQUEST_GOES_ON : REQUEST_REPLIED;
}

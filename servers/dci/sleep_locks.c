// SPDX-License-Identifier: MIT
// Requests about sleep locks: the logs of processes' BlockedThreadQueues objects (orrery/monitor.h). One client at a
// time has them on; processes are switched one by one, as they answer.
#include "ask.h"
#include "requests.h"
#include "scope.h"

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

// Processes that have been switched on, or asked to, since the last time that all were off.
static struct {
    u32 pid;
    s64 error; // it failed, and is not asked any more
} logged[LOGGED_PROCESSES_MAX];
static u32 logged_count;

// Where the bringing in line is: first all that are logged go off, then those that are wanted go on.
static enum { IN_LINE, OFF, ON } phase;
static u64 processes; // ON: the kernel's cursor
static u32 asked_pid; // a question to it is under way, 0: none
static bool asked_on;

static bool wanted(u32 pid)
{
    for (u32 i = 0; i < wanted_count; i++)
        if (wanted_pids[i] == pid)
            return true;
    return wanted_count == 0;
}

static u32 find_logged(u32 pid)
{
    u32 i = 0;

    while (i < logged_count && logged[i].pid != pid)
        i++;
    return i;
}

static void forget_logged(u32 i)
{
    logged[i] = logged[--logged_count];
}

static void go_to(u32 next)
{
    phase = next;
    processes = 0;
}

// ---- bringing in line --------------------------------------------------------------------------

static void note(u32 pid, bool on, s64 result)
{
    u32 i = find_logged(pid);

    if (on && wanted_object != 0)
        object_error = result < 0 ? result : 0;
    if (on && i == logged_count && (result >= 0 || scope_failure(result) || result == E_NOMEM)) {
        logged[logged_count].pid = pid;
        logged[logged_count++].error = result < 0 ? result : 0;
    } else if (!on && i < logged_count) {
        forget_logged(i);
    }
}

// Switches one process; false when its answer is not there yet.
static bool switch_process(u32 pid, bool on)
{
    const u64 arguments[4] = {on ? wanted_object : 0, on ? SYS_BLOCKED_FRESH : SYS_BLOCKED_OFF};
    struct answer answer;

    asked_pid = pid;
    asked_on = on;
    s64 result = ask(&asked_pid, pid, MONITOR_BLOCKED_LOG, arguments, &answer);
    if (result == E_AGAIN)
        return false;
    asked_pid = 0;
    note(pid, on, result);
    return true;
}

// The next process that has to be switched; false when all are in line.
static bool find_next(u32 *pid, bool *on)
{
    struct sys_process_info info;

    *on = phase == ON;
    if (phase == OFF && logged_count > 0) {
        *pid = logged[0].pid;
        return true;
    }
    if (phase == OFF)
        go_to(owner != NULL ? ON : IN_LINE);
    *on = phase == ON;
    while (phase == ON && logged_count < LOGGED_PROCESSES_MAX &&
           sys_process_list(&processes, &info, sizeof(info)) > 0)
        if (wanted(info.pid) && find_logged(info.pid) == logged_count) {
            *pid = info.pid;
            return true;
        }
    phase = IN_LINE;
    return false;
}

// Goes as far as it can: true when all are in line.
static bool bring_in_line(void)
{
    u32 pid = asked_pid;
    bool on = asked_on;

    while (pid != 0 || (phase != IN_LINE && find_next(&pid, &on))) {
        if (!switch_process(pid, on))
            return false;
        pid = 0;
    }
    return true;
}

u64 sleep_locks_work(u64 now)
{
    return bring_in_line() ? UINT64_MAX : now;
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
    go_to(OFF);
    return REQUEST_GOES_ON;
}

s64 sleep_locks_enable_step(struct client *client)
{
    if (!bring_in_line())
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
    go_to(OFF);
}

// ---- reading -----------------------------------------------------------------------------------

// Processes that have begun meanwhile are logged from now on.
s64 sleep_locks_read_begin(struct client *client, const dci_Request *request)
{
    (void)request;
    if (owner != client)
        return client_error(client, E_NOENT, "this viewer has not enabled the logging");
    if (phase == IN_LINE && wanted_count == 0)
        go_to(ON);
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

    logged[place].error = error;
    next_process(client);
    if (ended) {
        forget_logged(place);
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

    if (!bring_in_line())
        return REQUEST_WAITS;
    if (client->processes >= logged_count) { // none at all
        client_frame_begin(client, &frame, dci_Response_sleep_locks_read_tag);
        frame_varint(&frame, dci_SleepLocksReadReply_time_tag, sys_time());
        client_frame_end(client, &frame, false);
        return REQUEST_REPLIED;
    }
    if (read_process(client, &frame, (u32)client->processes) == E_AGAIN)
        return REQUEST_WAITS;
    bool more = client->processes < logged_count;
    client_frame_end(client, &frame, more);
    return more ? REQUEST_GOES_ON : REQUEST_REPLIED;
}

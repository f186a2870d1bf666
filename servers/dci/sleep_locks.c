// SPDX-License-Identifier: MIT
// Requests about sleep locks: the logs of the BlockedThreadQueues objects of processes
// (orrery/inspect.h). One client at a time has them on. Processes are switched as they answer.
#include "round.h"
#include "scope.h"
#include "service.h"
#include "switching.h"

#include <orrery/inspect.h>
#include <orrery/process.h>
#include <orrery/sys.h>
#include <string.h>

static struct client *owner; // NULL: nobody wants any logging
static u32 wanted_pids[FILTER_PIDS_MAX];
static u32 wanted_count; // 0: all processes
static coid_t wanted_object;
static struct failure object_failure; // of switching that object on
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

// No log stays on: all go off before any goes on, so that each begins anew.
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

// Returns false for a process without such objects, or without the wanted one: it is asked again.
static bool told(const struct visit *visit)
{
    if (wanted_object != 0)
        object_failure = visit->failure;
    return visit->failure.error != E_NOENT;
}

static struct switched_process logged[LOGGED_PROCESSES_MAX];
static struct switching switching = {
    .operation = INSPECT_BLOCKED_LOG,
    .arguments = log_arguments,
    .wanted = wanted,
    .stays = stays,
    .told = told,
    .processes = logged,
    .max = LOGGED_PROCESSES_MAX,
};

static u64 sleep_locks_work(u64 now)
{
    return switching_go(&switching) ? UINT64_MAX : now + server_ticks(SWITCHING_RETRY_MS);
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

static s64 check_enable(struct client *client, const dci_SleepLocksEnableRequest *body)
{
    if (owner != NULL && owner != client)
        return client_error(client, E_BUSY, "another viewer logs sleep locks");
    if (body->coid != 0 && body->pids_count != 1)
        return client_error(client, E_INVAL, "an object needs the one process that it is of");
    for (u32 i = 0; i < body->pids_count; i++) {
        if (body->pids[i] == 0)
            return client_error(client, E_INVAL, "the kernel has no sleep locks");
        if (!process_exists(body->pids[i]))
            return client_error(client, E_NOENT, "no process %u", (unsigned)body->pids[i]);
    }
    return 0;
}

static s64 sleep_locks_enable_begin(struct client *client, const dci_Request *request)
{
    const dci_SleepLocksEnableRequest *body = &request->body.sleep_locks_enable;

    s64 error = body->on || owner == client ? check_enable(client, body) : 0;
    if (error != 0)
        return error;
    if (!body->on && owner != client)
        return client_error(client, E_NOENT, "no logging of sleep locks to switch off");
    owner = body->on ? client : NULL;
    wanted_count = body->pids_count;
    memcpy(wanted_pids, body->pids, body->pids_count * sizeof(wanted_pids[0]));
    wanted_object = body->coid;
    object_failure = (struct failure){0};
    began = sys_time();
    switching_begin(&switching, SWITCHING_OFF);
    return REQUEST_GOES_ON;
}

static void sleep_locks_release(struct client *client)
{
    if (owner != client)
        return;
    owner = NULL;
    switching_begin(&switching, SWITCHING_OFF);
}

static s64 sleep_locks_enable_step(struct client *client)
{
    if (!switching_go(&switching))
        return REQUEST_WAITS;
    if (owner == client && object_failure.error != 0) {
        s64 error = object_failure.error;
        sleep_locks_release(client);
        return error == E_NOENT
                   ? client_error(client, E_NOENT, "no BlockedThreadQueues object of this COID")
                   : client_error(client, error, "its process %s", object_failure.text);
    }
    dci_SleepLocksEnableReply reply = {.time = began};
    client_reply(client, dci_Response_sleep_locks_enable_tag, dci_SleepLocksEnableReply_fields,
                 &reply);
    return REQUEST_REPLIED;
}

static u32 sleep_locks_owned_by(const struct client *client)
{
    return owner == client;
}

// ---- reading -----------------------------------------------------------------------------------

// Processes that have started meanwhile are logged from now on.
static s64 sleep_locks_read_begin(struct client *client, const dci_Request *request)
{
    (void)request;
    if (owner != client)
        return client_error(client, E_NOENT, "this viewer has not enabled the logging");
    if (switching.phase == SWITCHING_IN_LINE && wanted_count == 0)
        switching_begin(&switching, SWITCHING_ON);
    client->walk.cursor = 0; // in `logged`: failed processes are told first
    return REQUEST_GOES_ON;
}

// Visits the logged processes that have not failed.
static bool next_logged(struct round *round, struct visit *visit)
{
    while (round->cursor < switching.count) {
        const struct switched_process *process = &logged[round->cursor++];
        visit->pid = process->pid;
        if (process->failure.error == 0)
            return true;
    }
    return false;
}

static u32 ask_logs(const struct round *round, const struct visit *visit, u64 arguments[4],
                    u32 *room)
{
    (void)round;
    *room = LOGS_BYTES_MAX;
    arguments[0] = visit->cursor;
    arguments[1] = *room;
    return INSPECT_BLOCKED_READ;
}

static enum answer_flaw check_logs(struct visit *visit, u64 now)
{
    const struct question *question = visit->question;

    return answer_check_logs(question->bytes, question->answer.status, visit->room, now);
}

// The rest comes with the next reading.
static bool advance_logs(struct visit *visit)
{
    return visit->questions < LOGS_A_PROCESS;
}

static const struct round_kind logs_kind = {.ask = ask_logs,
                                            .check = check_logs,
                                            .advance = advance_logs,
                                            .next = next_logged,
                                            .lists = 1,
                                            .tells_ended = true};

static void add_records(struct frame *frame, const struct sys_blocked_record *records, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        dci_SleepLockRecord record = {
            .time = records[i].time,
            .queue = records[i].queue,
            .thread = records[i].thread,
            .length = records[i].length,
            .operation = (dci_SleepLockOperation)records[i].operation,
            .lost = records[i].lost,
        };
        frame_record(frame, dci_SleepLockLog_records_tag, dci_SleepLockRecord_fields, &record);
    }
}

static void add_logs(struct frame *frame, const struct question *question)
{
    struct answer_bytes answer = {question->bytes, question->count};
    const struct sys_blocked_record *records;
    struct sys_blocked_log log;

    while (answer_next_log(&answer, &log, &records)) {
        u32 mark = frame_open(frame, dci_SleepLocksReadReply_objects_tag);
        frame_varint(frame, dci_SleepLockLog_coid_tag, log.coid);
        frame_varint(frame, dci_SleepLockLog_logged_tag, log.logged);
        frame_varint(frame, dci_SleepLockLog_lost_tag, log.lost);
        frame_varint(frame, dci_SleepLockLog_buffer_bytes_tag, log.buffer_bytes);
        add_records(frame, records, log.count);
        frame_close(frame, mark);
    }
}

static void begin_frame(struct client *client, struct frame *frame, u32 pid, u64 time)
{
    client_frame_begin(client, frame, dci_Response_sleep_locks_read_tag);
    frame_varint(frame, dci_SleepLocksReadReply_pid_tag, pid);
    frame_varint(frame, dci_SleepLocksReadReply_time_tag, time);
}

// Tells of the next process that has failed before. Returns false if there is none.
static bool tell_failed(struct client *client)
{
    struct frame frame;

    while (client->walk.cursor < switching.count) {
        const struct switched_process *process = &logged[client->walk.cursor++];
        if (process->failure.error == 0)
            continue;
        begin_frame(client, &frame, process->pid, sys_time());
        failure_add(&frame, dci_SleepLocksReadReply_failure_tag, &process->failure);
        client_frame_end(client, &frame, true);
        return true;
    }
    return false;
}

// Notes that the process of a visit has failed, or has ended.
static void note_failure(struct visit *visit)
{
    u32 place = 0;
    bool ended = visit->failure.error == E_NOENT;

    if (ended)
        visit->failure = failure_with(E_PEER, "has ended: what it logged last is not known");
    while (place < switching.count && logged[place].pid != visit->pid)
        place++;
    if (place == switching.count)
        return;
    logged[place].failure = visit->failure;
    if (ended)
        switching_remove(&switching, place);
}

static s64 sleep_locks_read_step(struct client *client)
{
    struct frame frame;

    if (!switching_go(&switching))
        return REQUEST_WAITS;
    if (tell_failed(client))
        return REQUEST_GOES_ON;
    if (client->walk.round == NULL)
        client->walk.round = round_begin(&logs_kind, dci_Scope_SCOPE_ALL, 0);
    if (client->walk.round == NULL)
        return E_NOMEM;
    struct visit *visit = round_next(client->walk.round);
    if (visit == NULL && !round_over(client->walk.round))
        return REQUEST_WAITS;
    if (visit == NULL) { // there was no process at all
        begin_frame(client, &frame, 0, sys_time());
        client_frame_end(client, &frame, false);
        return REQUEST_REPLIED;
    }
    if (visit->failure.error != 0)
        note_failure(visit);
    begin_frame(client, &frame, visit->pid, sys_time());
    if (visit->failure.error == 0)
        add_logs(&frame, visit->question);
    else
        failure_add(&frame, dci_SleepLocksReadReply_failure_tag, &visit->failure);
    round_used(client->walk.round, visit);
    bool more = !round_over(client->walk.round);
    client_frame_end(client, &frame, more);
    return more ? REQUEST_GOES_ON : REQUEST_REPLIED;
}

static const struct request_kind kinds[] = {
    REQUEST(sleep_locks_enable, dci_Role_ROLE_CONTROLLER, sleep_locks_enable_begin,
            sleep_locks_enable_step),
    REQUEST(sleep_locks_read, dci_Role_ROLE_CONTROLLER, sleep_locks_read_begin,
            sleep_locks_read_step),
};

const struct service sleep_locks_service = {.kinds = kinds,
                                            .kind_count = ARRAY_SIZE(kinds),
                                            .work = sleep_locks_work,
                                            .release = sleep_locks_release,
                                            .held_by = sleep_locks_owned_by};

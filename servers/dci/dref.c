// SPDX-License-Identifier: MIT
// Requests about DREF counts. What is counted follows from what the clients hold: after each change,
// and before each reading, the kernel and the processes are brought in line, one by one.
#include "ask.h"
#include "requests.h"
#include "scope.h"

#include <orrery/monitor.h>
#include <orrery/sys.h>

static bool kernel_counts;
static s64 kernel_error;                   // of the last switching
static u32 counted[COUNTED_PROCESSES_MAX]; // pids where counting is on
static u32 counted_count;

// Where the bringing in line is: first the processes that are counted, then all there are.
static enum { IN_LINE, COUNTED, ALL } phase;
static u32 place;     // COUNTED: in counted
static u64 processes; // ALL: the kernel's cursor
static u32 asked_pid; // a question to it is under way, 0: none
static bool asked_on;

static bool wanted(u32 pid)
{
    for (u32 i = 0; i < CLIENTS_MAX; i++) {
        const struct client *client = client_at(i);
        if (client == NULL || !client->dref)
            continue;
        if (client->dref_scope == dci_Scope_SCOPE_ALL || client->dref_pid == pid)
            return true;
    }
    return false;
}

static u32 find_counted(u32 pid)
{
    u32 i = 0;

    while (i < counted_count && counted[i] != pid)
        i++;
    return i;
}

static void start_over(void)
{
    bool want = wanted(0);

    phase = COUNTED;
    place = 0;
    processes = 0;
    sys_dref_set_processes(wanted(UINT32_MAX)); // those that are yet to come
    kernel_error = want != kernel_counts ? sys_dref_enable(want) : 0;
    if (kernel_error == 0)
        kernel_counts = want;
}

// ---- bringing in line --------------------------------------------------------------------------

// The question is answered. One that cannot answer is not asked again as long as counting is wanted.
static void note(u32 pid, bool on, s64 result)
{
    u32 i = find_counted(pid);

    if (on && (result >= 0 || scope_failure(result)) && i == counted_count)
        counted[counted_count++] = pid;
    else if (!on && i < counted_count)
        counted[i] = counted[--counted_count];
}

// Switches one process; false when its answer is not there yet.
static bool switch_process(u32 pid, bool on)
{
    const u64 arguments[4] = {on};
    struct answer answer;

    asked_pid = pid;
    asked_on = on;
    s64 result = ask(&asked_pid, pid, MONITOR_DREF_ENABLE, arguments, &answer);
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

    for (; phase == COUNTED && place < counted_count; place++)
        if (!wanted(counted[place])) {
            *pid = counted[place];
            *on = false;
            return true;
        }
    phase = ALL;
    while (counted_count < COUNTED_PROCESSES_MAX &&
           sys_process_list(&processes, &info, sizeof(info)) > 0)
        if (wanted(info.pid) && find_counted(info.pid) == counted_count) {
            *pid = info.pid;
            *on = true;
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

u64 dref_work(u64 now)
{
    return bring_in_line() ? UINT64_MAX : now;
}

// ---- requests ----------------------------------------------------------------------------------

s64 dref_enable_begin(struct client *client, const dci_Request *request)
{
    const dci_DrefEnableRequest *wish = &request->body.dref_enable;

    s64 error = scope_begin(client, wish->scope, wish->pid);
    if (error != 0)
        return error;
    client->dref = wish->on;
    client->dref_scope = wish->scope;
    client->dref_pid = wish->pid;
    start_over();
    return REQUEST_GOES_ON;
}

s64 dref_enable_step(struct client *client)
{
    (void)client;
    if (!bring_in_line())
        return REQUEST_WAITS;
    return kernel_error < 0 ? kernel_error : REQUEST_DONE;
}

void dref_release(struct client *client)
{
    if (!client->dref)
        return;
    client->dref = false;
    start_over();
}

// Processes that have begun meanwhile are counted from now on.
s64 dref_read_begin(struct client *client, const dci_Request *request)
{
    const dci_DrefReadRequest *wish = &request->body.dref_read;

    s64 error = scope_begin(client, wish->scope, wish->pid);
    if (error != 0)
        return error;
    if (wish->scope != dci_Scope_SCOPE_KERNEL && phase == IN_LINE)
        start_over();
    return REQUEST_GOES_ON;
}

// The next counts of the list's process: bytes, 0 at the end, or an error.
static s64 get_counts(struct client *client, const struct sys_dref_count **counts)
{
    const u64 arguments[4] = {client->cursor, sizeof(server_records)};
    struct answer answer;

    *counts = (const struct sys_dref_count *)server_records;
    if (client->pid == 0)
        return sys_dref_read(&client->cursor, server_records, sizeof(server_records));
    s64 result = ask(client, client->pid, MONITOR_DREF_READ, arguments, &answer);
    if (result >= 0) {
        *counts = (const struct sys_dref_count *)answer.bytes;
        client->cursor = answer.results[0];
    }
    return result;
}

static void add_counts(struct frame *frame, const struct sys_dref_count *counts, u64 number)
{
    for (u64 i = 0; i < number; i++) {
        dci_DrefCount count = {
            .coid = counts[i].coid,
            .cpu = counts[i].cpu,
            .invocations = counts[i].invocations,
            .misses = counts[i].misses,
        };
        frame_record(frame, dci_DrefReadReply_counts_tag, dci_DrefCount_fields, &count);
    }
}

s64 dref_read_step(struct client *client)
{
    struct frame frame;
    const struct sys_dref_count *counts;

    if (!bring_in_line())
        return REQUEST_WAITS;
    u64 begin = sys_time();
    s64 bytes = get_counts(client, &counts);
    if (bytes == E_AGAIN)
        return REQUEST_WAITS;
    client_frame_begin(client, &frame, dci_Response_dref_read_tag);
    frame_varint(&frame, dci_DrefReadReply_begin_tag, begin);
    frame_varint(&frame, dci_DrefReadReply_end_tag, sys_time());
    frame_varint(&frame, dci_DrefReadReply_pid_tag, client->pid);
    if (bytes <= 0)
        return scope_conclude(client, &frame, dci_DrefReadReply_failure_tag, bytes);
    add_counts(&frame, counts, (u64)bytes / sizeof(*counts));
    client_frame_end(client, &frame, true);
    return REQUEST_GOES_ON;
}

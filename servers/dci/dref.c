// SPDX-License-Identifier: MIT
// Requests about DREF counts. What is counted follows from what the clients hold: after each change,
// and before each reading, the kernel and the processes are brought in line, one by one.
#include "ask.h"
#include "requests.h"
#include "scope.h"
#include "switching.h"

#include <orrery/monitor.h>
#include <orrery/sys.h>

static bool kernel_counts;
static s64 kernel_error; // of the last switching

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

static void enable_arguments(u64 arguments[4], bool on)
{
    arguments[0] = on;
}

// One that cannot answer is not asked again as long as counting is wanted.
static bool is_final(s64 result)
{
    return result >= 0 || scope_failure(result);
}

static struct switched_process counted[COUNTED_PROCESSES_MAX];
static struct switching switching = {
    .operation = MONITOR_DREF_ENABLE,
    .arguments = enable_arguments,
    .wanted = wanted,
    .stays = wanted,
    .answered = is_final,
    .processes = counted,
    .max = COUNTED_PROCESSES_MAX,
};

static void start_over(void)
{
    bool want = wanted(0);

    switching_begin(&switching, SWITCHING_OFF);
    sys_dref_set_processes(wanted(UINT32_MAX)); // those that are yet to come
    kernel_error = want != kernel_counts ? sys_dref_enable(want) : 0;
    if (kernel_error == 0)
        kernel_counts = want;
}

u64 dref_work(u64 now)
{
    return switching_go(&switching) ? UINT64_MAX : now;
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
    if (!switching_go(&switching))
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
    if (wish->scope != dci_Scope_SCOPE_KERNEL && switching.phase == SWITCHING_IN_LINE)
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

    if (!switching_go(&switching))
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

// SPDX-License-Identifier: MIT
// Counts of the trace's buffers, the kernel's and those of processes, which are asked one by one.
#include "tracing_counts.h"

#include "ask.h"
#include "requests.h"
#include "scope.h"
#include "tracing.h"
#include "tracing_settings.h"

#include <orrery/monitor.h>
#include <orrery/sys.h>

static void add_stat(struct frame *frame, u32 pid, u32 cpu, const struct sys_trace_stat *stat)
{
    dci_TraceStat to = {
        .cpu = cpu,
        .events = stat->events,
        .discarded = stat->discarded,
        .overwritten = stat->overwritten,
        .packets = stat->packets,
        .subbuffers = stat->subbuffers,
        .subbuffer_bytes = stat->subbuffer_bytes,
        .mode = (dci_TraceMode)stat->mode,
        .pushed_packets = pid == 0 ? tracing_pushed(cpu) : 0,
        .pid = pid,
    };
    frame_record(frame, dci_TraceStatReply_cpus_tag, dci_TraceStat_fields, &to);
}

static void add_kernel_stat(struct frame *frame)
{
    struct sys_trace_stat stat;

    for (u32 cpu = 0; cpu < server_system.cpu_count; cpu++)
        if (sys_trace_stat(cpu, &stat) == 0)
            add_stat(frame, 0, cpu, &stat);
}

// One buffer of the list's process: 1 when it may have more, 0 at the end or when it has none, or an
// error.
static s64 add_process_stat(struct client *client, struct frame *frame)
{
    const u64 arguments[4] = {client->cpu};
    struct answer answer;

    s64 result = client->cpu == server_system.cpu_count
                     ? 0
                     : ask(client, client->pid, MONITOR_TRACE_STAT, arguments, &answer);
    if (result == sizeof(struct sys_trace_stat))
        add_stat(frame, client->pid, client->cpu, (const struct sys_trace_stat *)answer.bytes);
    else if (result < 0 && result != E_NOENT)
        return result;
    return client->cpu++ < server_system.cpu_count;
}

static void add_stuck(struct frame *frame, u32 pid, s64 error)
{
    dci_StuckProcess stuck = {.pid = pid, .error = (s32)error};

    if (scope_failure(error))
        frame_record(frame, dci_TraceStatReply_stuck_tag, dci_StuckProcess_fields, &stuck);
}

s64 trace_counts_step(struct client *client, u32 body, u64 mask, bool more_follows)
{
    struct frame frame;
    s64 result = 0;

    client_frame_begin(client, &frame, body);
    frame_varint(&frame, dci_TraceStatReply_mask_tag, mask);
    frame_varint(&frame, dci_TraceStatReply_process_mask_tag, trace_process_mask());
    frame_varint(&frame, dci_TraceStatReply_subscribed_tag, tracing_subscriber() != NULL);
    if (client->pid == 0)
        add_kernel_stat(&frame);
    else
        result = add_process_stat(client, &frame);
    if (result == E_AGAIN)
        return REQUEST_WAITS;
    add_stuck(&frame, client->pid, result);
    bool more = true;
    if (result <= 0) {
        client->cpu = 0;
        more = scope_next(client);
    }
    client_frame_end(client, &frame, more || more_follows);
    return more ? REQUEST_GOES_ON : REQUEST_REPLIED;
}

s64 trace_stat_begin(struct client *client, const dci_Request *request)
{
    const dci_TraceStatRequest *wish = &request->body.trace_stat;
    s64 error = scope_begin(client, wish->scope, wish->pid);
    return error != 0 ? error : REQUEST_GOES_ON;
}

s64 trace_stat_step(struct client *client)
{
    return trace_counts_step(client, dci_Response_trace_stat_tag, sys_trace_mask(), false);
}

// SPDX-License-Identifier: MIT
// Counts of the trace's buffers: the kernel's, and those of processes, which are asked in a round.
#include "round.h"
#include "scope.h"
#include "service.h"
#include "tracing.h"
#include "tracing_settings.h"

#include <orrery/inspect.h>
#include <orrery/sys.h>
#include <string.h>

static void add_stat(struct frame *frame, u32 pid, u32 cpu, const struct sys_trace_stat *stat)
{
    dci_TraceStat to = {
        .cpu = cpu,
        .events = stat->events,
        .discarded = stat->discarded,
        .overwritten = stat->overwritten,
        .unread = stat->unread,
        .packets = stat->packets,
        .subbuffers = stat->subbuffers,
        .subbuffer_bytes = stat->subbuffer_bytes,
        .mode = (dci_TraceMode)stat->mode,
        .pushed_packets = pid == 0 ? tracing.pushed_packets[cpu] : 0,
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

// Each question is about one buffer.
static u32 ask_stat(const struct round *round, const struct visit *visit, u64 arguments[4],
                    u32 *room)
{
    (void)round;
    *room = sizeof(struct sys_trace_stat);
    arguments[0] = visit->part;
    return INSPECT_TRACE_STAT;
}

static enum answer_flaw check_stat(struct visit *visit, u64 now)
{
    const struct question *question = visit->question;

    (void)now;
    return answer_check_trace_stat(question->bytes, question->answer.status, visit->room);
}

static bool advance_stat(struct visit *visit)
{
    return ++visit->part < server_system.cpu_count;
}

static const struct round_kind stat_kind = {
    .ask = ask_stat, .check = check_stat, .advance = advance_stat, .nothing = E_NOENT};

static void add_process(struct frame *frame, const struct visit *visit)
{
    const struct failure *failure = &visit->failure;

    if (failure->error == 0 && visit->question->count > 0) {
        add_stat(frame, visit->pid, visit->part,
                 (const struct sys_trace_stat *)(const void *)visit->question->bytes);
    } else if (failure->error != 0) {
        dci_StuckProcess stuck = {.pid = visit->pid, .error = (s32)failure->error};
        memcpy(stuck.message, failure->text, sizeof(stuck.message));
        frame_record(frame, dci_TraceStatReply_stuck_tag, dci_StuckProcess_fields, &stuck);
    }
}

s64 trace_counts_walk(struct walk *walk, struct frame *frame, u64 mask)
{
    struct visit *visit = NULL;

    if (walk->round == NULL)
        walk->round = round_begin(&stat_kind, walk->scope, walk->pid);
    if (walk->round == NULL)
        return E_NOMEM;
    if (walk->kernel_done) {
        visit = round_next(walk->round);
        if (visit == NULL && !round_over(walk->round))
            return REQUEST_WAITS;
        if (visit != NULL && visit->failure.error == E_NOENT &&
            walk->scope == dci_Scope_SCOPE_PROCESS)
            return E_NOENT;
    }
    frame_varint(frame, dci_TraceStatReply_mask_tag, mask);
    frame_varint(frame, dci_TraceStatReply_process_mask_tag, trace_process_mask());
    frame_varint(frame, dci_TraceStatReply_subscribed_tag, tracing.shared.owner.client != NULL);
    if (!walk->kernel_done)
        add_kernel_stat(frame);
    walk->kernel_done = true;
    if (visit != NULL) {
        add_process(frame, visit);
        round_used(walk->round, visit);
    }
    bool more = walk->scope != dci_Scope_SCOPE_KERNEL && !round_over(walk->round);
    return more ? REQUEST_GOES_ON : REQUEST_REPLIED;
}

static s64 trace_stat_begin(struct client *client, const dci_Request *request)
{
    const dci_TraceStatRequest *body = &request->body.trace_stat;
    s64 error = trace_check(client);
    if (error == 0)
        error = scope_begin(client, body->scope, body->pid);
    return error != 0 ? error : REQUEST_GOES_ON;
}

static s64 trace_stat_step(struct client *client)
{
    struct frame frame;

    client_frame_begin(client, &frame, dci_Response_trace_stat_tag);
    s64 result = trace_counts_walk(&client->walk, &frame, sys_trace_mask());
    if (result == REQUEST_GOES_ON || result == REQUEST_REPLIED)
        client_frame_end(client, &frame, result == REQUEST_GOES_ON);
    return result;
}

static const struct request_kind kinds[] = {
    REQUEST(trace_stat, dci_Role_ROLE_OBSERVER, trace_stat_begin, trace_stat_step),
};

const struct service trace_counts_service = {.kinds = kinds, .kind_count = ARRAY_SIZE(kinds)};

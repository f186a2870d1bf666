// SPDX-License-Identifier: MIT
// Requests about DREF counts. Clients hold counting on for a scope. After each change, and before
// each reading, the kernel and the processes are brought in line with what all clients hold.
#include "round.h"
#include "scope.h"
#include "service.h"
#include "switching.h"

#include <orrery/inspect.h>
#include <orrery/sys.h>

static bool kernel_counts;
static s64 kernel_error; // of the last switching

// The scope that each client holds on.
static struct hold {
    bool on;
    dci_Scope scope;
    u32 pid;
} holds[SLOTS_MAX];

static bool wanted(u32 pid)
{
    for (u32 i = 0; i < SLOTS_MAX; i++)
        if (holds[i].on && (holds[i].scope == dci_Scope_SCOPE_ALL || holds[i].pid == pid))
            return true;
    return false;
}

static void enable_arguments(u64 arguments[4], bool on)
{
    arguments[0] = on;
}

static struct switched_process counted[COUNTED_PROCESSES_MAX];
static struct switching switching = {
    .operation = INSPECT_DREF_ENABLE,
    .arguments = enable_arguments,
    .wanted = wanted,
    .stays = wanted,
    .processes = counted,
    .max = COUNTED_PROCESSES_MAX,
};

static void start_over(void)
{
    bool want = wanted(0);

    switching_begin(&switching, SWITCHING_OFF);
    sys_dref_set_processes(wanted(UINT32_MAX)); // for processes that are yet to start
    kernel_error = want != kernel_counts ? sys_dref_enable(want) : 0;
    if (kernel_error == 0)
        kernel_counts = want;
}

static u64 dref_work(u64 now)
{
    return switching_go(&switching) ? UINT64_MAX : now + server_ticks(SWITCHING_RETRY_MS);
}

// ---- requests ----------------------------------------------------------------------------------

static s64 dref_enable_begin(struct client *client, const dci_Request *request)
{
    const dci_DrefEnableRequest *body = &request->body.dref_enable;

    s64 error = scope_begin(client, body->scope, body->pid);
    if (error != 0)
        return error;
    holds[client_slot(client)] =
        (struct hold){.on = body->on, .scope = body->scope, .pid = body->pid};
    start_over();
    return REQUEST_GOES_ON;
}

static s64 dref_enable_step(struct client *client)
{
    (void)client;
    if (!switching_go(&switching))
        return REQUEST_WAITS;
    return kernel_error < 0 ? kernel_error : REQUEST_DONE;
}

static void dref_release(struct client *client)
{
    struct hold *hold = &holds[client_slot(client)];

    if (!hold->on)
        return;
    hold->on = false;
    start_over();
}

static u32 dref_held_by(const struct client *client)
{
    return holds[client_slot(client)].on;
}

static u32 ask_counts(const struct round *round, const struct visit *visit, u64 arguments[4],
                      u32 *room)
{
    (void)round;
    arguments[0] = visit->cursor;
    arguments[1] = *room;
    return INSPECT_DREF_READ;
}

static enum answer_flaw check_counts(struct visit *visit, u64 now)
{
    const struct question *question = visit->question;

    (void)now;
    return answer_check_counts(question->bytes, question->answer.status, visit->room,
                               &visit->place);
}

static const struct round_kind counts_kind = {.ask = ask_counts, .check = check_counts, .lists = 1};

// Processes that have started meanwhile are counted from now on.
static s64 dref_read_begin(struct client *client, const dci_Request *request)
{
    const dci_DrefReadRequest *body = &request->body.dref_read;
    s64 error = scope_begin(client, body->scope, body->pid);
    if (error != 0)
        return error;
    if (body->scope != dci_Scope_SCOPE_KERNEL && switching.phase == SWITCHING_IN_LINE)
        start_over();
    return REQUEST_GOES_ON;
}

static void add_counts(struct frame *frame, const u8 *bytes, u64 number)
{
    struct answer_bytes records = {bytes, number};
    struct sys_dref_count from;

    while (answer_next_count(&records, &from)) {
        dci_DrefCount count = {
            .coid = from.coid,
            .cpu = from.cpu,
            .invocations = from.invocations,
            .misses = from.misses,
        };
        frame_record(frame, dci_DrefReadReply_counts_tag, dci_DrefCount_fields, &count);
    }
}

static void add_times(struct frame *frame, u64 begin, u64 end)
{
    frame_varint(frame, dci_DrefReadReply_begin_tag, begin);
    frame_varint(frame, dci_DrefReadReply_end_tag, end);
}

static s64 read_kernel_step(struct client *client, struct frame *frame)
{
    u64 begin = sys_time();

    s64 bytes = sys_dref_read(&client->walk.cursor, server_records, sizeof(server_records));
    if (bytes < 0)
        return bytes;
    add_times(frame, begin, sys_time());
    add_counts(frame, server_records, (u64)bytes);
    client->walk.kernel_done = bytes == 0;
    bool more = bytes > 0 || client->walk.scope == dci_Scope_SCOPE_ALL;
    client_frame_end(client, frame, more);
    return more ? REQUEST_GOES_ON : REQUEST_REPLIED;
}

static s64 dref_read_step(struct client *client)
{
    struct frame frame;

    if (!switching_go(&switching))
        return REQUEST_WAITS;
    if (client->walk.round == NULL)
        client->walk.round = round_begin(&counts_kind, client->walk.scope, client->walk.pid);
    if (client->walk.round == NULL)
        return E_NOMEM;
    struct visit *visit = round_next(client->walk.round);
    if (client->walk.kernel_done && visit == NULL)
        return scope_wait(client, dci_Response_dref_read_tag);
    client_frame_begin(client, &frame, dci_Response_dref_read_tag);
    if (!client->walk.kernel_done)
        return read_kernel_step(client, &frame);
    frame_varint(&frame, dci_DrefReadReply_pid_tag, visit->pid);
    if (visit->failure.error == 0) {
        add_times(&frame, visit->question->begin, visit->question->answer.time);
        add_counts(&frame, visit->question->bytes, visit->question->count);
    }
    return scope_conclude(client, &frame, dci_DrefReadReply_failure_tag, visit);
}

static const struct request_kind kinds[] = {
    REQUEST(dref_enable, dci_Role_ROLE_CONTROLLER, dref_enable_begin, dref_enable_step),
    REQUEST(dref_read, dci_Role_ROLE_OBSERVER, dref_read_begin, dref_read_step),
};

const struct service dref_service = {.kinds = kinds,
                                     .kind_count = ARRAY_SIZE(kinds),
                                     .work = dref_work,
                                     .release = dref_release,
                                     .held_by = dref_held_by};

// SPDX-License-Identifier: MIT
// Requests about processes: list them and their regions, end them, move them.
#include "round.h"
#include "service.h"

#include <orrery/utf8.h>
#include <orrery/memory.h>
#include <orrery/inspect.h>
#include <orrery/sys.h>

static void add_process(struct frame *frame, const struct sys_process_info *from)
{
    char name[PROCESS_NAME_MAX];
    u32 mark = frame_open(frame, dci_ProcessesReply_processes_tag);

    utf8_copy(name, from->name, sizeof(name));
    frame_varint(frame, dci_Process_pid_tag, from->pid);
    frame_varint(frame, dci_Process_parent_tag, from->parent);
    frame_varint(frame, dci_Process_state_tag, from->state);
    frame_varint(frame, dci_Process_rights_tag, from->rights);
    frame_varint(frame, dci_Process_priority_tag, from->priority);
    frame_varint(frame, dci_Process_dispatchers_tag, from->dispatchers);
    frame_varint(frame, dci_Process_object_tag, from->object);
    frame_varint(frame, dci_Process_start_time_tag, from->start_time);
    frame_varint(frame, dci_Process_cpu_ticks_tag, from->cpu_ticks);
    frame_varint(frame, dci_Process_memory_pages_tag, from->memory_pages);
    frame_varint(frame, dci_Process_faults_tag, from->faults);
    frame_varint(frame, dci_Process_calls_tag, from->calls);
    frame_varint(frame, dci_Process_events_tag, from->events);
    frame_string(frame, dci_Process_name_tag, name);
    frame_close(frame, mark);
}

static s64 processes_step(struct client *client)
{
    struct frame frame;
    u64 time = sys_time();

    s64 bytes = sys_process_list(&client->walk.cursor, server_records, sizeof(server_records) / 2);
    if (bytes < 0)
        return bytes;
    client_frame_begin(client, &frame, dci_Response_processes_tag);
    frame_varint(&frame, dci_ProcessesReply_time_tag, time);
    const struct sys_process_info *processes = (const struct sys_process_info *)server_records;
    for (u64 i = 0; i < (u64)bytes / sizeof(*processes); i++)
        add_process(&frame, &processes[i]);
    client_frame_end(client, &frame, bytes > 0);
    return bytes > 0 ? REQUEST_GOES_ON : REQUEST_REPLIED;
}

// ---- regions -----------------------------------------------------------------------------------

static void add_region(struct frame *frame, const struct sys_region_info *from)
{
    dci_Region to = {
        .address = from->address,
        .bytes = from->bytes,
        .kind = (dci_RegionKind)from->kind,
        .protection = from->prot,
        .offset = from->offset,
        .resident_pages = from->resident_pages,
        .object = from->region,
        .memory = from->memory,
    };
    utf8_copy(to.name, from->name, sizeof(to.name));
    frame_record(frame, dci_RegionsReply_regions_tag, dci_Region_fields, &to);
}

static s64 regions_begin(struct client *client, const dci_Request *request)
{
    client->walk.pid = request->body.regions.pid;
    if (client->walk.pid == 0)
        return client_error(client, E_INVAL, "the kernel has no regions");
    return REQUEST_GOES_ON;
}

static s64 regions_step(struct client *client)
{
    struct frame frame;

    s64 bytes = sys_region_list(client->walk.pid, &client->walk.cursor, server_records,
                                sizeof(server_records) / 2);
    if (bytes < 0)
        return bytes;
    client_frame_begin(client, &frame, dci_Response_regions_tag);
    const struct sys_region_info *regions = (const struct sys_region_info *)server_records;
    for (u64 i = 0; i < (u64)bytes / sizeof(*regions); i++)
        add_region(&frame, &regions[i]);
    client_frame_end(client, &frame, bytes > 0);
    return bytes > 0 ? REQUEST_GOES_ON : REQUEST_REPLIED;
}

// ---- changes -----------------------------------------------------------------------------------

static s64 kill_begin(struct client *client, const dci_Request *request)
{
    const dci_KillRequest *body = &request->body.kill;

    if (body->pid == 0)
        return client_error(client, E_INVAL, "the kernel is no process");
    s64 error = sys_process_kill(body->pid, body->status);
    return error < 0 ? error : REQUEST_DONE;
}

static u32 ask_move(const struct round *round, const struct visit *visit, u64 arguments[4],
                    u32 *room)
{
    (void)visit;
    *room = 0;
    arguments[0] = round->values[0];
    return INSPECT_MOVE;
}

static const struct round_kind move_kind = {.ask = ask_move};

static s64 move_begin(struct client *client, const dci_Request *request)
{
    const dci_MoveRequest *body = &request->body.move;

    if (body->pid == 0)
        return client_error(client, E_INVAL, "the kernel is no process");
    if (body->cpu >= server_system.cpu_count)
        return client_error(client, E_INVAL, "there are %u CPUs",
                            (unsigned)server_system.cpu_count);
    client->walk.round = round_begin(&move_kind, dci_Scope_SCOPE_PROCESS, body->pid);
    if (client->walk.round == NULL)
        return E_NOMEM;
    client->walk.round->values[0] = body->cpu;
    return REQUEST_GOES_ON;
}

static s64 move_step(struct client *client)
{
    const struct visit *visit = round_next(client->walk.round);

    if (visit == NULL)
        return REQUEST_WAITS;
    if (visit->failure.error == 0)
        return REQUEST_DONE;
    return client_error(client, visit->failure.error, "process %u %s", (unsigned)visit->pid,
                        visit->failure.text);
}

static const struct request_kind kinds[] = {
    REQUEST(processes, dci_Role_ROLE_OBSERVER, NULL, processes_step),
    REQUEST(regions, dci_Role_ROLE_OBSERVER, regions_begin, regions_step),
    REQUEST(kill, dci_Role_ROLE_CONTROLLER, kill_begin, NULL),
    REQUEST(move, dci_Role_ROLE_CONTROLLER, move_begin, move_step),
};

const struct service processes_service = {.kinds = kinds, .kind_count = ARRAY_SIZE(kinds)};

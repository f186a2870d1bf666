// SPDX-License-Identifier: MIT
// Requests about workloads: list, start, stop, status, runs.
#include "service.h"

#include <orrery/utf8.h>
#include <orrery/sys.h>
#include <string.h>

#define WORKLOADS_MAX 256 // workloads in one frame

static s64 workloads_step(struct client *client)
{
    struct sys_workload workload;
    struct frame frame;
    s64 error = 0;

    client_frame_begin(client, &frame, dci_Response_workloads_tag);
    for (u32 i = 0; i < WORKLOADS_MAX && error == 0; i++) {
        error = sys_workload_get(i, &workload);
        if (error != 0)
            break;
        dci_Workload to = dci_Workload_init_zero;
        memcpy(to.name, workload.name, sizeof(to.name) - 1);
        memcpy(to.help, workload.help, sizeof(to.help) - 1);
        frame_record(&frame, dci_WorkloadsReply_workloads_tag, dci_Workload_fields, &to);
    }
    if (error != 0 && error != E_NOENT)
        return error;
    client_frame_end(client, &frame, false);
    return REQUEST_REPLIED;
}

static s64 workload_start_begin(struct client *client, const dci_Request *request)
{
    char message[sizeof(client->message)] = "";

    s64 id = sys_workload_start(request->body.workload_start.command, message, sizeof(message));
    if (id < 0) {
        // The message quotes the command, which may be any bytes. A protobuf string must be UTF-8.
        utf8_copy(message, message, sizeof(message));
        return client_error(client, id, "%s", message);
    }
    dci_WorkloadStartReply reply = {.id = (u64)id};
    client_reply(client, dci_Response_workload_start_tag, dci_WorkloadStartReply_fields, &reply);
    return REQUEST_REPLIED;
}

static s64 workload_stop_begin(struct client *client, const dci_Request *request)
{
    (void)client;
    s64 error = sys_workload_stop((s64)request->body.workload_stop.id);
    return error < 0 ? error : REQUEST_DONE;
}

static s64 workload_status_begin(struct client *client, const dci_Request *request)
{
    struct sys_workload_status status;
    dci_WorkloadStatusReply reply = dci_WorkloadStatusReply_init_zero;

    s64 error = sys_workload_status((s64)request->body.workload_status.id, &status);
    if (error < 0)
        return error;
    reply.running = status.running != 0;
    reply.result = status.result;
    memcpy(reply.report, status.report, sizeof(reply.report) - 1);
    client_reply(client, dci_Response_workload_status_tag, dci_WorkloadStatusReply_fields, &reply);
    return REQUEST_REPLIED;
}

static void add_run(struct frame *frame, const struct sys_workload_run *run)
{
    char command[sizeof(run->command)];
    u32 mark = frame_open(frame, dci_WorkloadRunsReply_runs_tag);

    utf8_copy(command, run->command, sizeof(command));
    frame_varint(frame, dci_WorkloadRun_id_tag, (u64)run->id);
    frame_string(frame, dci_WorkloadRun_command_tag, command);
    frame_varint(frame, dci_WorkloadRun_running_tag, run->running != 0);
    frame_sint(frame, dci_WorkloadRun_result_tag, run->result);
    frame_fixed64(frame, dci_WorkloadRun_began_tag, run->began);
    frame_fixed64(frame, dci_WorkloadRun_ended_tag, run->ended);
    frame_close(frame, mark);
}

static s64 workload_runs_step(struct client *client)
{
    struct sys_workload_run run;
    struct frame frame;
    s64 error = 0;

    client_frame_begin(client, &frame, dci_Response_workload_runs_tag);
    for (u32 i = 0; i < WORKLOADS_MAX; i++) {
        error = sys_workload_run_get(i, &run);
        if (error != 0)
            break;
        if (run.id == 0)
            continue;
        add_run(&frame, &run);
    }
    if (error != 0 && error != E_NOENT)
        return error;
    client_frame_end(client, &frame, false);
    return REQUEST_REPLIED;
}

static const struct request_kind kinds[] = {
    REQUEST(workloads, dci_Role_ROLE_OBSERVER, NULL, workloads_step),
    REQUEST(workload_start, dci_Role_ROLE_CONTROLLER, workload_start_begin, NULL),
    REQUEST(workload_stop, dci_Role_ROLE_CONTROLLER, workload_stop_begin, NULL),
    REQUEST(workload_status, dci_Role_ROLE_OBSERVER, workload_status_begin, NULL),
    REQUEST(workload_runs, dci_Role_ROLE_OBSERVER, NULL, workload_runs_step),
};

const struct service workloads_service = {.kinds = kinds, .kind_count = ARRAY_SIZE(kinds)};

// SPDX-License-Identifier: MIT
// Lists over the kernel, one process, or all. Processes are taken from the kernel one by one: any
// number may begin and end between two steps.
#include "scope.h"

#include <orrery/process.h>
#include <string.h>

s64 scope_begin(struct client *client, dci_Scope scope, u32 pid)
{
    if (scope != dci_Scope_SCOPE_KERNEL && scope != dci_Scope_SCOPE_PROCESS &&
        scope != dci_Scope_SCOPE_ALL)
        return client_error(client, E_INVAL, "scope %u is not known", (unsigned)scope);
    if (pid != 0 && scope != dci_Scope_SCOPE_PROCESS)
        return client_error(client, E_INVAL, "a pid needs the scope of a process");
    client->scope = scope;
    client->pid = pid;
    client->processes = 0;
    client->cursor = 0;
    return 0;
}

bool scope_next(struct client *client)
{
    struct sys_process_info info;

    client->cursor = 0;
    client->classes_done = false;
    if (client->scope != dci_Scope_SCOPE_ALL)
        return false;
    if (sys_process_list(&client->processes, &info, sizeof(info)) <= 0)
        return false;
    client->pid = info.pid;
    return true;
}

bool scope_failure(s64 error)
{
    return error == E_TIMEOUT || error == E_NOTSUP;
}

// Has the process ended since it was listed?
static bool left_out(const struct client *client, s64 error)
{
    return client->scope == dci_Scope_SCOPE_ALL && client->pid != 0 &&
           (error == E_NOENT || error == E_PEER || error == E_STALE);
}

static void add_failure(struct frame *frame, u32 field, s64 error)
{
    dci_ProcessFailure failure = {.error = (s32)error};

    strcpy(failure.message,
           error == E_TIMEOUT ? "stuck: no answer within 1 s" : "does not answer the monitor");
    frame_record(frame, field, dci_ProcessFailure_fields, &failure);
}

s64 scope_conclude(struct client *client, struct frame *frame, u32 field, s64 result)
{
    if (client->pid != 0 && scope_failure(result))
        add_failure(frame, field, result);
    else if (result < 0 && !left_out(client, result))
        return result;
    bool more = scope_next(client);
    client_frame_end(client, frame, more);
    return more ? REQUEST_GOES_ON : REQUEST_REPLIED;
}

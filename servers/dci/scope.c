// SPDX-License-Identifier: MIT
// Lists over the kernel, one process, or all: the kernel first, then each process when it has
// answered.
#include "scope.h"

s64 scope_begin(struct client *client, dci_Scope scope, u32 pid)
{
    if (scope != dci_Scope_SCOPE_KERNEL && scope != dci_Scope_SCOPE_PROCESS &&
        scope != dci_Scope_SCOPE_ALL)
        return client_error(client, E_INVAL, "scope %u is not known", (unsigned)scope);
    if (pid != 0 && scope != dci_Scope_SCOPE_PROCESS)
        return client_error(client, E_INVAL, "a pid needs the scope of a process");
    client->walk = walk_over(scope, pid);
    return 0;
}

s64 scope_conclude(struct client *client, struct frame *frame, u32 field, struct visit *visit)
{
    if (visit->failure.error == E_NOENT && client->walk.scope == dci_Scope_SCOPE_PROCESS)
        return E_NOENT;
    if (visit->failure.error != 0)
        failure_add(frame, field, &visit->failure);
    round_used(client->walk.round, visit);
    bool more = !round_over(client->walk.round) || !client->walk.kernel_done;
    client_frame_end(client, frame, more);
    return more ? REQUEST_GOES_ON : REQUEST_REPLIED;
}

s64 scope_wait(struct client *client, u32 body)
{
    struct frame frame;

    if (!round_over(client->walk.round))
        return REQUEST_WAITS;
    client_frame_begin(client, &frame, body);
    client_frame_end(client, &frame, false);
    return REQUEST_REPLIED;
}

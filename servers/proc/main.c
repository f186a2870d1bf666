// SPDX-License-Identifier: MIT
// The proc server: processes and the machine as files (docs/files.md). Serves ipc/fs.idl as "proc".
#include "snapshot.h"

#include <ipc/fs.h>
#include <posix/service.h>
#include <stdio.h>
#include <stdlib.h>

static void check(s64 status, const char *what)
{
    if (status >= 0)
        return;
    fprintf(stderr, "proc: %s: %s\n", what, orrery_strerror(status));
    exit(1);
}

int main(void)
{
    static const struct ipc_service service = {.dispatch = fs_dispatch};
    check(snapshots_start(), "ProcFileTable");
    s64 endpoint = ipc_interface_endpoint(&service);
    check(endpoint, "endpoint");
    check(service_register("proc", (cap_t)endpoint), "registering");
    check(handles_sweep_forever(&snapshots), "ends of processes");
    return 1;
}

// SPDX-License-Identifier: MIT
// Asks the machine for its processes, their classes and their objects.
#include "machine/scan.h"
#include "machine/decode_machine.h"
#include "wire/dci.h"

struct scan_scope scan_scope_of(u32 pid)
{
    if (pid == 0)
        return SCAN_KERNEL;
    return (struct scan_scope){ORRERY__DCI__SCOPE__SCOPE_PROCESS, pid};
}

static int take_processes(void *context, const dci_response *response)
{
    decode_processes(response->processes, context);
    return KOV_OK;
}

static int take_classes(void *context, const dci_response *response)
{
    decode_classes(response->classes, context);
    return KOV_OK;
}

static int take_objects(void *context, const dci_response *response)
{
    decode_objects(response->objects, context);
    return KOV_OK;
}

int scan_processes(struct snapshot *snapshot)
{
    Orrery__Dci__ProcessesRequest body = ORRERY__DCI__PROCESSES_REQUEST__INIT;
    return dci_call(DCI_REQUEST(PROCESSES, processes, &body), ORRERY__DCI__RESPONSE__BODY_PROCESSES,
                    "cannot list processes", take_processes, snapshot);
}

int scan_classes(struct snapshot *snapshot, struct scan_scope scope)
{
    Orrery__Dci__ClassesRequest body = ORRERY__DCI__CLASSES_REQUEST__INIT;
    body.scope = scope.scope;
    body.pid = scope.pid;
    return dci_call(DCI_REQUEST(CLASSES, classes, &body), ORRERY__DCI__RESPONSE__BODY_CLASSES,
                    "cannot list classes", take_classes, snapshot);
}

int scan_objects(struct snapshot *snapshot, struct scan_scope scope)
{
    int code = scan_processes(snapshot);
    if (code != KOV_OK)
        return code;
    Orrery__Dci__ObjectsRequest body = ORRERY__DCI__OBJECTS_REQUEST__INIT;
    body.scope = scope.scope;
    body.pid = scope.pid;
    body.classes = true;
    return dci_call(DCI_REQUEST(OBJECTS, objects, &body), ORRERY__DCI__RESPONSE__BODY_OBJECTS,
                    "cannot scan objects", take_objects, snapshot);
}

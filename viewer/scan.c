// SPDX-License-Identifier: MIT
// Asks the machine for its classes and objects.
#include "scan.h"
#include "dci.h"
#include "decode.h"

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

int scan_classes(struct snapshot *snapshot)
{
    Orrery__Dci__ClassesRequest body = ORRERY__DCI__CLASSES_REQUEST__INIT;
    dci_request request = ORRERY__DCI__REQUEST__INIT;
    request.body_case = ORRERY__DCI__REQUEST__BODY_CLASSES;
    request.classes = &body;
    return dci_call(&request, ORRERY__DCI__RESPONSE__BODY_CLASSES, "cannot list classes",
                    take_classes, snapshot);
}

int scan_objects(struct snapshot *snapshot)
{
    int code = scan_classes(snapshot);
    if (code != KOV_OK)
        return code;
    Orrery__Dci__ObjectsRequest body = ORRERY__DCI__OBJECTS_REQUEST__INIT;
    dci_request request = ORRERY__DCI__REQUEST__INIT;
    request.body_case = ORRERY__DCI__REQUEST__BODY_OBJECTS;
    request.objects = &body;
    return dci_call(&request, ORRERY__DCI__RESPONSE__BODY_OBJECTS, "cannot scan objects",
                    take_objects, snapshot);
}

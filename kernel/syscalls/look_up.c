// SPDX-License-Identifier: MIT
// Looks up objects that must be more than of the right type.
#include "look_up.h"

#include <orrery/errors.h>

struct process *look_up_loading(cap_t cap, s64 *error)
{
    struct process *process = look_up_process(cap, error);

    if (process != NULL && !process_begin_loading(process)) {
        *error = E_BUSY;
        process_put(process);
        process = NULL;
    }
    return process;
}

struct file *look_up_served(cap_t cap, s64 *error)
{
    struct fcm *memory = look_up_memory(cap, error);

    return memory != NULL ? file_get_served(memory, process_pid(process_current()), error) : NULL;
}

struct endpoint *look_up_own(cap_t cap, s64 *error)
{
    struct process *process = process_current();
    struct endpoint *endpoint = capability_get_endpoint(process_capabilities(process), cap, error);

    if (endpoint != NULL && !endpoint_is_of(endpoint, process)) {
        *error = E_PERM;
        endpoint_put(endpoint);
        endpoint = NULL;
    }
    return endpoint;
}

// SPDX-License-Identifier: MIT
// Copies of the state machine: what was so at one time of a trace, so that a later visit may begin
// there and know it.
#include "tools/memory.h"
#include "trace/activity_thread.h"

#include <stdlib.h>
#include <string.h>

void activity_copy(struct activity_machine *to, const struct activity_machine *from)
{
    *to = *from;
    to->capacity = from->count;
    to->threads = memory_get((from->count + 1) * sizeof(*to->threads));
    to->unnamed = memory_get(ORRERY_MAX_CPUS * sizeof(*to->unnamed));
    if (from->count > 0)
        memcpy(to->threads, from->threads, from->count * sizeof(*to->threads));
    memcpy(to->unnamed, from->unnamed, ORRERY_MAX_CPUS * sizeof(*to->unnamed));
}

void activity_free(struct activity_machine *machine)
{
    free(machine->threads);
    free(machine->unnamed);
    machine->threads = machine->unnamed = NULL;
    machine->count = machine->capacity = 0;
}

size_t activity_bytes(const struct activity_machine *machine)
{
    return sizeof(*machine) + (machine->count + ORRERY_MAX_CPUS) * sizeof(*machine->threads);
}

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
    id_rows_copy(&to->threads, &from->threads);
    to->unnamed = memory_get(ORRERY_MAX_CPUS * sizeof(*to->unnamed));
    memcpy(to->unnamed, from->unnamed, ORRERY_MAX_CPUS * sizeof(*to->unnamed));
}

void activity_free(struct activity_machine *machine)
{
    id_rows_free(&machine->threads);
    free(machine->unnamed);
    machine->unnamed = NULL;
}

size_t activity_bytes(const struct activity_machine *machine)
{
    return sizeof(*machine) +
           (machine->threads.count + ORRERY_MAX_CPUS) * sizeof(*machine->unnamed);
}

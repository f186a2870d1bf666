// SPDX-License-Identifier: MIT
// Tells readers of memory dumps where the kernel keeps processes and open calls (trace/dump.h).
#include "places.h"

#include <kernel/percpu.h>
#include <trace/dump.h>

#include "ipc/call_record.h"
#include "mem/hat_rep.h"
#include "mem/space.h"
#include "proc/annex.h"
#include "proc/dispatcher.h"
#include "proc/process.h"

static struct trace_dump_places places = {
    .process_count = PROCESS_MAX,
    .process_pid = offsetof(struct process, pid),
    .process_name = offsetof(struct process, name),
    .process_threads = offsetof(struct process, image.threads),
    .process_space = offsetof(struct process, space),
    .space_hat = offsetof(struct address_space, hat),
    .hat_tables = offsetof(struct hat, pgd),
    .call_chunks = CALL_MAX / CALL_CHUNK,
    .chunk_records = CALL_CHUNK,
    .record_bytes = sizeof(struct call_record),
    .record_word = offsetof(struct call_record, word),
    .record_token = offsetof(struct call_record, token),
    .record_client = offsetof(struct call_record, client),
    .record_server = offsetof(struct call_record, server),
    .dispatcher_pid = offsetof(struct dispatcher, pid),
    .dispatcher_thread = offsetof(struct dispatcher, thread_id),
    .state_mask = CALL_STATE_MASK,
    .state_pending = CALL_PENDING,
};

void trace_places_tell(void)
{
    places.processes = (u64)annex_table();
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        places.calls[cpu] = (u64)call_chunks(cpu);
    trace_dump_set_places(&places);
}

// SPDX-License-Identifier: MIT
// A session of counting: what it claims of the engine, and room for its sums. Thread context, no
// spin lock held; who owns the sessions serialises all calls.
#ifndef KERNEL_PMU_COUNTING_SESSION_H
#define KERNEL_PMU_COUNTING_SESSION_H

#include <pmu/counting_request.h>

#include "counting_log.h"
#include "engine.h"

struct counting_session {
    s64 number; // from 1; 0: there is none
    bool running;
    u32 owner; // pid of who has started it, 0: the kernel
    struct counting_plan plan;
    struct engine_session claimed;
};

// By its plan, on these CPUs. 0, E_NOMEM, or as engine_join, and it has no sums.
s64 counting_session_begin(struct counting_session *session, u64 cpus, char *message, u64 bytes);
// One that runs: nothing counts any more. What was counted can still be read.
void counting_session_end(struct counting_session *session);
// Ends it if it runs, and forgets what was counted: there is none.
void counting_session_forget(struct counting_session *session);

// What sys_pmu_count_read says of one of its CPUs, with room for all items. Bytes, E_NOMEM,
// or why the CPU has ended.
s64 counting_read_cpu(const struct counting_session *session, u32 cpu,
                      struct sys_pmu_count *counts);
// What sys_pmu_count_tasks says of one of its CPUs, whose tasks it counts.
s64 counting_read_tasks(const struct counting_session *session, u32 cpu, u64 *cursor, void *buffer,
                        u64 bytes);

// As sys_pmu_count_trace, of one that runs. One session is traced at a time: E_BUSY.
s64 counting_trace_set(struct counting_session *session, u64 majors);
// Before it stops: not any more, if it was.
void counting_trace_end(const struct counting_session *session);

// As sys_log_hardware, of one that runs and is the caller's. E_INVAL, E_LIMIT.
s64 counting_log_set(struct counting_session *session, const u32 items[COUNTING_LOGGED]);
// Before it stops: its items are not logged any more, if they were.
void counting_log_end(const struct counting_session *session);

#endif

// SPDX-License-Identifier: MIT
// A session of counting: its claim on the engine, and memory for its sums. Thread context, no spin
// lock held. The owner of the sessions serialises all calls.
#ifndef KERNEL_PMU_COUNTING_SESSION_H
#define KERNEL_PMU_COUNTING_SESSION_H

#include <pmu/counting_request.h>

#include "counting_log.h"
#include "engine.h"

struct counting_session {
    s64 number; // from 1; 0: there is none
    u32 owner;  // pid of its creator, 0: the kernel
    struct counting_plan plan;
    struct engine_session claimed;
};

// Starts a session by its plan, on these CPUs. Returns 0, or E_NOMEM or an error of engine_join; on
// an error it has no sums.
s64 counting_session_begin(struct counting_session *session, u64 cpus, char *message, u64 bytes);
// Stops a running session. Its counts can still be read.
void counting_session_end(struct counting_session *session);
// Ends a session if it runs, and frees it with its counts.
void counting_session_free(struct counting_session *session);

// Does as sys_pmu_count_read for one of its CPUs, with room for all items. Returns bytes, E_NOMEM,
// or the error that ended the CPU.
s64 counting_read_cpu(const struct counting_session *session, u32 cpu,
                      struct sys_pmu_count *counts);
// Does as sys_pmu_count_tasks for one of its CPUs, whose tasks it counts.
s64 counting_read_tasks(const struct counting_session *session, u32 cpu, u64 *cursor, void *buffer,
                        u64 bytes);

// Does as sys_pmu_count_trace for a running session. One session is traced at a time: E_BUSY.
s64 counting_trace_set(struct counting_session *session, u64 majors);
// Stops tracing a session that is about to stop, if it is traced.
void counting_trace_end(const struct counting_session *session);

// Does as sys_log_hardware for a running session of the caller's. E_INVAL, E_LIMIT.
s64 counting_log_set(struct counting_session *session, const u32 items[COUNTING_LOGGED]);
// Stops logging the items of a session that is about to stop, if they are logged.
void counting_log_end(const struct counting_session *session);

#endif

// SPDX-License-Identifier: MIT
// A session of counting: memory for its sums, its start and end.
#include "counting_session.h"

#include "sums.h"

s64 counting_session_begin(struct counting_session *session, u64 cpus, char *message, u64 bytes)
{
    session->claimed = (struct engine_session){
        .claim = &session->plan.claim,
        .cpus = cpus,
        .follows = session->plan.flags != 0,
        .windows = (session->plan.flags & SYS_PMU_READABLE) != 0,
    };
    s64 error = sums_make(&session->claimed, session->plan.flags);
    if (error != 0)
        return error;
    error = engine_join(&session->claimed, message, bytes);
    if (error != 0)
        sums_free(&session->claimed);
    return error;
}

void counting_session_end(struct counting_session *session)
{
    counting_trace_end(session);
    counting_log_end(session);
    engine_leave(&session->claimed);
}

void counting_session_free(struct counting_session *session)
{
    if (session->claimed.running)
        counting_session_end(session);
    sums_free(&session->claimed);
    session->number = 0;
    __atomic_store_n(&session->owner, 0, __ATOMIC_RELAXED);
}

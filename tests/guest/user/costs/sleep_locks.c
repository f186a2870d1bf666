// SPDX-License-Identifier: MIT
// Logging of the queues of sleep locks, of this process's: nobody reads the log, as with samples.
#include "costs.h"

#include <orrery/errors.h>
#include <orrery/inspect.h>
#include <stdio.h>

#include <user/blocked_threads.h>

static void begin(void)
{
    s64 objects = blocked_threads_log(0, SYS_BLOCKED_ON);
    if (objects < 0)
        fail("cannot log sleep locks: %s", orrery_strerror(objects));
}

static void end(void)
{
    blocked_threads_log(0, SYS_BLOCKED_OFF);
}

// Records since the last call, those that were lost included; it empties the logs.
static u64 events(void)
{
    static u64 buffer[4096];
    static u64 seen;
    u64 cursor = 0, sum = 0;
    s64 bytes;
    while ((bytes = blocked_threads_read(&cursor, buffer, sizeof(buffer))) > 0) {
        const u8 *at = (const u8 *)buffer, *end_of = at + bytes;
        while (at < end_of) {
            const struct sys_blocked_log *log = (const struct sys_blocked_log *)at;
            if (log->coid != 0)
                sum = log->logged + log->lost > sum ? log->logged + log->lost : sum;
            at += sizeof(*log) + log->count * sizeof(struct sys_blocked_record);
        }
    }
    seen = sum > seen ? sum : seen;
    return seen;
}

const struct measuring measuring_sleep_locks = {"sleep-locks", begin, end, events, false};

// SPDX-License-Identifier: MIT
// Programs describe events of their own (trace/described.h). All of them share a bounded number of
// minors, so each process has a limit. The same program gets the same minors again.
#include <kernel/spinlock.h>
#include <orrery/errors.h>
#include <trace/described.h>
#include <trace/events.h>

#include "manager.h"
#include "proc/process.h"

static struct spinlock lock = SPINLOCK_INIT("trace descriptions", RANK_SERVICE);

// Adds what a process (NULL: the kernel) describes. Returns its first minor, or an error. The
// caller holds the lock.
static s64 add(struct process *process, struct trace_described *described)
{
    u32 before = process == NULL ? 0 : process->described;
    if (before + described->count > SYS_TRACE_DESCRIBE_MAX)
        return E_LIMIT;
    bool last = process == NULL || process->rights != 0; // may take the last ones, too
    s64 first =
        trace_described_add(described, TRACE_DESCRIBED_MAX - (last ? 0 : TRACE_DESCRIBED_RESERVED));
    if (first >= 0 && process != NULL)
        process->described = before + described->count;
    return first;
}

CO_METHOD s64 trace_describe(struct trace_manager *self, const struct sys_trace_description *list,
                             u64 bytes)
{
    CO_HOME(self);
    struct process *process = process_current();
    s64 error = E_INVAL;
    struct trace_described *described = NULL;
    if (bytes % sizeof(*list) == 0 && bytes <= SYS_TRACE_DESCRIBE_MAX * sizeof(*list))
        described = trace_described_make(list, (u32)(bytes / sizeof(*list)), &error);
    if (described == NULL)
        return error;
    spin_lock(&lock);
    s64 known = trace_described_same(described);
    s64 first = known >= 0 ? known : add(process, described);
    spin_unlock(&lock);
    if (known < 0 && first >= 0)
        trace_described(process == NULL ? 0 : process_pid(process), (u16)described->first,
                        (u16)described->count, described->events[0].description.provider);
    else
        trace_described_free(described);
    return first;
}

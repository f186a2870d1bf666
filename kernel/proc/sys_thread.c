// SPDX-License-Identifier: MIT
// System calls on threads.
#include "thread.h"

#include <kernel/percpu.h>
#include <orrery/sys.h>

s64 sys_thread_create(const char *name, void (*entry)(void *), void *argument, u32 cpu)
{
    if (name == NULL || entry == NULL || cpu >= cpu_count)
        return E_INVAL;
    struct thread *thread = thread_create(name, entry, argument, cpu, PRIORITY_SERVER);
    if (thread == NULL)
        return E_NOMEM;
    u32 id = thread->id;
    thread_detach(thread);
    return id;
}

s64 sys_thread_park(u64 deadline)
{
    return thread_park(deadline) ? 1 : 0;
}

s64 sys_thread_wake(u64 id)
{
    struct thread *thread = id <= UINT32_MAX ? thread_find((u32)id) : NULL;

    if (thread == NULL)
        return E_NOENT;
    thread_unpark(thread);
    return 0;
}

u64 sys_thread_self(void)
{
    return thread_current()->id;
}

// SPDX-License-Identifier: MIT
// Families of processes without rights: how many there may be.
#include "family.h"

#include <kernel/memory.h>
#include <orrery/errors.h>
#include <orrery/process.h>

#include "process.h"

struct family {
    u32 members;
};

s64 family_join(struct process *process, const struct process *creator)
{
    if (process->rights != 0)
        return 0;
    struct family *family = creator != NULL ? creator->family : NULL;
    if (family == NULL) {
        family = kzalloc(sizeof(*family));
        if (family == NULL)
            return E_NOMEM;
    }
    // The creator is a member, so the family stays meanwhile.
    if (__atomic_fetch_add(&family->members, 1, __ATOMIC_RELAXED) >= PROCESS_FAMILY_MAX) {
        __atomic_fetch_sub(&family->members, 1, __ATOMIC_RELAXED);
        return E_LIMIT;
    }
    process->family = family;
    return 0;
}

void family_leave(struct process *process)
{
    if (process->family != NULL &&
        __atomic_sub_fetch(&process->family->members, 1, __ATOMIC_ACQ_REL) == 0)
        kfree(process->family);
}

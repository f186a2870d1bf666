// SPDX-License-Identifier: MIT
// Who has a CPU's floating-point registers. The first use after another dispatcher's traps (vector
// 0x800).
#include "fpu.h"

#include <kernel/percpu.h>
#include <kernel/softmask.h>

#include "proc/dispatcher.h"
#include "user.h"

static struct dispatcher *owners[ORRERY_MAX_CPUS]; // each only on its CPU

void fpu_take(struct dispatcher *dispatcher)
{
    u8 masked = soft_mask();
    struct dispatcher *owner = owners[cpu_id()];

    if (owner != dispatcher) {
        if (owner != NULL) {
            fpu_save(&owner->fpu);
            user_frame(owner)->msr &= ~MSR_FP;
        }
        fpu_load(&dispatcher->fpu);
        owners[cpu_id()] = dispatcher;
    }
    user_frame(dispatcher)->msr |= MSR_FP;
    soft_mask_restore(masked);
}

void fpu_resume(struct dispatcher *dispatcher)
{
    u8 masked = soft_mask();

    if (owners[cpu_id()] == dispatcher)
        user_frame(dispatcher)->msr |= MSR_FP;
    soft_mask_restore(masked);
}

void fpu_discard(const struct dispatcher *dispatcher)
{
    if (owners[cpu_id()] == dispatcher)
        owners[cpu_id()] = NULL;
}

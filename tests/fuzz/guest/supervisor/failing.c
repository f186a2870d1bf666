// SPDX-License-Identifier: MIT
// Memory that fails: an allocation of a process that begins, or of the kernel's own threads and
// interrupts. One at a time, as sys_memory_fail allows.
#include "supervisor.h"

#define SOON_BITS 9 // most allocations of a process come soon: 2^0 … 2^9 at most
#define KERNEL_PERCENT 10

static bool counting;

void failing_end(void)
{
    struct sys_memory_use use;

    if (!counting)
        return;
    counting = false;
    if (sys_memory_fail(false, 0, 0) == 0 && sys_memory_use(&use) == 0)
        summary->memory_failed += use.failed;
}

void failing_begin(u32 pid)
{
    if (!random_percent(options.failing))
        return;
    failing_end();
    u64 nth = 1 + random_below(1UL << random_below(SOON_BITS + 1));
    counting = sys_memory_fail(true, nth, random_percent(KERNEL_PERCENT) ? 0 : pid) == 0;
}

// SPDX-License-Identifier: MIT
// Which CPU reports.
#include "report.h"

#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/spinlock.h>

static u32 reporter; // CPU + 1; 0: none

bool report_is_ours(void)
{
    return reporter == cpu_id() + 1;
}

bool report_begin(void)
{
    if (report_is_ours())
        return false;
    if (!atomic_claim(&reporter, cpu_id() + 1))
        panic("another CPU reports at the same time");
    return true;
}

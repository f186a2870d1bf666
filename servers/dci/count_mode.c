// SPDX-License-Identifier: MIT
// Modes, from the protocol's numbers to the system calls'.
#include "count_mode.h"

#include <orrery/pmu.h>

u32 count_mode_filter(dci_CountMode mode)
{
    switch (mode) {
    case dci_CountMode_COUNT_MODE_KERNEL:
        return SYS_PMU_KERNEL;
    case dci_CountMode_COUNT_MODE_USER:
        return SYS_PMU_USER;
    default:
        return SYS_PMU_KERNEL | SYS_PMU_USER;
    }
}

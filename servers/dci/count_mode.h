// SPDX-License-Identifier: MIT
// Modes in which events count, as clients name them.
#ifndef DCI_COUNT_MODE_H
#define DCI_COUNT_MODE_H

#include <dci/dci.pb.h>
#include <orrery/types.h>

// The same as the machine names them: SYS_PMU_KERNEL, SYS_PMU_USER (orrery/pmu.h) or both.
// mode: a known one. Any context.
u32 count_mode_filter(dci_CountMode mode);

#endif

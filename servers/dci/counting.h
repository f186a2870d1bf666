// SPDX-License-Identifier: MIT
// Counting, for other services: its counters and its modes.
#ifndef DCI_COUNTING_H
#define DCI_COUNTING_H

#include "client.h"

// Ends all yielding sessions of other clients. Returns true if there was one: then counters may be
// free now.
bool counting_give_way(const struct client *client);

// Translates a valid mode of the protocol to SYS_PMU_KERNEL, SYS_PMU_USER (orrery/pmu.h), or both.
u32 count_mode_filter(dci_CountMode mode);

#endif

// SPDX-License-Identifier: MIT
// Does what a policy proposes, within the limits.
#ifndef SCHED_PLACING_H
#define SCHED_PLACING_H

#include "policies/policy.h"

// Returns whether the limits allow it now.
bool placing_allowed(const struct proposal *proposal);
// Places the process, and counts it for the limits. Returns the result of sys_place.
s64 placing_do(const struct proposal *proposal);

#endif

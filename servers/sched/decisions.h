// SPDX-License-Identifier: MIT
// The last decisions, with the numbers that led to each.
#ifndef SCHED_DECISIONS_H
#define SCHED_DECISIONS_H

#include "policies/policy.h"

// Adds a decision of a policy, with what it saw, and the result of its placement.
void decisions_add(const struct policy *policy, const struct view *view,
                   const struct proposal *proposal, s32 result);
// Copies as many of the last ones as there are, or fit, the oldest first. Returns how many.
u32 decisions_copy(struct sched_decision *to, u64 room);
u64 decisions_made(void); // since the start

#endif

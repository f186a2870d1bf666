// SPDX-License-Identifier: MIT
// Checks of the model unit beside its counts.
#ifndef GUEST_MODEL_CHECKS_H
#define GUEST_MODEL_CHECKS_H

#include "model_measure.h"

// Each event alone on each counter that can count it, on all CPUs,
// by the first case that has it in every turn.
void model_check_counters(const struct model_case cases[], u32 count);
// Kernel and user, tags, values written, totals, the clock as a witness where it can be one, and
// CPUs that count while others change what is counted.
void model_check_filters(const struct model_case *one);
// What must be refused is, and changes nothing.
void model_check_commands(void);

#endif

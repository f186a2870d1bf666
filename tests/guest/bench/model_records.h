// SPDX-License-Identifier: MIT
// Checks of the model unit's overflows.
#ifndef GUEST_MODEL_RECORDS_H
#define GUEST_MODEL_RECORDS_H

#include "model_measure.h"

// Precise records of the empty loop (model_body_spin), on all CPUs at once: how many, of which
// instructions, how far apart; and those for which there is no room.
void model_check_records(const struct model_case *one);

#endif

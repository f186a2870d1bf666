// SPDX-License-Identifier: MIT
// Commands of the model unit that the kernel does not need. Only when model_present. Thread or
// interrupt context.
#ifndef GUEST_MODEL_COMMANDS_H
#define GUEST_MODEL_COMMANDS_H

#include <orrery/pmu_model.h>
#include <orrery/types.h>

// Gives the calling CPU's counter a new value. MODEL_OK or another of orrery/pmu_model.h.
u64 model_write(u64 counter, u64 value);
// Events since start-up, kernel and user, as far as anybody had the calling CPU count them.
// MODEL_OK or another of orrery/pmu_model.h; totals stay as they are if it is not MODEL_OK.
u64 model_totals(u64 totals[MODEL_EVENTS][2]);
// A command that there is none of. MODEL_OK or another of orrery/pmu_model.h.
u64 model_nonsense(void);

#endif

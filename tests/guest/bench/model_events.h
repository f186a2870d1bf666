// SPDX-License-Identifier: MIT
// Sampling several of the model unit's events at once, by interrupts and by precise records.
#ifndef GUEST_MODEL_EVENTS_H
#define GUEST_MODEL_EVENTS_H

// The model unit is there.
void model_check_events(void);

#endif

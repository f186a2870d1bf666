// SPDX-License-Identifier: MIT
// Sampling by interrupts of the model unit.
#ifndef GUEST_MODEL_SAMPLING_H
#define GUEST_MODEL_SAMPLING_H

// Instructions sampled by interrupts while each CPU spins in an object of its
// own: how many samples, and whose.
void model_check_sampling(void);

#endif

// SPDX-License-Identifier: MIT
// The five metrics (S000 §4.4.1), sampled.
#ifndef GUEST_MODEL_METRICS_H
#define GUEST_MODEL_METRICS_H

// Loops of an object's methods in which the events of each metric are known by hand, on all CPUs at
// once, at several limits and thresholds, precisely and by interrupts: how many samples, and of
// which object. The model unit is there.
void model_check_metrics(void);

#endif

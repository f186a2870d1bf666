// SPDX-License-Identifier: MIT
// Spin lock contention as the model unit counts it.
#ifndef GUEST_MODEL_CONTENTION_H
#define GUEST_MODEL_CONTENTION_H

// One lock, wanted by all CPUs: larx and stcx counted against acquisitions,
// and turns by trace events.
void model_check_contention(void);

#endif

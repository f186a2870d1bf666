// SPDX-License-Identifier: MIT
// Sums of samples by site that the machine has made, from its messages. It trusts nothing in one.
#ifndef KOV_DECODE_SUMS_H
#define KOV_DECODE_SUMS_H

#include "samples/site_sums.h"

#include <dci.pb-c.h>

// Takes a sum; its site has the event's index in the session. from, to: ticks, as in the message.
typedef void sums_visit(void *context, const struct site_sum *sum, u64 from, u64 to);

// Counts the samples behind a message in the set, as decode_samples does, but keeps none. Gives
// each sum to the visitor. Leaves out sums of absurd CPUs, events or kinds. Returns the samples.
u64 decode_sample_sums(const Orrery__Dci__SampleSums *message, struct sample_set *set,
                       sums_visit *visit, void *context);

#endif

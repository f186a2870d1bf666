// SPDX-License-Identifier: MIT
// Sums of samples by site that the machine has made, from its messages. It trusts nothing in one.
#ifndef KOV_DECODE_SUMS_H
#define KOV_DECODE_SUMS_H

#include "samples/stack_table.h"

#include <dci.pb-c.h>

// Takes a sum; its site has the event's index in the session. from, to: ticks, as in the message.
typedef void sums_visit(void *context, const struct site_sum *sum, u64 from, u64 to);

// Counts the samples behind a message in the set, as decode_samples does, but keeps none. Gives
// each sum to the visitor. Leaves out sums of absurd CPUs, events or kinds. Returns the samples.
u64 decode_sample_sums(const Orrery__Dci__SampleSums *message, struct sample_set *set,
                       sums_visit *visit, void *context);

// Which stack a machine's numbers mean, until it begins another table. All zero at first, and for a
// new session.
#define STACK_NUMBERS_MAX 4096 // a machine has 2,048; larger numbers mean nothing
struct stack_numbers {
    u64 table;
    u32 numbers[STACK_NUMBERS_MAX]; // of ours; 0: none
};
// Notes the stacks of a message in the table, and gives each sum to the visitor, as SITE_STACK with
// the number of the table. Sums of numbers that nobody has told, and of stacks without room, are
// SITE_OTHER_STACKS. Leaves out what decode_sample_sums does.
void decode_sample_stacks(const Orrery__Dci__SampleStacks *message, struct stack_numbers *numbers,
                          struct stack_table *table, sums_visit *visit, void *context);

#endif

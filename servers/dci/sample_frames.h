// SPDX-License-Identifier: MIT
// Samples, their sums and their turns as messages.
#ifndef DCI_SAMPLE_FRAMES_H
#define DCI_SAMPLE_FRAMES_H

#include "frame.h"
#include "sample_stacks.h"

// Adds a sample to an open Samples.
void sample_frame_add(struct frame *frame, const struct sys_sample *sample);
// Adds the turns of an event on a CPU, if it takes turns.
void sample_frame_turns(struct frame *frame, u32 field, const struct sys_sampling_stat *stat);
// Adds the statistics of an event on a CPU. filtered: as in SamplingStat.
void sample_frame_stat(struct frame *frame, u32 field, u32 cpu, u32 index, u64 filtered,
                       const struct sys_sampling_stat *stat);
// Fills an event SampleSums with the oldest sums, as many as fit. from, to: ticks of the time base.
// Returns how many sums. Sets *samples to those in sums of kind SUM_ALL.
u32 sample_frame_sums(struct frame *frame, const struct sample_sums *sums, u64 from, u64 to,
                      u32 *samples);

// Fills an event SampleStacks with the frames of the next stacks, which it counts as told, and
// behind all of those with the oldest sums, as many as fit. Returns how many sums.
u32 sample_frame_stacks(struct frame *frame, struct sample_stacks *stacks, u64 from, u64 to);

#endif

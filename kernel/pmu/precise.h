// SPDX-License-Identifier: MIT
// Precise records of the model unit,
// made into samples like those of interrupts: which object, process and callers.
#ifndef KERNEL_PMU_PRECISE_H
#define KERNEL_PMU_PRECISE_H

#include <orrery/pmu_model.h>

#include "sampler.h"

// Takes all records out of a CPU's ring and puts a sample of each into the buffer of its event,
// with at most so many callers; what there is no room for is counted as lost there. Thread context;
// by the reader of the samplers.
void precise_drain(struct cpu_samplers *samplers, u32 cpu, u32 event_count, u32 callers);

// A record of a CPU as a sample, with at most so many callers. The process is looked at as it is
// now: if it has ended there is no thread, and for user code no object, nor are there callers
// beyond the first. Thread context.
void precise_sample(const struct model_record *record, u32 cpu, u32 callers,
                    struct sys_sample *sample);

#endif

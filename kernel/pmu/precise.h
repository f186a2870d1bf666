// SPDX-License-Identifier: MIT
// Makes samples of the model unit's precise records, like those of interrupts: object, process and
// callers.
#ifndef KERNEL_PMU_PRECISE_H
#define KERNEL_PMU_PRECISE_H

#include <orrery/pmu_model.h>

#include "sampler.h"

// Takes all records out of a CPU's ring and puts a sample of each into the buffer of its event,
// with at most this many callers. Samples without room are counted as lost there. Thread context;
// by the reader of the samplers.
void precise_drain(struct cpu_samplers *samplers, u32 cpu, u32 event_count, u32 callers);

// Makes a sample of a CPU's record, with at most this many callers. It looks up the process now. If
// the process has ended, the sample has no thread, and for user code no object and only the first
// caller. Thread context.
void precise_sample(const struct model_record *record, u32 cpu, u32 callers,
                    struct sys_sample *sample);

#endif

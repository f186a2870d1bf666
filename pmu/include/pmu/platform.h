// SPDX-License-Identifier: MIT
// Functions that the host supplies: the kernel (kernel/pmu), or the unit tests.
#ifndef PMU_PLATFORM_H
#define PMU_PLATFORM_H

#include <orrery/pmu_model.h>

// ---- memory ------------------------------------------------------------------------------------
void *pmu_platform_alloc(u64 bytes);  // NULL when out of memory; thread context
void pmu_platform_free(void *memory); // NULL is ignored; thread context

// ---- the calling CPU's counters -----------------------------------------------------------------
// The caller has acquired them. Thread or interrupt context, PMI included except where noted.

// Stops a counter, clears it and sets its event. Returns 0. E_INVAL: an argument out of its range,
// or the counter cannot count this event. E_NOENT: no such event on this machine.
s64 model_program(const struct model_program *program);
// Makes exactly the counters of this mask (bit n: counter n) count. They do when it returns 0; code
// that other CPUs execute before that may be counted or not. Not from the PMI handler: waits until
// all CPUs have left their current code, at most 30 seconds. E_INVAL: counters that do not exist or
// have no event. E_TIMEOUT.
s64 model_enable(u64 counters);
// Stores the values of all counters at the call.
s64 model_read(u64 values[MODEL_COUNTERS]);
// Sends future overflows of a counter, which does not count now, to this buffer as samples; NULL:
// to nobody. Not from the PMI handler.
struct sample_buffer;
void model_deliver(u32 counter, struct sample_buffer *buffer);
// Returns where a counter's overflows since model_program are counted. Read it by one load.
const u64 *model_overflow_count(u32 counter);

#endif

// SPDX-License-Identifier: MIT
// What the module needs from its host: the kernel (kernel/pmu), or the unit tests.
#ifndef PMU_PLATFORM_H
#define PMU_PLATFORM_H

#include <orrery/pmu_model.h>

// ---- memory ------------------------------------------------------------------------------------
void *pmu_platform_alloc(u64 bytes);  // NULL when out of memory; thread context
void pmu_platform_free(void *memory); // NULL is ignored; thread context

// ---- the calling CPU's counters -----------------------------------------------------------------
// Acquired by the caller. Thread or interrupt context, PMI included except where it says otherwise.

// Stops a counter, clears it and gives it what to count. 0, E_INVAL: an argument out of its range,
// or a counter that cannot count this event; E_NOENT: no such event on this machine.
s64 model_program(const struct model_program *program);
// Exactly the counters of this mask, bit n: counter n, count from now on. When it returns 0 they
// do, but for the code that runs until then on other CPUs nothing is said. Not from the PMI
// handler: waits until all CPUs have left the code that they execute, at most 30 seconds. E_INVAL:
// counters that do not exist or have no event; E_TIMEOUT.
s64 model_enable(u64 counters);
// Values of all counters at the call.
s64 model_read(u64 values[MODEL_COUNTERS]);
// Overflows of a counter that does not count now are samples of this buffer from now on, those
// excepted that have been before; NULL: nobody's. Not from the PMI handler.
struct sample_buffer;
void model_deliver(u32 counter, struct sample_buffer *buffer);
// Where a counter's overflows since model_program are counted. To be read by one load.
const u64 *model_overflow_count(u32 counter);

#endif

// SPDX-License-Identifier: MIT
// The areas: the scheduler's memory, which the kernel sees through a window for each. Behind the
// area a window has a scratch page for rows that begin at the area's end, and then nothing.
#ifndef KERNEL_LOG_AREAS_H
#define KERNEL_LOG_AREAS_H

#include <orrery/types.h>

struct fcm;

// Adds an area for a CPU. Returns its number. The memory is held and made resident. E_INVAL: it is
// no anonymous memory of LOG_AREA_BYTES; E_EXIST: it is an area already; E_LIMIT: the CPU has all
// that it can have; E_NOMEM. Thread context, no spin lock held; one at a time.
s64 log_area_add(struct fcm *memory, u32 cpu);
// Lets go of all of them. All points are off. Same context.
void log_areas_remove(void);
// Prepares for telling of these characteristics (bits), which were off. Same context.
void log_begin(u32 characteristics);
// Waits until the CPUs of a mask have left the handler if they were in it. Thread context, no lock
// held.
void log_quiesce(u64 cpus);

#endif

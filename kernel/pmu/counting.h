// SPDX-License-Identifier: MIT
// PmuCounting: a distributed object, one representative a CPU, that counts events on all CPUs of a
// session. Same contracts as the sys_pmu_* calls of orrery/pmu.h; thread context, no lock held.
// Sessions share the unit (engine.h); calls wait for each other.
#ifndef KERNEL_PMU_COUNTING_H
#define KERNEL_PMU_COUNTING_H

#include <co/object.h>
#include <orrery/pmu.h>

#include "counting_log.h"

struct pmu_counting;
struct pmu_offer;

struct pmu_counting_ops {
    struct co_ops base;
    s64 (*start)(struct pmu_counting *self, const struct sys_pmu_counting *counting, char *message,
                 u64 bytes);
    // Ends the current slice and reads. E_INVAL: not one of the session's CPUs, or no room for all
    // items. E_LIMIT: it has counted more than PMU_COUNT_MAX there, and ended.
    s64 (*read)(struct pmu_counting *self, s64 session, u32 cpu, struct sys_pmu_count *counts,
                u64 bytes);
    s64 (*tasks)(struct pmu_counting *self, s64 session, u32 cpu, u64 *cursor, void *buffer,
                 u64 bytes);
    // Returns which counter counts each item of a running session that programs may read. E_STALE,
    // E_INVAL.
    s64 (*places)(struct pmu_counting *self, s64 session, u8 counters[SYS_PMU_ITEMS]);
    s64 (*stop)(struct pmu_counting *self, s64 session); // E_STALE: it does not run
    s64 (*trace)(struct pmu_counting *self, s64 session, u64 majors);
    // For the logs for schedulers (orrery/log.h). E_STALE: no running session of the caller's.
    // E_INVAL, E_LIMIT.
    s64 (*log)(struct pmu_counting *self, s64 session, const u32 items[COUNTING_LOGGED]);
    s64 (*process_ends)(struct pmu_counting *self, u32 pid); // stops the process's session, if any
    // From the timer on each CPU of a session; interrupt context.
    s64 (*tick)(struct pmu_counting *self);
};

struct pmu_counting {
    CO_REP(struct pmu_counting_ops);
};

extern coid_t pmu_counting; // set by counting_init

// Makes the object a service. Boot CPU, after co_init. Returns 0 or E_NOMEM.
s64 counting_init(void);

// Returns the events that can be counted now. Any context but PMI.
void counting_offer(struct pmu_offer *offer);

#endif

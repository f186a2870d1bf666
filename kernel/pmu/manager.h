// SPDX-License-Identifier: MIT
// The PmuManager: a distributed object, one representative a CPU, that runs sampling sessions. Same
// contracts as the sys_sampling_* calls of orrery/sys.h; thread context, no lock held.
#ifndef KERNEL_PMU_MANAGER_H
#define KERNEL_PMU_MANAGER_H

#include <co/object.h>
#include <orrery/sys.h>

struct pmu_manager;
struct process;

struct pmu_manager_ops {
    struct co_ops base;
    s64 (*start)(struct pmu_manager *self, const struct sys_sampling *sampling, char *message,
                 u64 bytes);
    s64 (*change)(struct pmu_manager *self, s64 session, u32 index, u64 period, u32 randomise);
    s64 (*stop)(struct pmu_manager *self, s64 session);
    s64 (*notify)(struct pmu_manager *self, s64 session, struct process *process, bool on);
    s64 (*read)(struct pmu_manager *self, s64 session, u32 cpu, u32 index, void *buffer, u64 bytes);
    s64 (*stat)(struct pmu_manager *self, s64 session, u32 cpu, u32 index,
                struct sys_sampling_stat *stat);
};

struct pmu_manager {
    CO_REP(struct pmu_manager_ops);
};

extern coid_t pmu_manager; // set by pmu_init

#endif

// SPDX-License-Identifier: MIT
// Counts for who reads them. Thread context, no lock held; who owns the session serialises all
// calls. running: the CPU counts still.
#ifndef KERNEL_PMU_COUNTING_READING_H
#define KERNEL_PMU_COUNTING_READING_H

#include <pmu/counting_cpu.h>

// What sys_pmu_count_read says of this CPU, with room for all items. Bytes, E_NOMEM,
// or why the CPU has ended.
s64 counting_read_cpu(const struct counting_plan *plan, struct counting_cpu *counting, u32 cpu,
                      bool running, struct sys_pmu_count *counts);
// What sys_pmu_count_tasks says of this CPU.
s64 counting_read_tasks(const struct counting_plan *plan, struct counting_cpu *counting, u32 cpu,
                        bool running, u64 *cursor, void *buffer, u64 bytes);

#endif

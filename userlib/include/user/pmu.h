// SPDX-License-Identifier: MIT
// A program counts events of its own threads, and reads the counters without a system call. Needs
// RIGHT_MONITOR and the model unit (docs/counting.md).
//
// pmu_read gives the calling thread's events alone, exactly, wherever the thread runs. The unit
// counts per CPU, whatever runs there. Two places take out what is not the thread's:
// - The kernel notes at every switch what is counted while the dispatcher does not run
// (orrery/user_counters.h). A read is done again if that happened in its middle.
// - The library adds up for each thread what its dispatcher counts between its turns. It does so
// when it switches threads, and before a thread leaves for another CPU, so counts go along.
// A thread's counts include what the kernel does on its behalf (if SYS_PMU_KERNEL is counted),
// interrupts that hit it, and the library's switch away from it: some hundred instructions.
//
// Counts begin anywhere: use the difference between two reads of one thread in one session. Call
// from threads; pmu_read also inside of user_disable.
#ifndef USER_PMU_H
#define USER_PMU_H

#include <orrery/pmu.h>
#include <orrery/user_counters.h>

// Starts a session (sys_pmu_count_start) that this process's threads can read, on all CPUs. Returns
// its number > 0, for sys_pmu_count_read, or the same errors, and E_LIMIT with a message if the
// items do not fit the counters at once.
s64 pmu_open(const struct sys_pmu_counting *counting, char *message, u64 bytes);
// Reads the calling thread's counts: counts[i] is item i of the session. No system call; some 150
// instructions, the same number between any two reads in a row. Returns 0, or E_STALE (not open).
s64 pmu_read(u64 *counts);
// Ends the session. E_STALE: not open.
s64 pmu_close(void);

#endif

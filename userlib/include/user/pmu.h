// SPDX-License-Identifier: MIT
// A program counts events of its own threads, and reads the counters without a system call. Needs
// RIGHT_MONITOR and the model unit (docs/counting.md).
//
// What pmu_read says is the calling thread's alone, to the event, wherever it runs. The unit counts
// per CPU, whatever runs there; what is not the thread's is taken out in two places:
// - The kernel notes what is counted while the dispatcher does not run (orrery/user_counters.h), at
// every switch. A
//   read in whose middle that happened is done again.
// - The library adds up for each thread what its dispatcher counts between its turns, when it
// switches threads, and
//   before a thread leaves for another CPU. So counts go along with it.
// Part of a thread are what the kernel does on its behalf (where SYS_PMU_KERNEL is counted),
// interrupts that hit it, and the library's switch away from it: some hundred instructions.
//
// Counts begin anywhere: what counts is the difference between two reads of one thread in one
// session. All calls in threads; pmu_read also inside of user_disable.
#ifndef USER_PMU_H
#define USER_PMU_H

#include <orrery/pmu.h>
#include <orrery/user_counters.h>

// Starts a session (sys_pmu_count_start) that this process's threads can read, on all CPUs. Its
// number > 0, for sys_pmu_count_read; else the same errors, and E_LIMIT with a message when the
// items do not fit the counters at once.
s64 pmu_open(const struct sys_pmu_counting *counting, char *message, u64 bytes);
// The calling thread's counts: counts[i] is item i of the session. No system call; some 150
// instructions, of which the same number lies between any two reads in a row. 0,
// or E_STALE: not open.
s64 pmu_read(u64 *counts);
// Ends the session. E_STALE: not open.
s64 pmu_close(void);

#endif

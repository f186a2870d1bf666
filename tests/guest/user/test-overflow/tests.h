// SPDX-License-Identifier: MIT
// What the tests of overflows share: sessions, what handlers note, and work.
#ifndef TEST_OVERFLOW_TESTS_H
#define TEST_OVERFLOW_TESTS_H

#include <orrery/errors.h>
#include <orrery/pmu_model.h>
#include <orrery/sys.h>
#include <user/profile.h>

#define BOTH (SYS_PMU_KERNEL | SYS_PMU_USER)
#define PROGRAM "bin/test-overflow"

// Whether there is the model unit. Without it sessions sample cycles, whatever filter they ask for.
bool has_model(void);
// Returns the period to ask for. Those of cycles are longer: they go on while the kernel handles an
// overflow, on the virtual machine's clock.
u64 period_of(u64 instructions);
// Starts to sample instructions on all CPUs. Returns the session, or an error.
s64 session_try(u64 period, u32 filter, u32 flags);
// The same, which must succeed; waits while somebody else samples.
s64 session_start(u64 period, u32 filter);
// Calls sys_overflow_notify, again while the session is being changed.
s64 notify(s64 session, u32 pid, bool on);

// A loop of some instructions a turn, of which nothing is known but that it takes some time.
void work(u64 turns);
void call_kernel(u64 calls); // system calls, one after the other
// Calls function(argument) in a thread of this CPU, and waits for its end.
void on_cpu(u32 cpu, s64 (*function)(void *), void *argument);
s64 nothing(void *unused);
// Starts this program as a child. rights: RIGHT_*, or PROCESS_SAME_RIGHTS. Returns its pid.
u32 child(const char *role, u32 rights);
// What such a child does, by the name of its role. Returns its exit status.
int child_role(const char *role);

void exact_counts(void);
void refusals(void);
void children(void);
void storm(void);

#endif

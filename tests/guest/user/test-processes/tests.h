// SPDX-License-Identifier: MIT
// Between the parts of the test.
#ifndef TEST_PROCESSES_TESTS_H
#define TEST_PROCESSES_TESTS_H

#include <orrery/types.h>

// Counts a verdict; prints a failed one.
void expect(bool condition, const char *what, s64 got);
// Starts this program as `role argument` without rights on cpu: its pid or an error.
s64 start(const char *role, u64 argument, u32 cpu);
// The same with a role that tells, and waits until it has.
s64 start_ready(const char *role, u32 cpu);
// Waits for its end: its status, or an error far below any.
s64 wait_for(s64 pid);
u32 cpus(void);
// Value of the boot option, or that.
u64 option(const char *name, u64 otherwise);

void test_asking(void);
void test_crowd(void);
void test_storm(void);
void test_fpu(void);

int child_main(const char *role, u64 argument);
int fpu_child(u64 seed);

#endif

// SPDX-License-Identifier: MIT
// Between the parts of the test.
#ifndef TEST_PLACE_TESTS_H
#define TEST_PLACE_TESTS_H

#include <orrery/ipc.h>
#include <orrery/place.h>

// Starts this program in a role, with rights, on a CPU. Its pid, or an error.
s64 start(const char *role, u32 rights, u32 cpu);
// Does so, and gives it a capability as CAP_PARENT; 0: none.
s64 start_with(const char *role, u32 rights, u32 cpu, cap_t parent);
// Waits for its end: its status, or an error far below any.
s64 wait_for(s64 pid);
// Ends a child, and waits for that.
void end(s64 pid);
u32 cpus(void);
u64 option(const char *name, u64 otherwise);
u64 random_below(u64 limit);

void test_refusals(void);
void test_random(void);
void test_storm(void);
void test_follow(void);
void test_ignore(void);
void test_priority(void);
void test_slice(void);
void test_spread(void);

// Roles: what a process with this does. The result is its status.
int without_right(void);
int follow_place(void);
int be_refused(void);
int serve_calls(void);
int serve_a_pair(void);
int call_for_ever(void);
int make_pairs(void);
int make_full(void);

#endif

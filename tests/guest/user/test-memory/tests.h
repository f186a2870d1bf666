// SPDX-License-Identifier: MIT
// Parts of test-memory, and what they check with.
#ifndef TEST_MEMORY_TESTS_H
#define TEST_MEMORY_TESTS_H

#include <orrery/errors.h>
#include <orrery/memory.h>

#define PAGE 4096UL
#define GRANTED 8 // a child's slot for the capability it is given

void check_is(const char *what, const char *file, int line, s64 got, s64 expected);
#define CHECK_IS(got, expected) check_is(#got, __FILE__, __LINE__, (s64)(got), (s64)(expected))

// Makes a region anywhere: its address, or 0 after a failed check.
u64 make_region(u32 kind, u64 bytes, u32 prot, cap_t memory, u32 flags);
// What the system sees there, without risking the program: 0 or E_FAULT.
s64 can_read(u64 address);
s64 can_write(u64 address);                    // spoils what is there
u64 resident(void);                            // pages of this process
coid_t own_object(void);                       // this process's, in the kernel
bool names_child(coid_t parent, coid_t child); // in the scan of the kernel's objects

// A child running one of the scenarios below: its status.
s64 start_child(const char *scenario, u64 memory_limit, cap_t grant); // its pid
s32 end_of_child(s64 pid);
s32 run_child(const char *scenario, u64 memory_limit, cap_t grant);
int child_scenario(const char *name); // in the child
int child_sharing(const char *name);  // -1: no such scenario, as the next
int child_files(const char *name);
int child_chaos(const char *name);

void test_regions(void);
void test_sharing(void);
void test_files(void);
void test_storm(void);
void test_chaos(void);
void test_reclaim(void);
void test_crashes(void);

#endif

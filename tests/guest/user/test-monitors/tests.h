// SPDX-License-Identifier: MIT
// The parts of test-monitors.
#ifndef TEST_MONITORS_TESTS_H
#define TEST_MONITORS_TESTS_H

#include <orrery/errors.h>
#include <orrery/monitors.h>
#include <user/process.h>

#define SWITCHES (1u << SYS_MONITOR_SWITCH)
#define WAKES (1u << SYS_MONITOR_WAKE)
#define FAULTS (1u << SYS_MONITOR_FAULT)
#define SYSCALLS (1u << SYS_MONITOR_SYSCALL)
// Of what happens to a thread by itself; the others are its program's.
#define ALL_KINDS (SWITCHES | WAKES | FAULTS | SYSCALLS | 1u << SYS_MONITOR_BLOCK)
#define SLOT_MONITOR 2 // a child's, when it is given one

#define CHECK_IS(got, expected) check_is(#got, __FILE__, __LINE__, (s64)(got), (s64)(expected))
void check_is(const char *what, const char *file, int line, s64 got, s64 expected);
extern u64 failures;

// A child of this program in a role, with what `how` has set. Its pid.
s64 spawn(const char *role, struct process_spawn *how);
s32 end_of(s64 pid); // waits for it: its status
cap_t make(u64 bytes);
u64 map(cap_t memory); // its first address, readable
struct sys_monitor_stat stat_of(cap_t monitor, u32 cpu);

void errors_change_nothing(void);
void limits_hold(void);
void some_are_kept_for_rights(void);
void nobody_hides_by_tracking_itself(void);
void the_terminated_answers_nobody(void);
int child_without_rights(void); // statuses: 0 is good
int child_holds(void);
int child_beyond_limits(void);
int child_hoards(void);
int child_comes_late(void);
int child_hides(void);

void counts_are_those_of_the_trace(void);
int child_works(void);

// All records of all CPUs are shown to look: how many.
u64 read_all(cap_t monitor, void (*look)(const struct sys_monitor_record *record));
// Of a suspended one from which so many have been read, all that there were.
void check_sums(cap_t monitor, u64 read);

void kinds_are_counted(void);
int child_asks(void);
int child_is_busy(void);
void both_paths_of_calls_are_told_alike(void);
void what_is_told_stands_between_switches(void);
void calls_are_joined_by_their_ids(void);
int child_calls_fast(void);
int child_calls_slowly(void);

s64 example(void); // bytes of records of CPU 0

void processes_tell_of_themselves(void);
void what_is_told_is_taken(void);
int child_lies(void);
int child_forges(void);
int child_leaves_records(void);
int child_counts(void);

void nobody_writes_what_is_mapped(void);
void the_killed_leave_nothing(void);
void who_ends_meanwhile_is_not_tracked(void);
int child_ends_soon(void);
void kill_victims(u32 rounds); // two a round, after up to 20 ms
int child_stores(void);
int child_is_killed(void);

void clients_know_nothing_of_each_other(void);
int child_is_client(void);

#endif

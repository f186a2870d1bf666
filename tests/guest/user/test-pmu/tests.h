// SPDX-License-Identifier: MIT
// What the tests of counting share: checks, the events of this machine, requests,
// and work whose events are known.
#ifndef TEST_PMU_TESTS_H
#define TEST_PMU_TESTS_H

#include <orrery/errors.h>
#include <orrery/pmu.h>

extern u64 failures;

#define CHECK_IS(got, expected) check_is(#got, __LINE__, (s64)(got), (s64)(expected))
void check_is(const char *what, int line, s64 got, s64 expected);

// The number of an event, which there must be.
u32 event(const char *name);

// How many counters can count it.
u32 counters(const char *name);

#define BOTH (SYS_PMU_KERNEL | SYS_PMU_USER)
#define WORDS_BYTES 256
extern char message[WORDS_BYTES]; // of the last start

// One set without an item, of share 1; slices of instructions.
struct sys_pmu_counting request(void);
void add(struct sys_pmu_counting *counting, const char *name, u32 filter, u32 set);
s64 start(const struct sys_pmu_counting *counting);
// A count as if it had gone on all the time, and its error (tests/unit/pmu/estimate.h).
struct scaled_count {
    u64 count, error;
    u64 measured, total;
};
// All counts of one CPU; they must be there.
void read_counts(s64 session, u32 cpu, const struct sys_pmu_counting *counting,
                 struct scaled_count counts[SYS_PMU_ITEMS]);

// ---- work ---------------------------------------------------------------------------------------

// Calls function(argument) in a thread of this CPU that stays there,
// and is disturbed by nothing but the kernel.
void on_cpu(u32 cpu, void (*function)(void *), void *argument);
// Turns of a loop, at least one.
void work(u64 turns);
// The same on all CPUs at once, as on_cpu.
void work_everywhere(u64 turns);
// Of one turn.
#define WORK_INSTRUCTIONS 9
#define WORK_LARX 1
#define WORK_STCX 1
#define WORK_BRANCHES 1
#define WORK_LOADS 2
#define WORK_STORES 2

// ---- tests --------------------------------------------------------------------------------------

void refusals(void);
void counts(void);
void turns(void);
void tasks(void);
void own(void);
void intervals(void);
void sharing(void);

#define FOREVER "9000000000000000" // turns
// What a child does: so many turns, which it asks to be left out of all counts.
int burn(const char *turns, bool excluded);

#endif

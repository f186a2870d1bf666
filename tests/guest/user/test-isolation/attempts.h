// SPDX-License-Identifier: MIT
// What a process tries, and how that has to end.
#ifndef TEST_ISOLATION_ATTEMPTS_H
#define TEST_ISOLATION_ATTEMPTS_H

#include <orrery/process.h>

#define ANY_EXCEPTION (-1) // ended by an exception, whichever
#define ANY_END (-2)       // whichever way, or not at all
#define EXCEPTION(vector) STATUS_KILLED(vector)
#define STATUS_BY_PARENT 77 // it goes on until it is killed with this

struct attempt {
    const char *name;
    void (*run)(u64 argument); // if it returns, the process exits with 0
    u64 argument;
    s32 expected; // status, or one of the above
};

extern const struct attempt attempts[];
extern const u32 attempt_count;

// confused.c
void capabilities_confused(u64 unused);
void another_s_endpoint(u64 unused);
// exhaust.c
void all_memory(u64 unused);
void all_processes(u64 unused);
void all_objects(u64 unused);
void no_urgent_child(u64 unused);
// For the one that starts attempts: 0 when it gets what it needs.
s64 goes_on(void);
// Words[0] of a call to the victim: words[0] of the answer is what goes_on says.
#define VICTIM_GOES_ON 0x4f4e

// For the one that starts attempts: an endpoint of its own, which each is granted at SLOT_VICTIM.
cap_t victim(void);
#define SLOT_VICTIM 9

// privileged.S: instructions that user mode must not execute, by index.
extern const u32 privileged_count;
void privileged_run(u64 index);

// broken.S
void without_r13(u64 rounds);    // r13 is wild, system calls and interrupts go on; returns
void without_stack(u64 address); // r1 is address, the same; does not return, exits with 0
void jump_to(u64 address);

// count system calls with random numbers and arguments. Most often does not return.
void random_calls(u64 count);
// For the one that started it: how many random calls have been made so far, all processes together.
u64 random_calls_made(void);
cap_t random_share(
    void); // before the first: the memory that each has to be granted at SLOT_RANDOM_COUNT
#define SLOT_RANDOM_COUNT 8

#endif

// SPDX-License-Identifier: MIT
// A process that runs programs. Its threads are its dispatchers, one a CPU at most; all state is in
// memory of its own, none behind r13 but what the kernel looks at.
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include <orrery/errors.h>
#include <orrery/process.h>
#include <orrery/user.h>

#include <fuzz/calls.h>
#include "raw.h"

// ---- memory ------------------------------------------------------------------------------------

#define AREA 0x30000000UL
#define AREA_PAGES 96UL // writable; behind them one that is not there
#define AREA_OTHER (AREA + (AREA_PAGES + 1) * FUZZ_PAGE) // writable, then AREA_READ_ONLY
#define AREA_READ_ONLY (AREA_OTHER + FUZZ_PAGE)
#define AREA_EXECUTABLE (AREA_READ_ONLY + FUZZ_PAGE)
#define AREA_HOLE (AREA_EXECUTABLE + FUZZ_PAGE)
#define SLOT_AT 0x40000000UL
#define COVERAGE_AT 0x50000000UL
#define COMMON_AT 0x58000000UL
#define LONG_TEXT_BYTES 5000UL // its NUL is the area's last byte

void memory_map(void); // all of it, at the start

static inline struct fuzz_slot *slot(void)
{
    return (struct fuzz_slot *)SLOT_AT;
}

static inline struct fuzz_state *state(void)
{
    return &slot()->head.state;
}

// Read-only for the process.
static inline const struct fuzz_guard *guard_of_slot(void)
{
    return &((const struct fuzz_slot *)SLOT_AT)->judge.guard;
}

// ---- threads -----------------------------------------------------------------------------------

#define STACK_BYTES 0x8000

struct thread {
    u32 number; // 0: the first; others by CPU
    u32 cpu;
    struct event last;          // of those that came
    u64 results[FUZZ_STEPS];    // of the program that runs
    u64 token;                  // of the last call
    u64 context[CONTEXT_WORDS]; // for own.c and resume
    bool guarded;               // a fault goes to the context
    u64 data;                   // how much of the area this step has used
    bool spare_used;
};

struct thread *thread_here(void);
u64 thread_stack(u32 number); // upper end; of the first one for run, upcalls have another
u64 thread_spare(u32 number);
u64 thread_upcalls(u32 number);
void thread_run(struct thread *self) __attribute__((noreturn));

// ---- the dispatcher's page ---------------------------------------------------------------------

static inline u64 window(void)
{
    u64 r13;
    __asm__ volatile("mr %0,13" : "=r"(r13));
    return r13;
}

static inline struct dispatcher_page *page(void)
{
    return (struct dispatcher_page *)(window() + R13_HOST);
}

static inline u64 now(void)
{
    u64 ticks;
    __asm__ volatile("mftb %0" : "=r"(ticks));
    return ticks;
}

#define TICKS_A_MICROSECOND 512

// ---- values ------------------------------------------------------------------------------------

void pool_add(u32 pool, u64 value);
u64 pool_get(u32 pool, u64 nth); // 0: nothing there
u64 place_address(struct thread *self, u32 place);

// One value; bytes: of a pointer how much it is to point to; 0: as the value says.
u64 value_of(struct thread *self, const struct fuzz_value *value, u64 bytes);
// Memory for a value of FUZZ_DATA, filled.
u64 data_of(struct thread *self, const struct fuzz_value *value, u64 bytes);
void *copy(void *to, const void *from, u64 bytes);

// ---- steps -------------------------------------------------------------------------------------

s64 call(u64 number, u64 a, u64 b, u64 c, u64 d); // one of the target's own, disabled
s64 perform(struct thread *self, const struct fuzz_program *program, const struct fuzz_step *step);
s64 perform_method(struct thread *self, const struct fuzz_call *call, const struct fuzz_step *step);
s64 perform_own(struct thread *self, const struct fuzz_call *call, const struct fuzz_step *step);
// Calls that must not be made: the only place. Registers as for raw_call.
bool excluded(const u64 registers[RAW_REGISTERS]);

// ---- events ------------------------------------------------------------------------------------

void event_upcall(const struct event *event) __attribute__((noreturn));
void event_note(struct thread *self, const struct event *event);
void event_serve(struct thread *self, const struct event *event);
void event_flags(u32 flags); // FUZZ_ANSWERS … of the program that runs
void event_timer(u64 microseconds);
// Takes what comes, at most so many events, each within microseconds.
u32 event_pump(struct thread *self, u32 most, u64 microseconds);
bool event_next(struct thread *self, struct event *event,
                u64 microseconds); // false: the time was over

#endif

// SPDX-License-Identifier: MIT
// Threads: the first runs all programs of the batch, those of other dispatchers what is theirs of
// the program that the first is at.
#include "target.h"

#include <syscalls/numbers.h>

#define IDLE_US 200
#define IDLE_ROUNDS 2000 // then the first is thought dead

static struct thread threads[FUZZ_THREADS];
// For each thread: to run on, for upcalls, and one that nobody needs.
static u8 stacks[FUZZ_THREADS][3][STACK_BYTES] __attribute__((aligned(16)));

struct thread *thread_here(void)
{
    u32 cpu = *(volatile u32 *)(window() + R13_CPU) % FUZZ_THREADS;
    threads[cpu].cpu = cpu;
    return &threads[cpu];
}

static u64 upper_end(const u8 *stack)
{
    return (u64)stack + STACK_BYTES - 128;
}

u64 thread_stack(u32 number)
{
    return upper_end(stacks[number][0]);
}

u64 thread_upcalls(u32 number)
{
    return upper_end(stacks[number][1]);
}

u64 thread_spare(u32 number)
{
    return upper_end(stacks[number][2]);
}

static u64 executed(void)
{
    return ((volatile struct fuzz_coverage *)COVERAGE_AT)->executed;
}

static void count(u32 call_index, s64 result)
{
    u64 *counter = fuzz_count_of(slot()->counts, call_index, fuzz_result_class(result));
    __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static void run_step(struct thread *self, struct fuzz_program *program, u32 index)
{
    const struct fuzz_step *step = fuzz_step_of(program, index);

    if (step->thread != self->number || step->call >= FUZZ_CALLS)
        return;
    state()->step[self->number] = index;
    self->data = 0;
    s64 result = perform(self, program, step);
    self->results[index] = (u64)result;
    count(step->call, result);
}

static void run_program(struct thread *self, u32 index)
{
    struct fuzz_program *program = &slot()->programs[index];
    u32 steps = fuzz_first(program)->steps;

    event_flags(fuzz_first(program)->flags);
    for (u32 i = 0; i < FUZZ_STEPS; i++)
        self->results[i] = 0;
    for (u32 i = 0; i < steps && i < FUZZ_STEPS; i++)
        run_step(self, program, i);
}

static void run_batch(struct thread *self)
{
    u32 programs = state()->programs;

    for (u32 i = state()->first; i < programs && i < FUZZ_BATCH; i++) {
        u64 before = executed();
        state()->program = i;
        run_program(self, i);
        u64 gained = executed() - before;
        state()->gained[i] += gained < 0x10000 ? (u32)gained : 0;
    }
    call(SYS_EXIT, 0, 0, 0, 0);
}

// What is this thread's of each program that the first comes to.
static void follow(struct thread *self)
{
    u32 seen = FUZZ_BATCH;

    for (u32 i = 0; i < IDLE_ROUNDS; i++) {
        u32 at = state()->program;
        if (at != seen && at < FUZZ_BATCH)
            run_program(self, at);
        seen = at;
        event_pump(self, 1, IDLE_US);
    }
    call(SYS_EXIT, 0, 0, 0, 0);
}

void thread_run(struct thread *self)
{
    if (self->number == 0)
        run_batch(self);
    follow(self);
    for (;;)
        ;
}

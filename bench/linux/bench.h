// SPDX-License-Identifier: MIT
// Measuring: the least of BATCHES batches, so that hardly any of the kernel's clock ticks is in it.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "linux.h"

#define PAGE 4096UL
#define BATCHES 25

// Nanoseconds of the machine's time, which under -icount shift=0 are instructions.
u64 now(void);

// Prints "BENCH name value ns": what one of operations took, to a tenth.
void tell(const char *name, u64 ns, u64 operations);

// Does the operation, which becomes part of the loop, so many times a batch, and tells what it
// took. The loop is included.
__attribute__((always_inline)) static inline void measure(const char *name, u32 rounds,
                                                          void (*operation)(void))
{
    u64 least = ~0UL;

    operation();
    for (u32 batch = 0; batch < BATCHES; batch++) {
        u64 begin = now();
        for (u32 i = 0; i < rounds; i++)
            operation();
        u64 ns = now() - begin;
        least = ns < least ? ns : least;
    }
    tell(name, least, rounds);
}

// Ends the machine, as something that cannot fail did.
_Noreturn void fail(const char *what, s64 result);

// Returns a call's result, and fails if it is an error.
static inline s64 need(const char *what, s64 result)
{
    if (result < 0)
        fail(what, result);
    return result;
}

// Maps anonymous memory that nobody has touched, private or (shared) one for all children.
void *pages(u64 bytes, int shared);

// Makes a child with a copy of all memory, or one that shares it. The child calls function and
// exits. Returns its id.
u64 process(void (*function)(void *), void *argument);
void process_wait(u64 id);
struct task {
    void *stack; // kept for the next one
    u32 id;      // 0: it has ended
};
void task_begin(struct task *task, void (*function)(void *), void *argument);
void task_join(struct task *task);

// One file of main.c's list each.
void bench_calls(void);
void bench_memory(void);
void bench_files(void);
void bench_pipes(void);
void bench_sockets(void);
void bench_threads(void);
void bench_processes(void);

#endif

// SPDX-License-Identifier: MIT
// Protection and calls between CPUs: safe reads of bad addresses give E_FAULT, stacks have guard
// pages, text cannot be written, data cannot be executed, cpus_call reaches exactly the CPUs named.
#include "bench.h"

#include <kernel/irq.h>
#include <kernel/memory.h>
#include <kernel/percpu.h>
#include <kernel/thread.h>
#include <orrery/errors.h>

#include "benches.h"

#define ROUNDS 200

int guest_try_store(u64 *to, u64 value); // try_store.S: 0 or E_FAULT

// Addresses that nothing maps: where null pointers lead, the end of the space, between the linear
// map and the windows (and no shadow of theirs), past the last CPU's window.
static const u64 holes[] = {
    8,
    0xfffffffffffffff0,
    0xC0000F0000000000,
    PERCPU_WINDOW_BASE + (ORRERY_MAX_CPUS + 8) * R13_WINDOW_SIZE,
};

static void fault_reads(struct bench_worker *worker)
{
    u64 word = 0, there = 0x1234;
    for (u32 round = 0; round < ROUNDS; round++) {
        u64 hole = *(const u64 *)worker->argument;
        worker->result += safe_read_u64(&word, (const u64 *)hole) == E_FAULT;
        worker->result += safe_read_u64(&word, &there) == 0 && word == there;
        word = 0;
    }
}

static void safe_reads(void)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    for (u32 i = 0; i < ARRAY_SIZE(holes); i++) {
        struct bench_tally tally = {0};
        bench_on_cpus(bench_all_cpus(), fault_reads, (void *)&holes[i], workers);
        for (u32 cpu = 0; cpu < cpu_count; cpu++)
            bench_compare(&tally, 2 * ROUNDS, workers[cpu].result);
        bench_tally_row(&tally, "safe reads: memory is read, 0x%llx faults",
                        (unsigned long long)holes[i]);
    }
    char copy[16];
    const char *end = (const char *)ALIGN_DOWN((u64)__builtin_frame_address(0), 16);
    bench_exact(0, (u64)-safe_read(copy, end, sizeof(copy)),
                "safe read of 16 bytes that are there");
    bench_exact((u64)-E_FAULT, (u64)-safe_read(copy, (const void *)8, sizeof(copy)),
                "safe read of 16 bytes that are not");
}

static void guard(struct bench_worker *worker)
{
    u64 sp = (u64)__builtin_frame_address(0);
    u64 below = ALIGN_DOWN(sp, PAGE_SIZE);
    u64 depth = 0;
    while (depth <= THREAD_STACK_SIZE && mmu_lookup(below - depth) != 0)
        depth += PAGE_SIZE;
    u64 word;
    worker->result = depth <= THREAD_STACK_SIZE && mmu_lookup(sp) != 0 &&
                     safe_read_u64(&word, (const u64 *)(below - depth)) == E_FAULT;
}

static void guards(void)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    struct bench_tally tally = {0};
    bench_on_cpus(bench_all_cpus(), guard, NULL, workers);
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        bench_compare(&tally, 1, workers[cpu].result);
    bench_tally_row(&tally, "stacks with an unmapped guard page below");
}

// Stores back what is there, so that a store that is not refused does no harm.
static void text(void)
{
    u64 *code = *(u64 **)(void *)bench_fault; // ELFv1: a function pointer is a descriptor
    u64 word = 0;
    bench_exact(0, (u64)-safe_read_u64(&word, code), "text can be read");
    bench_exact((u64)-E_FAULT, (u64)-guest_try_store(code, word), "text cannot be written");
    bench_exact((u64)-E_FAULT, (u64)-guest_try_store((u64 *)(void *)holes, holes[0]),
                "constants cannot be written");
    bench_exact(0, (u64)-guest_try_store(&word, word), "data can be written");
}

static void visit(void *argument)
{
    u64 *visits = argument;
    visits[cpu_id()]++;
}

static void calls(void)
{
    struct bench_tally tally = {0};
    u64 visits[ORRERY_MAX_CPUS] = {0}, expected[ORRERY_MAX_CPUS] = {0};
    for (u64 mask = 0; mask <= bench_all_cpus(); mask++)
        for (u32 round = 0; round < ROUNDS / 8; round++) {
            cpus_call(mask, visit, visits);
            for (u32 cpu = 0; cpu < cpu_count; cpu++)
                expected[cpu] += mask >> cpu & 1;
        }
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        bench_compare(&tally, expected[cpu], visits[cpu]);
    bench_tally_row(&tally, "cpus_call: every mask of %u CPUs", cpu_count);
}

void bench_fault(void)
{
    safe_reads();
    guards();
    text();
    calls();
}

// SPDX-License-Identifier: MIT
// Memory: pages and small objects from all CPUs at once keep the pattern that was written, are
// aligned, never overlap, and are all back afterwards.
#include <kernel/memory.h>
#include <kernel/percpu.h>
#include <orrery/errors.h>
#include <workloads/work.h>

#include "bench.h"
#include "benches.h"

#define BLOCKS 64
#define ROUNDS 3000
#define MAX_ORDER 3

struct block {
    u64 *words;
    u64 bytes;
    u64 pattern;
    u32 order;
    bool pages;
};

static void fill(struct block *block, u64 pattern)
{
    block->pattern = pattern;
    for (u64 i = 0; i < block->bytes / 8; i++)
        block->words[i] = pattern + i;
}

static bool intact(const struct block *block)
{
    for (u64 i = 0; i < block->bytes / 8; i++)
        if (block->words[i] != block->pattern + i)
            return false;
    return true;
}

// False when the allocator gave none or a misaligned one.
static bool take(struct block *block, u64 random)
{
    block->pages = random % 4 == 0;
    if (block->pages) {
        block->order = (u32)(random >> 8) % (MAX_ORDER + 1);
        block->bytes = PAGE_SIZE << block->order;
        block->words = pages_alloc(block->order);
    } else {
        block->bytes = 8 + (random >> 8) % 3000;
        block->words = kmalloc(block->bytes);
    }
    u64 alignment = block->pages ? block->bytes : 16;
    return block->words != NULL && (u64)block->words % alignment == 0;
}

static void give(struct block *block)
{
    if (block->pages)
        pages_free(block->words, block->order);
    else
        kfree(block->words);
    block->words = NULL;
}

// result: how many blocks were wrong.
static void churn(struct bench_worker *worker)
{
    struct block blocks[BLOCKS] = {0};
    u64 random = 0x9e3779b97f4a7c15 + worker->cpu;
    for (u64 i = 0; i < ROUNDS; i++) {
        struct block *block = &blocks[work_random(&random) % BLOCKS];
        if (block->words != NULL) {
            worker->result += !intact(block);
            give(block);
        } else if (take(block, work_random(&random))) {
            fill(block, work_random(&random));
        } else {
            worker->result++;
        }
    }
    for (u32 i = 0; i < BLOCKS; i++)
        if (blocks[i].words != NULL) {
            worker->result += !intact(&blocks[i]);
            give(&blocks[i]);
        }
}

static void round_of_churn(struct bench_tally *tally)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    bench_on_cpus(bench_all_cpus(), churn, NULL, workers);
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        bench_compare(tally, 0, workers[cpu].result);
}

static void zeroed(void)
{
    u64 nonzero = 0;
    const u64 *page = pages_alloc_zeroed(0);
    const u64 *small = kzalloc(512);
    for (u32 i = 0; page != NULL && i < PAGE_SIZE / 8; i++)
        nonzero += page[i] != 0;
    for (u32 i = 0; small != NULL && i < 512 / 8; i++)
        nonzero += small[i] != 0;
    bench_exact(0, nonzero + (page == NULL) + (small == NULL), "words of zeroed memory not zero");
    pages_free((void *)page, 0);
    kfree((void *)small);
}

// Out of memory is an answer, not a crash.
static void too_much(void)
{
    struct pages_stat before, after;
    void *taken[256]; // of 16 MB: more than any machine of ours has
    u32 got = 0;
    pages_stat(&before);
    while (got < ARRAY_SIZE(taken) && (taken[got] = pages_alloc(12)) != NULL)
        got++;
    for (u32 i = 0; i < got; i++)
        pages_free(taken[i], 12);
    pages_stat(&after);
    bench_range(1, before.total / 4096, got, "16 MB blocks until there are no more");
    bench_exact(before.failures + 1, after.failures, "  refusals counted");
}

void bench_memory(void)
{
    struct bench_tally wrong = {0};
    struct pages_stat before, after;
    round_of_churn(&wrong); // fills the allocators' caches
    pages_stat(&before);
    for (u32 i = 0; i < 4; i++)
        round_of_churn(&wrong);
    pages_stat(&after);
    bench_tally_row(&wrong, "blocks spoilt or refused, %u CPUs", cpu_count);
    // Caches may settle differently, but four more rounds must not eat memory.
    u64 used = after.free >= before.free ? 0 : before.free - after.free;
    bench_range(0, 64 * cpu_count, used, "  pages not back after four more rounds");
    zeroed();
    too_much();
}

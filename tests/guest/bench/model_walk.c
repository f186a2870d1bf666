// SPDX-License-Identifier: MIT
// Walks (S000 §4.4.1): round and round over twice what a TLB or cache holds, so that with
// least-recently-used replacement every access misses; and over a part, so that none does. Sizes
// are those of the modelled machine.
//
// For TLBs the pages are many addresses of one frame. Code is a chain of branches, one a page or
// line, each to the next.
#include "model_walk.h"

#include <kernel/memory.h>
#include <kernel/model_unit.h>

#define DATA_BASE 0xC000500000000000UL // nothing else is mapped there
#define CODE_BASE 0xC000510000000000UL
#define CHAIN_BASE 0xC000520000000000UL

#define BRANCH 0x48000000U // + bytes: b .+bytes
#define RETURN 0x4e800020U // blr

#define MISSES                                                                                     \
    (1u << MODEL_ITLB_MISS | 1u << MODEL_DTLB_MISS | 1u << MODEL_L1I_MISS | 1u << MODEL_L1D_MISS | \
     1u << MODEL_L2_MISS)
#define CACHE_MISSES (1u << MODEL_L1I_MISS | 1u << MODEL_L1D_MISS | 1u << MODEL_L2_MISS)

// Of the window itself, when the walk has driven them out: the slot's and the work's page,
// their three lines.
#define WINDOW_PAGES 2
#define WINDOW_LINES 3
// Misses when each of these comes into a set that is full: its own,
// and one for each of the others until all are back.
#define DRIVEN_OUT(ways) (WINDOW_LINES * ((ways) + 2))
#define ROUNDS 25         // that a walk over all of the TLB's pages makes, at most
#define CODE_SHORTER 1000 // a turn of a code walk is a whole round

static struct {
    u64 pages;     // twice those of the TLB
    void *frame;   // that all of them show
    u32 *links[2]; // frames of the chain's pages: all, the last
    void *data;    // twice the second-level cache
    u32 *chain;    // twice the first-level instruction cache
    u32 data_order, chain_order;
} memory;

static const struct model_geometry *geometry(void)
{
    return &model_machine()->geometry;
}

// Makes what was written as data instructions.
static void make_code(const u32 *from, u64 bytes)
{
    for (u64 at = 0; at < bytes; at += 128)
        __asm__ volatile("dcbst 0,%0\nsync\nicbi 0,%0" ::"r"((const char *)from + at) : "memory");
    __asm__ volatile("sync\nisync" ::: "memory");
}

static void write_links(void)
{
    u64 line = geometry()->line_bytes, bytes = 2 * geometry()->l1i_bytes;

    memory.links[0][0] = BRANCH + (u32)geometry()->page_bytes;
    memory.links[1][0] = RETURN;
    make_code(memory.links[0], sizeof(u32));
    make_code(memory.links[1], sizeof(u32));
    for (u64 at = 0; at < bytes; at += line)
        memory.chain[at / sizeof(u32)] = at + line < bytes ? BRANCH + (u32)line : RETURN;
    make_code(memory.chain, bytes);
}

static bool map_all(void)
{
    u64 page = geometry()->page_bytes;
    int errors = mmu_map(CHAIN_BASE, virt_to_phys(memory.chain), 1UL << memory.chain_order,
                         MMU_READ | MMU_EXEC);

    for (u64 i = 0; i < memory.pages && errors == 0; i++) {
        const u32 *link = memory.links[i == memory.pages - 1];
        errors |=
            mmu_map(DATA_BASE + i * page, virt_to_phys(memory.frame), 1, MMU_READ | MMU_WRITE);
        errors |= mmu_map(CODE_BASE + i * page, virt_to_phys(link), 1, MMU_READ | MMU_EXEC);
    }
    return errors == 0;
}

static bool make_memory(void)
{
    memory.pages = 2 * geometry()->tlb_entries;
    memory.data_order = pages_order(2 * geometry()->l2_bytes);
    memory.chain_order = pages_order(2 * geometry()->l1i_bytes);
    memory.frame = pages_alloc_zeroed(0);
    memory.links[0] = pages_alloc_zeroed(0);
    memory.links[1] = pages_alloc_zeroed(0);
    memory.data = pages_alloc_zeroed(memory.data_order);
    memory.chain = pages_alloc_zeroed(memory.chain_order);
    if (memory.frame == NULL || memory.links[0] == NULL || memory.links[1] == NULL ||
        memory.data == NULL || memory.chain == NULL)
        return false;
    write_links();
    return map_all();
}

static void give_back(void *pages, u32 order)
{
    if (pages != NULL)
        pages_free(pages, order);
}

void model_walks_destroy(void)
{
    u64 page = geometry()->page_bytes;

    mmu_unmap(CHAIN_BASE, 1UL << memory.chain_order);
    for (u64 i = 0; i < memory.pages; i++) {
        mmu_unmap(DATA_BASE + i * page, 1);
        mmu_unmap(CODE_BASE + i * page, 1);
    }
    give_back(memory.frame, 0);
    give_back(memory.links[0], 0);
    give_back(memory.links[1], 0);
    give_back(memory.data, memory.data_order);
    give_back(memory.chain, memory.chain_order);
}

// ---- cases --------------------------------------------------------------------------------------

// Only a round in the warm-up makes sure of what the TLB and the caches hold.
static void until_warm(const struct model_case *one, u64 turns, u64 low[], u64 high[])
{
    if (turns >= (one->c + 1) / one->b)
        return;
    for (u32 event = 0; event < MODEL_EVENTS; event++) {
        if ((MISSES >> event & 1) == 0)
            continue;
        low[event] = 0;
        high[event] = turns + one->slack[event];
    }
    low[MODEL_CYCLES] = 0; // misses differ from one group of counters to the next
    high[MODEL_CYCLES] = UINT64_MAX;
}

static struct model_case data_walk(const char *name, model_body *body, u64 base, u64 stride,
                                   u64 bytes)
{
    return (struct model_case){
        .name = name,
        .body = body,
        .a = base,
        .b = stride,
        .c = bytes - 1,
        .each = {[MODEL_INSTRUCTIONS] = 4, [MODEL_BRANCHES] = 1, [MODEL_TAKEN] = 1},
        .once = {[MODEL_TAKEN] = -1, [MODEL_MISPREDICTED] = 1},
        .adjust = until_warm,
    };
}

static struct model_case walk_reads(const char *name, u64 base, u64 stride, u64 bytes)
{
    struct model_case one = data_walk(name, model_body_reads, base, stride, bytes);

    one.each[MODEL_LOADS] = 1;
    return one;
}

static struct model_case writes(const char *name, u64 base, u64 stride, u64 bytes)
{
    struct model_case one = data_walk(name, model_body_writes, base, stride, bytes);

    one.each[MODEL_STORES] = 1;
    return one;
}

// The code that calls the chain is driven out by it once a turn: it is on at most two pages,
// or lines.
static void caller_driven_out(const struct model_case *one, u64 turns, u64 low[], u64 high[])
{
    (void)low;
    high[one->c] += 2 * turns + 2;
}

// event: what each of the links misses, if missing.
static struct model_case code(const char *name, u64 base, u64 links, u32 event, bool missing)
{
    struct model_case one = {
        .name = name,
        .body = model_body_code,
        .a = base,
        .c = event,
        .each = {[MODEL_INSTRUCTIONS] = (u16)(3 + links), [MODEL_BRANCHES] = 1, [MODEL_TAKEN] = 1},
        .once = {[MODEL_INSTRUCTIONS] = 2, [MODEL_TAKEN] = -1, [MODEL_MISPREDICTED] = 1},
        .shorter = CODE_SHORTER,
        .adjust = caller_driven_out,
    };
    if (missing)
        one.each[event] = (u16)links;
    return one;
}

static u32 tlb_cases(struct model_case cases[])
{
    u64 page = geometry()->page_bytes, bytes = memory.pages * page;

    cases[0] = walk_reads("page walk, reads", DATA_BASE, page, bytes);
    cases[1] = writes("page walk, writes", DATA_BASE, page, bytes);
    for (u32 i = 0; i < 2; i++) {
        cases[i].ipc = true;
        cases[i].each[MODEL_DTLB_MISS] = 1;
        cases[i].slack[MODEL_DTLB_MISS] = WINDOW_PAGES;
        cases[i].unknown = CACHE_MISSES;
    }
    // The window's pages drive out some of a walk that fills the TLB,
    // and that of the code may want its place for good.
    cases[2] = walk_reads("walk that the TLB just holds", DATA_BASE, page, bytes / 2);
    cases[2].slack[MODEL_DTLB_MISS] =
        (u32)(DRIVEN_OUT(geometry()->tlb_ways) + ROUNDS * geometry()->tlb_ways);
    cases[2].unknown = CACHE_MISSES;
    cases[3] = code("page walk, instructions", CODE_BASE, memory.pages, MODEL_ITLB_MISS, true);
    cases[3].slack[MODEL_DTLB_MISS] = WINDOW_PAGES; // the TLB is both's
    cases[3].unknown = CACHE_MISSES;
    return 4;
}

static u32 cache_cases(struct model_case cases[])
{
    u64 line = geometry()->line_bytes, data = (u64)memory.data;
    u64 l1d = geometry()->l1d_bytes, l2 = geometry()->l2_bytes, l1i = geometry()->l1i_bytes;

    cases[0] = walk_reads("line walk beyond L1D", data, line, 2 * l1d);
    cases[0].each[MODEL_L1D_MISS] = 1;
    cases[0].ipc = cases[1].ipc = true;
    cases[0].slack[MODEL_L1D_MISS] = WINDOW_LINES;
    cases[1] = walk_reads("line walk beyond L2", data, line, 2 * l2);
    cases[1].each[MODEL_L1D_MISS] = cases[1].each[MODEL_L2_MISS] = 1;
    cases[1].slack[MODEL_L1D_MISS] = WINDOW_LINES;
    cases[2] = walk_reads("line walk that L1D just holds", data, line, l1d);
    cases[2].slack[MODEL_L1D_MISS] = (u32)DRIVEN_OUT(geometry()->l1d_ways);
    cases[3] = code("code beyond L1I", CHAIN_BASE, 2 * l1i / line, MODEL_L1I_MISS, true);
    cases[4] = code("code that L1I holds", CHAIN_BASE + 2 * l1i - l1i / 2, l1i / 2 / line,
                    MODEL_L1I_MISS, false);
    cases[4].slack[MODEL_L1I_MISS] = 1;
    // What of these has stayed in the first level may have gone from the second one before.
    for (u32 i = 0; i < 5; i++)
        cases[i].slack[MODEL_L2_MISS] = WINDOW_LINES;
    return 5;
}

u32 model_walks_create(struct model_case cases[MODEL_WALKS_MAX])
{
    if (!make_memory()) {
        model_walks_destroy();
        return 0;
    }
    u32 count = tlb_cases(cases);
    return count + cache_cases(cases + count);
}

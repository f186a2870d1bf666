// SPDX-License-Identifier: MIT
// Local Translation Tables: the pages of entries and counts in every CPU's window. Where no object
// lives there are the stale page (read-only, shared) and a junk page of counts for each CPU.
#include "internal.h"

static struct co_lock table_lock; // directory and mappings of the windows
static const void *stale_page;
static void *junk_pages[ORRERY_MAX_CPUS];
static bool counts_mapped; // chunks have their pages of counts; guarded by the table lock, atomic

static s64 stale_method(void)
{
    return E_STALE;
}

// The Stale Object: every method of every interface returns E_STALE.
static s64 (*const stale_ops[CO_METHOD_SLOTS])(void) = {[0 ... CO_METHOD_SLOTS - 1] = stale_method};
const struct co_rep co_stale_object = {.ops = (const struct co_ops *)stale_ops};

// What the stale page holds.
static const struct {
    const struct co_rep *rep;
    s64 (*const *ops)(void);
} stale_entries[CO_PER_PAGE] = {[0 ... CO_PER_PAGE - 1] = {&co_stale_object, stale_ops}};

_Static_assert(sizeof(stale_entries) == CO_PAGE_SIZE, "a page of entries");

void co_table_lock(void)
{
    co_platform_lock(&table_lock);
}

void co_table_unlock(void)
{
    co_platform_unlock(&table_lock);
}

s64 co_ltt_init(void)
{
    co_platform_lock_init(&table_lock, "co table", CO_LOCK_TABLE);
    stale_page = stale_entries;
    if (co_platform_map_copies)
        return 0;
    counts_mapped = true;
    void *page = co_platform_page_alloc();
    if (page == NULL)
        return E_NOMEM;
    stale_page = __builtin_memcpy(page, stale_entries, CO_PAGE_SIZE);
    return 0;
}

// Where pages are copies, those of counts begin as zeroes anyway.
s64 co_ltt_init_cpu(u32 cpu)
{
    if (co_platform_map_copies)
        return 0;
    junk_pages[cpu] = co_platform_page_alloc();
    return junk_pages[cpu] != NULL ? 0 : E_NOMEM;
}

// ---- a chunk's pages ---------------------------------------------------------------------------

s64 co_ltt_alloc(struct co_chunk *chunk, u32 cpu)
{
    if (co_platform_map_copies)
        return 0;
    chunk->ltt[cpu] = co_platform_page_alloc();
    chunk->counts[cpu] = co_platform_page_alloc();
    return chunk->ltt[cpu] != NULL && chunk->counts[cpu] != NULL ? 0 : E_NOMEM;
}

static void free_pages(struct co_chunk *chunk, u32 cpu)
{
    if (chunk->ltt[cpu] != NULL)
        co_platform_page_free(chunk->ltt[cpu]);
    if (chunk->counts[cpu] != NULL)
        co_platform_page_free(chunk->counts[cpu]);
    chunk->ltt[cpu] = chunk->counts[cpu] = NULL;
}

// Writes empty entries. An empty entry is itself the Default Object: word 0 points at word 1, its
// interface table. All words 1 come first, because other CPUs may still see the stale page's
// entries.
static void ltt_fill(const struct co_chunk *chunk, u32 cpu, u64 *entries)
{
    u64 entry = (u64)co_ltt_entry(cpu, co_coid(chunk, 0));
#pragma GCC unroll 8
    for (u32 i = 0; i < CO_PER_PAGE; i++)
        __atomic_store_n(&entries[2 * i + 1], (u64)co_default_ops, __ATOMIC_RELAXED);
#pragma GCC unroll 8
    for (u32 i = 0; i < CO_PER_PAGE; i++)
        __atomic_store_n(&entries[2 * i], entry + (2 * i + 1) * sizeof(u64), __ATOMIC_RELEASE);
}

static u64 ltt_address(const struct co_chunk *chunk, u32 cpu)
{
    return co_platform_window(cpu) + (chunk->page << CO_PAGE_SHIFT);
}

// They are zero before any CPU can count in them, and in memory: a count does not fault.
static s64 map_counts(const struct co_chunk *chunk, u32 cpu)
{
    u64 at = ltt_address(chunk, cpu) + R13_COUNTS;
    if (!co_platform_map_copies)
        __builtin_memset(chunk->counts[cpu], 0, CO_PAGE_SIZE);
    s64 error = co_platform_map(at, chunk->counts[cpu], true);
    if (error == 0 && co_platform_map_copies)
        __builtin_memset((void *)at, 0, CO_PAGE_SIZE);
    return error;
}

s64 co_ltt_map(struct co_chunk *chunk, u32 cpu)
{
    u64 at = ltt_address(chunk, cpu);
    if (!co_platform_map_copies)
        ltt_fill(chunk, cpu, chunk->ltt[cpu]);
    s64 error = co_platform_map(at, chunk->ltt[cpu], true);
    if (error == 0 && counts_mapped)
        error = map_counts(chunk, cpu);
    if (error == 0 && co_platform_map_copies)
        ltt_fill(chunk, cpu, (u64 *)at);
    return error;
}

bool co_ltt_has_counts(void)
{
    return __atomic_load_n(&counts_mapped, __ATOMIC_ACQUIRE);
}

static s64 map_counts_of_all(void)
{
    struct co_chunk *chunk;
    for (u64 page = CO_PAGE_FIRST; (chunk = co_gtt_next(page)) != NULL; page = chunk->page + 1) {
        for (u32 cpu = co_cpu_from(0); cpu < ORRERY_MAX_CPUS; cpu = co_cpu_from(cpu + 1)) {
            if (map_counts(chunk, cpu) != 0)
                return E_NOMEM;
        }
    }
    return 0;
}

s64 co_ltt_map_counts(void)
{
    co_table_lock();
    s64 error = counts_mapped ? 0 : map_counts_of_all();
    if (error == 0)
        __atomic_store_n(&counts_mapped, true, __ATOMIC_RELEASE);
    co_table_unlock();
    return error;
}

void co_ltt_unmap(struct co_chunk *chunk)
{
    for (u32 cpu = co_cpu_from(0); cpu < ORRERY_MAX_CPUS; cpu = co_cpu_from(cpu + 1)) {
        co_platform_unmap(ltt_address(chunk, cpu));
        co_platform_unmap(ltt_address(chunk, cpu) + R13_COUNTS);
    }
}

void co_ltt_free(struct co_chunk *chunk)
{
    for (u32 cpu = co_cpu_from(0); cpu < ORRERY_MAX_CPUS; cpu = co_cpu_from(cpu + 1))
        free_pages(chunk, cpu);
}

// ---- faults ------------------------------------------------------------------------------------

// Maps a filler page, unless a new chunk has come first. offset: of the COIDs' page in a window. If
// another CPU was first, it has mapped the same. A chunk's counts are there if anybody counts.
static bool map_filler(u64 address, u64 offset, const void *page, bool writable)
{
    co_table_lock();
    s64 error = writable && !counts_mapped ? E_FAULT : 0;
    if (error == 0 && co_gtt_find(offset) == NULL) {
        error = co_platform_map(address, page, writable);
        co_statistics.faults++;
    }
    co_table_unlock();
    return error == 0;
}

bool co_fault(u64 address)
{
    u64 page = ALIGN_DOWN(address, (u64)CO_PAGE_SIZE);
    for (u32 cpu = co_cpu_from(0); cpu < ORRERY_MAX_CPUS; cpu = co_cpu_from(cpu + 1)) {
        u64 offset = page - co_platform_window(cpu);
        if (offset >= R13_LTT && offset < R13_COUNTS)
            return map_filler(page, offset, stale_page, false);
        if (offset >= R13_COUNTS + R13_LTT && offset < 2UL * R13_COUNTS)
            return map_filler(page, offset - R13_COUNTS, junk_pages[cpu], true);
    }
    return false;
}

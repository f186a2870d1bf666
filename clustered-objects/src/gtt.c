// SPDX-License-Identifier: MIT
// Global Translation Table: COID -> root. A two-level directory by COID page holds chunks of 256
// objects. Look-ups take no lock: chunks are freed only after quiescence.
#include "internal.h"

#define NODE_SLOTS 256

struct node {
    u64 chunk_count;
    struct co_chunk *chunks[NODE_SLOTS];
};

static struct node *directory[CO_PAGE_END / NODE_SLOTS];
static u64 end_page; // no chunk ever had this page or a higher one
u64 co_gtt_next_page;

void co_gtt_init(void)
{
    co_gtt_next_page = end_page = CO_PAGE_FIRST;
}

u64 co_gtt_end(void)
{
    return __atomic_load_n(&end_page, __ATOMIC_ACQUIRE);
}

static struct node *node_of(u64 page)
{
    return __atomic_load_n(&directory[page / NODE_SLOTS], __ATOMIC_ACQUIRE);
}

static struct co_chunk *chunk_in(const struct node *node, u64 page)
{
    return __atomic_load_n(&node->chunks[page % NODE_SLOTS], __ATOMIC_ACQUIRE);
}

struct co_chunk *co_gtt_find(coid_t coid)
{
    const struct node *node = co_well_formed(coid) ? node_of(coid >> CO_PAGE_SHIFT) : NULL;
    return node == NULL ? NULL : chunk_in(node, coid >> CO_PAGE_SHIFT);
}

struct co_chunk *co_gtt_find_live(coid_t coid)
{
    struct co_chunk *chunk = co_gtt_find(coid);
    return chunk != NULL && co_live(chunk, co_index(coid)) ? chunk : NULL;
}

struct co_chunk *co_gtt_next(u64 page)
{
    u64 end = co_gtt_end();
    while (page < end) {
        const struct node *node = node_of(page);
        if (node == NULL || __atomic_load_n(&node->chunk_count, __ATOMIC_RELAXED) == 0) {
            page = ALIGN_DOWN(page, NODE_SLOTS) + NODE_SLOTS;
            continue;
        }
        struct co_chunk *chunk = chunk_in(node, page);
        if (chunk != NULL)
            return chunk;
        page++;
    }
    return NULL;
}

// ---- growing -----------------------------------------------------------------------------------

static void chunk_free(struct co_chunk *chunk)
{
    co_ltt_free(chunk);
    co_platform_free(chunk);
}

// Does all that can fail for lack of memory and needs no lock.
static struct co_chunk *chunk_alloc(void)
{
    struct co_chunk *chunk = co_platform_alloc(sizeof(*chunk));
    if (chunk == NULL)
        return NULL;
    co_platform_lock_init(&chunk->lock, "co chunk", CO_LOCK_TABLE);
    for (u32 cpu = co_cpu_from(0); cpu < ORRERY_MAX_CPUS; cpu = co_cpu_from(cpu + 1)) {
        if (co_ltt_alloc(chunk, cpu) != 0) {
            chunk_free(chunk);
            return NULL;
        }
    }
    return chunk;
}

static s64 node_ensure(u64 page)
{
    if (directory[page / NODE_SLOTS] != NULL)
        return 0;
    struct node *node = co_platform_alloc(sizeof(*node));
    if (node == NULL)
        return E_NOMEM;
    __atomic_store_n(&directory[page / NODE_SLOTS], node, __ATOMIC_RELEASE);
    return 0;
}

static s64 map_all(struct co_chunk *chunk)
{
    for (u32 cpu = co_cpu_from(0); cpu < ORRERY_MAX_CPUS; cpu = co_cpu_from(cpu + 1)) {
        if (co_ltt_map(chunk, cpu) != 0) {
            co_ltt_unmap(chunk);
            return E_NOMEM;
        }
    }
    return 0;
}

static void publish(struct co_chunk *chunk, struct co_chunk *in_node)
{
    struct node *node = directory[chunk->page / NODE_SLOTS];
    __atomic_store_n(&node->chunks[chunk->page % NODE_SLOTS], in_node, __ATOMIC_RELEASE);
    __atomic_store_n(&node->chunk_count, node->chunk_count + (in_node != NULL ? 1 : -1UL),
                     __ATOMIC_RELAXED);
    co_statistics.chunks += in_node != NULL ? 1 : -1UL;
}

// Returns the next free COID page, or 0. It goes round, so a page is reused only after all the
// others: a COID stays stale as long as possible. Table lock held.
static u64 take_page(void)
{
    for (u64 i = CO_PAGE_FIRST; i < CO_PAGE_END; i++) {
        u64 page = co_gtt_next_page;
        co_gtt_next_page = page + 1 < CO_PAGE_END ? page + 1 : CO_PAGE_FIRST;
        if (node_of(page) == NULL || chunk_in(node_of(page), page) == NULL)
            return page;
    }
    return 0;
}

// Gives chunk a COID page, maps it on every CPU and makes it this CPU's. Table lock held.
static s64 chunk_install(struct co_chunk *chunk)
{
    chunk->page = take_page();
    if (chunk->page == 0)
        return E_LIMIT;
    s64 error = node_ensure(chunk->page);
    if (error == 0)
        error = map_all(chunk);
    if (error != 0)
        return error;
    publish(chunk, chunk);
    if (chunk->page >= end_page)
        __atomic_store_n(&end_page, chunk->page + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&co_cpu_of(co_platform_cpu())->chunk, chunk, __ATOMIC_RELEASE);
    return 0;
}

static struct co_chunk *current_chunk(u32 cpu)
{
    return __atomic_load_n(&co_cpu_of(cpu)->chunk, __ATOMIC_ACQUIRE);
}

static bool has_pages(const struct co_chunk *chunk)
{
    u32 cpu = co_platform_map_copies ? ORRERY_MAX_CPUS : co_cpu_from(0);
    for (; cpu < ORRERY_MAX_CPUS; cpu = co_cpu_from(cpu + 1)) {
        if (chunk->ltt[cpu] == NULL)
            return false;
    }
    return true;
}

// Replaces the CPU's full chunk. If another thread has done so, or a CPU has been added meanwhile,
// it does nothing, and the caller tries again.
static s64 grow(const struct co_chunk *full)
{
    struct co_chunk *chunk = chunk_alloc();
    if (chunk == NULL)
        return E_NOMEM;
    co_table_lock();
    bool wanted = current_chunk(co_platform_cpu()) == full;
    bool complete = has_pages(chunk);
    s64 error = wanted && complete ? chunk_install(chunk) : 0;
    co_table_unlock();
    if (!wanted || !complete || error != 0)
        chunk_free(chunk);
    return error;
}

static s64 back_chunks(u32 cpu)
{
    struct co_chunk *chunk;
    for (u64 page = CO_PAGE_FIRST; (chunk = co_gtt_next(page)) != NULL; page = chunk->page + 1) {
        if (co_ltt_alloc(chunk, cpu) != 0)
            return E_NOMEM;
        // All entries are empty: a miss on an object that is gone finds that out.
        if (co_ltt_map(chunk, cpu) != 0)
            return E_NOMEM;
    }
    return 0;
}

s64 co_gtt_init_cpu(u32 cpu)
{
    co_table_lock();
    s64 error = back_chunks(cpu);
    if (error == 0)
        __atomic_store_n(&co_cpu_mask, co_cpu_mask | 1u << cpu, __ATOMIC_RELEASE);
    co_table_unlock();
    return error;
}

struct co_chunk *co_gtt_take(u32 *index, s64 *error)
{
    for (;;) {
        struct co_chunk *chunk = current_chunk(co_platform_cpu());
        if (chunk != NULL) {
            co_platform_lock(&chunk->lock);
            if (chunk->used < CO_PER_PAGE) {
                *index = chunk->used++;
                return chunk;
            }
            co_platform_unlock(&chunk->lock);
        }
        *error = grow(chunk);
        if (*error != 0)
            return NULL;
    }
}

// ---- shrinking ---------------------------------------------------------------------------------

// Retires a chunk whose 256 objects are all gone: from here on their COIDs meet the stale page.
static void chunk_retire(struct co_chunk *chunk)
{
    co_table_lock();
    publish(chunk, NULL);
    for (u32 cpu = co_cpu_from(0); cpu < ORRERY_MAX_CPUS; cpu = co_cpu_from(cpu + 1)) {
        if (current_chunk(cpu) == chunk)
            __atomic_store_n(&co_cpu_of(cpu)->chunk, NULL, __ATOMIC_RELEASE);
    }
    co_ltt_unmap(chunk);
    co_statistics.chunks_reclaimed++;
    co_table_unlock();
    co_ltt_free(chunk);
    co_reap_chunk(chunk); // a scan may be in it
}

void co_gtt_gone(coid_t coid)
{
    struct co_chunk *chunk = co_gtt_find(coid);
    co_platform_lock(&chunk->lock);
    chunk->entries[co_index(coid)].root = NULL;
    bool empty = ++chunk->gone == CO_PER_PAGE;
    co_platform_unlock(&chunk->lock);
    if (empty)
        chunk_retire(chunk);
}

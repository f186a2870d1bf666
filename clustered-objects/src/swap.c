// SPDX-License-Identifier: MIT
// The phases of a swap (docs/hot-swap.md): prepare, forward, close, transfer, after. The swapper
// sleeps in between, and keeps no reference: after each sleep it finds the object again by its
// COID.
#include "mediator.h"

#include <co/swap.h>
#include <string.h>
#include <trace/events.h>

#define REST_FIRST_US 20
#define REST_LAST_US 320

struct swapping {
    coid_t coid;
    const struct co_class *from;
    const struct co_swap *way;
    void *carried;
    struct mediator *mediator;
    u64 started, deadline; // ticks
    u64 rest_us;
};

// ---- prepare -----------------------------------------------------------------------------------

static const struct co_swap *find_way(const struct co_class *class, const char *implementation)
{
    for (u32 i = 0; i < class->swap_count; i++) {
        if (strcmp(class->swaps[i].to->implementation, implementation) == 0)
            return &class->swaps[i];
    }
    return NULL;
}

static s64 choose(const struct co_class *class, const char *implementation,
                  const struct co_swap **way)
{
    if (strcmp(class->implementation, implementation) == 0)
        return E_EXIST;
    if (class->swaps == NULL)
        return E_NOTSUP;
    *way = find_way(class, implementation);
    return *way != NULL ? co_class_register((*way)->to) : E_NOENT;
}

static s64 prepare(struct swapping *swap, const char *implementation)
{
    struct co_chunk *chunk = co_gtt_find_live(swap->coid);
    if (chunk == NULL)
        return E_STALE;
    struct co_root *root = chunk->entries[co_index(swap->coid)].root;
    swap->from = root->class;
    s64 error = choose(swap->from, implementation, &swap->way);
    if (error != 0)
        return error;
    swap->mediator = co_mediator_take(root);
    if (swap->mediator == NULL)
        return E_BUSY;
    return swap->way->prepare != NULL ? swap->way->prepare(root, &swap->carried) : 0;
}

// ---- entries -----------------------------------------------------------------------------------

// Returns the object's chunk, locked, if it is still live.
static struct co_chunk *lock_live(coid_t coid)
{
    struct co_chunk *chunk = co_gtt_find(coid);
    if (chunk == NULL)
        return NULL;
    co_platform_lock(&chunk->lock);
    if (co_live(chunk, co_index(coid)))
        return chunk;
    co_platform_unlock(&chunk->lock);
    return NULL;
}

// NULL makes the entry empty. Chunk lock held.
static void set_entry(u32 cpu, coid_t coid, const struct co_rep *rep)
{
    u64 *entry = co_ltt_entry(cpu, coid);
    __atomic_store_n(entry, rep != NULL ? (u64)rep : (u64)(entry + 1), __ATOMIC_RELEASE);
}

static void set_done(struct mediator *mediator)
{
    __atomic_fetch_or(&mediator->word, MEDIATOR_DONE, __ATOMIC_RELEASE);
}

// From here on each new call is counted, once it has loaded an entry.
static s64 forward(struct swapping *swap)
{
    struct co_chunk *chunk = lock_live(swap->coid);
    if (chunk == NULL)
        return E_STALE;
    for (u32 cpu = co_cpu_from(0); cpu < ORRERY_MAX_CPUS; cpu = co_cpu_from(cpu + 1))
        set_entry(cpu, swap->coid, &swap->mediator->rep);
    co_platform_unlock(&chunk->lock);
    co_grace_begin(&swap->mediator->grace);
    return 0;
}

// Gives every CPU back the rep that it had. It must not become empty with a rep there: a second
// one would be made.
static void call_off(struct swapping *swap)
{
    struct co_chunk *chunk = lock_live(swap->coid);
    if (chunk != NULL) {
        const struct co_root *root = swap->mediator->rep.root;
        for (u32 cpu = co_cpu_from(0); cpu < ORRERY_MAX_CPUS; cpu = co_cpu_from(cpu + 1))
            set_entry(cpu, swap->coid, root->reps[cpu]);
        co_platform_unlock(&chunk->lock);
    }
    set_done(swap->mediator);
}

// ---- waiting -----------------------------------------------------------------------------------

// Lets the others run. Returns 0 or why the swap cannot go on.
static s64 rest(struct swapping *swap)
{
    co_platform_rest(swap->rest_us);
    if (swap->rest_us < REST_LAST_US)
        swap->rest_us *= 2;
    if (co_gtt_find_live(swap->coid) == NULL)
        return E_STALE;
    return co_platform_now() < swap->deadline ? 0 : E_TIMEOUT;
}

// Calls and misses that began before the entries held the mediator: when the grace period is over
// they have ended, or were counted.
static s64 await_earlier(struct swapping *swap)
{
    s64 error = 0;
    swap->rest_us = REST_FIRST_US;
    while (error == 0 && !co_grace_over(&swap->mediator->grace, true))
        error = rest(swap);
    return error;
}

// ---- transfer ----------------------------------------------------------------------------------

static void move(struct swapping *swap, struct co_chunk *chunk, struct co_root *root)
{
    struct mediator *mediator = swap->mediator;
    struct co_entry *entry = &chunk->entries[co_index(swap->coid)];
    struct co_class *to = swap->way->to;
    struct co_rep *old_shared = root->shared, *shared = swap->way->transfer(root, swap->carried);
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++) {
        mediator->old[cpu] = root->reps[cpu] != old_shared ? root->reps[cpu] : NULL;
        __atomic_store_n(&root->reps[cpu], NULL, __ATOMIC_RELAXED);
    }
    mediator->destroy_rep = swap->from->destroy_rep;
    if (shared != NULL)
        *shared = (struct co_rep){
            .ops = to->ops, .root = root, .coid = swap->coid, .magic = CO_REP_MAGIC};
    __atomic_store_n(&root->shared, shared, __ATOMIC_RELEASE);
    root->class = to;
    co_platform_atomic_add((u64 *)&swap->from->live, -1UL);
    co_platform_atomic_add(&to->live, 1);
    __atomic_store_n(&root->swaps, root->swaps + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&entry->plain, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&entry->class_id, (u16)to->id, __ATOMIC_RELAXED);
    __atomic_store_n(&entry->reps, shared != NULL, __ATOMIC_RELAXED);
    for (u32 cpu = co_cpu_from(0); cpu < ORRERY_MAX_CPUS; cpu = co_cpu_from(cpu + 1))
        set_entry(cpu, swap->coid, NULL);
}

// Moves the state if nobody is inside. Returns 0, E_AGAIN, or E_STALE.
static s64 try_transfer(struct swapping *swap)
{
    struct mediator *mediator = swap->mediator;
    struct co_chunk *chunk = lock_live(swap->coid);
    if (chunk == NULL)
        return E_STALE;
    u64 empty = MEDIATOR_CLOSED;
    bool moving =
        __atomic_compare_exchange_n(&mediator->word, &empty, MEDIATOR_CLOSED | MEDIATOR_MOVING,
                                    false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
    if (moving) {
        move(swap, chunk, mediator->rep.root);
        set_done(mediator);
    }
    co_platform_unlock(&chunk->lock);
    return moving ? 0 : E_AGAIN;
}

static s64 close_and_transfer(struct swapping *swap)
{
    __atomic_fetch_or(&swap->mediator->word, MEDIATOR_CLOSED, __ATOMIC_ACQ_REL);
    swap->rest_us = REST_FIRST_US;
    s64 error;
    while ((error = try_transfer(swap)) == E_AGAIN) {
        error = rest(swap);
        if (error != 0)
            break;
    }
    return error;
}

// ---- the whole ---------------------------------------------------------------------------------

static void name_who_is_inside(const struct mediator *mediator, struct co_swap_report *report)
{
    report->calls = __atomic_load_n(&mediator->word, __ATOMIC_RELAXED) & MEDIATOR_CALLS;
    for (u32 i = 0; i < MEDIATOR_PLACES && report->named < CO_SWAP_INSIDE; i++) {
        u64 inside = __atomic_load_n(&mediator->inside[i], __ATOMIC_RELAXED);
        if (inside == 0)
            continue;
        report->inside[report->named].thread = (u32)(inside >> 8);
        report->inside[report->named++].method = (u32)(inside & 0xff);
    }
}

static s64 run_phases(struct swapping *swap, struct co_swap_report *report)
{
    s64 error = forward(swap);
    if (error != 0)
        return error;
    error = await_earlier(swap);
    report->earlier = error == E_TIMEOUT;
    if (error == 0)
        error = close_and_transfer(swap);
    if (error == E_TIMEOUT)
        name_who_is_inside(swap->mediator, report);
    if (error != 0)
        call_off(swap);
    return error;
}

// Waits, but not for ever, until the old reps are gone: a swap that follows finds a free mediator.
static void await_after(struct swapping *swap)
{
    swap->deadline = co_platform_now() + co_platform_microseconds(CO_SWAP_MICROSECONDS);
    swap->rest_us = REST_FIRST_US;
    while (co_swap_tidy() != 0 && co_platform_now() < swap->deadline) {
        co_platform_rest(swap->rest_us);
        if (swap->rest_us < REST_LAST_US)
            swap->rest_us *= 2;
    }
}

s64 co_swap(coid_t coid, const char *implementation, u64 us, struct co_swap_report *report)
{
    struct swapping swap = {.coid = coid, .started = co_platform_now()};
    *report = (struct co_swap_report){0};
    if (!co_well_formed(coid) || us == 0 || us > CO_SWAP_MICROSECONDS_MAX)
        return E_INVAL;
    swap.deadline = swap.started + co_platform_microseconds(us);
    s64 error = prepare(&swap, implementation);
    bool prepared = error == 0;
    if (prepared)
        error = run_phases(&swap, report);
    if (prepared && error != 0 && swap.way->abandon != NULL)
        swap.way->abandon(swap.carried);
    if (swap.mediator != NULL) {
        report->from = swap.from->id;
        report->to = swap.way->to->id;
        co_mediator_drop(swap.mediator);
        trace_obj_swap(coid, report->from, report->to, error, co_platform_now() - swap.started);
    }
    if (error == 0)
        await_after(&swap);
    return error;
}

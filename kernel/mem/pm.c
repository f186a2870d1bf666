// SPDX-License-Identifier: MIT
// Page Managers, distributed: a representative a CPU holds an allowance of pages that it may give
// out, so that faults on different CPUs meet only once in 32 pages. Near its limit a PM hands out
// single pages.
#include "pm.h"

#include "holding.h"
#include "pages.h"
#include "reclaim.h"
#include <kernel/memory.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/points.h>
#include <kernel/refs.h>
#include <kernel/softmask.h>
#include <kernel/spinlock.h>
#include <trace/events.h>

#include "proc/domain.h"
#include "proc/services.h"

#define KIND_PM REFS_KIND('P', 'M', ' ', ' ')
#define NO_LIMIT UINT64_MAX
#define BATCH 32
#define SPARE_MAX (2 * BATCH)
#define NEAR_LIMIT (ORRERY_MAX_CPUS * SPARE_MAX) // with less than this left, no allowances
#define RECLAIM_PAGES 128
#define RESERVE_MIN 512 // pages that programs cannot have
#define PARTS 8         // in which keeps[] counts the reserve

struct pm_rep;

struct pm_ops {
    struct co_ops base;
    s64 (*alloc)(struct pm_rep *self);
    s64 (*free)(struct pm_rep *self, u64 page);
    s64 (*charge)(struct pm_rep *self, s64 tables);
};

struct pm_rep {
    CO_REP(struct pm_ops);
    struct pm *pm;
    u64 spare;  // pages of account this CPU may give out
    u64 keeps;  // the PM's
    s64 tables; // pages charged as tables on this CPU, less those given back on it
} __attribute__((aligned(128)));

struct pm {
    struct co_root root;
    struct spinlock lock;
    struct refs refs;
    u64 limit; // pages
    enum memory_class class;
    u64 keeps;   // free pages below which it gets none
    u64 granted; // pages of account that reps hold or have given out
    u64 held;    // pages of other accounts among them
    u32 domain;  // of the logs (proc/domain.h)
    struct holdings holdings;
};

// The order in which memory ends: so much is still free, in parts of the reserve, when a process of
// a class gets no page any more, and when the kernel makes nothing more for it. What the kernel
// makes for one class never goes into what the next class may have. Server and first process live
// from the lowest steps, so what others do never ends them for want of a page. What the kernel does
// for no process (ends of processes, reclaim, late messages) may have all.
static const struct {
    u8 pages, kernel;
} keeps[MEMORY_CLASSES] = {
    [MEMORY_PLAIN] = {3 * PARTS, 2 * PARTS},
    [MEMORY_RIGHTS] = {PARTS, PARTS * 3 / 4},
    [MEMORY_SERVER] = {PARTS / 2, PARTS * 3 / 8},
    [MEMORY_FIRST] = {PARTS / 4, PARTS / 8},
};

static struct pm *root_pm;
static u64 reserve; // pages

// The limit may fall below what is given out (pm_allow).
static u64 left_of(const struct pm *pm)
{
    return pm->limit > pm->granted ? pm->limit - pm->granted : 0;
}

// Pages of account for a rep: their number, or an error.
static s64 grant(struct pm *pm)
{
    spin_lock(&pm->lock);
    u64 left = left_of(pm);
    s64 pages = left == 0 ? E_LIMIT : left < NEAR_LIMIT ? 1 : BATCH;
    if (pages > 0)
        pm->granted += (u64)pages;
    spin_unlock(&pm->lock);
    return pages;
}

static void give_back(struct pm *pm, u64 pages)
{
    spin_lock(&pm->lock);
    pm->granted -= pages;
    spin_unlock(&pm->lock);
}

// Takes one when there is no allowance, or little memory.
static __attribute__((noinline)) s64 take_granted(struct pm_rep *self)
{
    if (!pm_has_room(self->pm))
        return E_NOMEM;
    u8 masked = soft_mask();
    bool taken = self->spare > 0;
    if (taken)
        self->spare--;
    soft_mask_restore(masked);
    s64 pages = taken ? 0 : grant(self->pm);
    if (taken || pages < 0)
        return pages;
    masked = soft_mask();
    self->spare += (u64)pages - 1;
    soft_mask_restore(masked);
    return 0;
}

// Takes one page of account. The rep stays this CPU's, as kernel threads do not move. An allowance
// is no promise of pages: those of many processes together are more than there may be. No lock
// held: may reclaim.
static inline __attribute__((always_inline)) s64 take_one(struct pm_rep *self)
{
    u8 masked = soft_mask();
    bool taken = self->spare > 0 && buddy_pages_now >= self->keeps;
    if (taken)
        self->spare--;
    soft_mask_restore(masked);
    if (taken)
        return 0;
    return take_granted(self);
}

static void return_one(struct pm_rep *self)
{
    u64 excess = 0;
    u8 masked = soft_mask();

    if (++self->spare > SPARE_MAX || left_of(self->pm) < NEAR_LIMIT) {
        excess = self->spare > SPARE_MAX ? BATCH : self->spare;
        self->spare -= excess;
    }
    soft_mask_restore(masked);
    if (excess != 0)
        give_back(self->pm, excess);
}

static CO_METHOD s64 pm_rep_alloc(struct pm_rep *self)
{
    CO_HOME(self);
    s64 error = take_one(self);

    if (error != 0)
        return error;
    void *page = pages_alloc(0);
    if (page == NULL) {
        return_one(self);
        return E_NOMEM;
    }
    return (s64)virt_to_phys(page);
}

static CO_METHOD s64 pm_rep_release(struct pm_rep *self, u64 page)
{
    CO_HOME(self);
    pages_free(phys_to_virt(page), 0);
    return_one(self);
    return 0;
}

// Charges one page for a table, or gives it back (tables -1).
static CO_METHOD s64 pm_rep_charge(struct pm_rep *self, s64 tables)
{
    CO_HOME(self);
    if (tables > 0) {
        s64 error = take_one(self);
        if (error != 0)
            return error;
    } else {
        return_one(self);
    }
    u8 masked = soft_mask();
    self->tables += tables;
    soft_mask_restore(masked);
    return 0;
}

static s64 pm_handle_miss(struct co_root *root, u32 cpu, struct co_rep **rep)
{
    struct pm_rep *made = kzalloc(sizeof(*made));

    (void)cpu;
    if (made == NULL)
        return E_NOMEM;
    made->pm = (struct pm *)root;
    made->keeps = made->pm->keeps;
    *rep = &made->co;
    return 0;
}

static void pm_destroy_rep(struct co_root *root, struct co_rep *rep)
{
    (void)root;
    kfree(rep);
}

static void pm_destroy(struct co_root *root)
{
    kfree(root);
}

static const struct pm_ops ops = {CO_LEAF, pm_rep_alloc, pm_rep_release, pm_rep_charge};
static struct co_class process_class = {
    .name = "PM",
    .implementation = "PMProcess",
    .size = sizeof(struct pm) + sizeof(struct pm_rep),
    .root_size = sizeof(struct pm),
    .distributed = true,
    .ops = &ops.base,
    .handle_miss = pm_handle_miss,
    .destroy_rep = pm_destroy_rep,
    .destroy = pm_destroy,
};

// ---- the root: pages that belong to no process --------------------------------------------------

static struct co_class root_class = {
    .name = "PM",
    .implementation = "PMRoot",
    .size = sizeof(struct pm) + sizeof(struct pm_rep),
    .root_size = sizeof(struct pm),
    .distributed = true,
    .ops = &ops.base,
    .handle_miss = pm_handle_miss,
    .destroy_rep = pm_destroy_rep,
};

static struct pm *pm_make(u64 limit, enum memory_class class)
{
    struct pm *pm = kzalloc(sizeof(*pm));

    if (pm == NULL)
        return NULL;
    spin_init(&pm->lock, "PM", RANK_PM);
    refs_init(&pm->refs, KIND_PM);
    holdings_init(&pm->holdings);
    pm->limit = limit == 0 ? NO_LIMIT : limit / PAGE_SIZE;
    pm->class = class;
    pm->keeps = keeps[class].pages * reserve / PARTS;
    return pm;
}

void pm_init(void)
{
    u64 pages = buddy_total_pages() / 64;

    reserve = pages > RESERVE_MIN ? pages : RESERVE_MIN;
    root_pm = pm_make(0, MEMORY_RIGHTS);
    if (root_pm == NULL)
        panic("out of memory for the root page manager");
    service_create(&root_class, &root_pm->root, NULL);
}

// ---- for the rest of kernel/mem -----------------------------------------------------------------

struct pm *pm_create(u64 limit, enum memory_class class)
{
    struct pm *pm = pm_make(limit, class);

    if (pm != NULL && co_create(&process_class, &pm->root) < 0) {
        kfree(pm);
        return NULL;
    }
    return pm;
}

struct pm *pm_root(void)
{
    pm_hold(root_pm);
    return root_pm;
}

void pm_hold(struct pm *pm)
{
    refs_get(&pm->refs, KIND_PM);
}

void pm_put(struct pm *pm)
{
    if (refs_put(&pm->refs, KIND_PM) == 0)
        co_destroy(pm->root.coid);
}

u64 pm_limit(const struct pm *pm)
{
    return pm->limit == NO_LIMIT ? 0 : pm->limit * PAGE_SIZE;
}

// Returns whether so many pages are free, if need be after reclaiming some.
static bool are_free(u64 pages)
{
    u64 free = buddy_free_pages();

    if (free >= pages)
        return true;
    u64 wanted = pages - free > RECLAIM_PAGES ? pages - free : RECLAIM_PAGES;
    u64 freed = reclaim_pages(wanted);
    trace_reclaim(wanted, freed);
    return buddy_free_pages() >= pages;
}

bool pm_has_room(const struct pm *pm)
{
    return are_free(pm->keeps);
}

bool pm_has_room_to_commit(const struct pm *pm, u64 pages)
{
    return pages < buddy_total_pages() && are_free(pm->keeps + reserve / 2 + pages);
}

bool pm_has_room_for_kernel(const struct pm *pm)
{
    return buddy_free_pages() >= keeps[pm->class].kernel * reserve / PARTS;
}

bool pm_has_rights(const struct pm *pm)
{
    return pm->class != MEMORY_PLAIN;
}

coid_t pm_coid(const struct pm *pm)
{
    return pm->root.coid;
}

// Subtracts what is another's, what reps have not given out, and what went into tables. Others may
// work on meanwhile.
u64 pm_pages(const struct pm *pm)
{
    u64 pages = pm->granted - pm->held;

    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        struct pm_rep *rep =
            (struct pm_rep *)__atomic_load_n(&pm->root.reps[cpu], __ATOMIC_ACQUIRE);
        if (rep != NULL)
            pages -= rep->spare + (u64)rep->tables;
    }
    return (s64)pages < 0 ? 0 : pages;
}

void pm_set_domain(struct pm *pm, u32 kept)
{
    __atomic_store_n(&pm->domain, kept, __ATOMIC_RELAXED);
}

static u32 domain_of(const struct pm *pm)
{
    return domain_of_memory(__atomic_load_n(&pm->domain, __ATOMIC_RELAXED));
}

s64 pm_alloc(struct pm *pm)
{
    s64 page = CO_CALL(struct pm_rep, pm->root.coid, alloc);

    HAPPENS_IF(page >= 0, page_charged, domain_of(pm), 1);
    return page;
}

// Without memory for a representative on this CPU, the account is settled directly.
void pm_free(struct pm *pm, u64 page)
{
    if (CO_CALL(struct pm_rep, pm->root.coid, free, page) != 0) {
        pages_free(phys_to_virt(page), 0);
        give_back(pm, 1);
    }
    HAPPENS(page_charged, domain_of(pm), -1);
}

s64 pm_charge(struct pm *pm)
{
    return CO_CALL(struct pm_rep, pm->root.coid, charge, 1);
}

void pm_uncharge(struct pm *pm)
{
    if (CO_CALL(struct pm_rep, pm->root.coid, charge, -1) != 0)
        give_back(pm, 1);
}

void pm_allow(struct pm *pm, s64 pages)
{
    spin_lock(&pm->lock);
    if (pm->limit != NO_LIMIT)
        pm->limit += (u64)pages;
    spin_unlock(&pm->lock);
}

s64 pm_hold_pages(struct pm *pm, u64 pages)
{
    spin_lock(&pm->lock);
    bool fits = pages <= left_of(pm);
    if (fits) {
        pm->granted += pages;
        pm->held += pages;
    }
    spin_unlock(&pm->lock);
    return fits ? 0 : E_LIMIT;
}

void pm_release_pages(struct pm *pm, u64 pages)
{
    spin_lock(&pm->lock);
    pm->granted -= pages;
    pm->held -= pages;
    spin_unlock(&pm->lock);
}

struct holdings *pm_holdings(struct pm *pm)
{
    return &pm->holdings;
}

void *pm_table_alloc(struct pm *pm)
{
    if (pm_charge(pm) != 0)
        return NULL;
    void *table = pages_alloc_zeroed(0);
    if (table == NULL)
        pm_uncharge(pm);
    return table;
}

void pm_table_free(struct pm *pm, void *table)
{
    pages_free(table, 0);
    pm_uncharge(pm);
}

s64 pm_alloc_root(void)
{
    return pm_alloc(root_pm);
}

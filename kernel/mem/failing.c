// SPDX-License-Identifier: MIT
// Counts allocations by the calls that led to them, and lets one of them fail.
#include "failing.h"

#include <kernel/console.h>
#include <kernel/memory.h>
#include <kernel/options.h>
#include <kernel/panic.h>
#include <kernel/patch.h>
#include <kernel/percpu.h>
#include <kernel/process.h>
#include <kernel/spinlock.h>
#include <kernel/startup.h>
#include <kernel/unwind.h>
#include <kernel/wait.h>
#include <orrery/errors.h>
#include <orrery/sys.h>
#include <string.h>

#define SITES_MAX 512
#define BELOW_CALLER 2       // return addresses in memory_fails and in the allocation function
#define BOOT_LINE UINT32_MAX // as owner

struct memory_point {
    u32 *place;
    u32 *target;
};
extern const struct memory_point memory_points_start[], memory_points_end[]; // boot/orrery.ld

static struct mutex mutex = MUTEX_INIT("failing memory", MUTEX_SERVICE); // of who switches it
static struct {
    struct spinlock lock;
    u32 owner; // process that has switched it on, or BOOT_LINE; 0: it is off
    u32 pid;   // whose allocations
    u64 nth;
    u64 count, failed;
    s64 heap_objects; // of malloc: taken, less those that were freed
    u32 site_count;
    struct sys_memory_site sites[SITES_MAX]; // the last is for all that have no other place
} failing = {.lock = SPINLOCK_INIT("failing memory", RANK_FAILING)};

// ---- what allocators ask ------------------------------------------------------------------------

static bool concerns_caller(void)
{
    u32 pid = percpu()->in_interrupt ? 0 : percpu()->pid;

    return failing.pid == SYS_MEMORY_ALL || failing.pid == pid;
}

// With the lock held.
static struct sys_memory_site *site_of(const u64 *callers)
{
    for (u32 i = 0; i < failing.site_count; i++) {
        struct sys_memory_site *site = &failing.sites[i];
        if (memcmp(site->callers, callers, sizeof(site->callers)) == 0)
            return site;
    }
    if (failing.site_count == SITES_MAX)
        return &failing.sites[SITES_MAX - 1];
    struct sys_memory_site *site = &failing.sites[failing.site_count++];
    *site = (struct sys_memory_site){.first = failing.count};
    memcpy(site->callers, callers, sizeof(site->callers));
    return site;
}

static bool count_and_judge(const u64 *callers)
{
    failing.count++;
    struct sys_memory_site *site = site_of(callers);
    bool fails = failing.count == failing.nth;
    site->count++;
    site->failed += fails;
    failing.failed += fails;
    return fails;
}

bool memory_fails(void)
{
    u64 callers[BELOW_CALLER + SYS_MEMORY_CALLERS] = {0};
    bool fails = false;

    if (!concerns_caller())
        return false;
    stack_walk_here(callers, ARRAY_SIZE(callers));
    spin_lock(&failing.lock);
    if (failing.owner != 0)
        fails = count_and_judge(callers + BELOW_CALLER);
    spin_unlock(&failing.lock);
    return fails;
}

bool memory_heap_counted(u32 pid)
{
    return failing.owner != 0 && (failing.pid == SYS_MEMORY_ALL || failing.pid == pid);
}

s64 sys_memory_heap(bool taken, const struct sys_memory_callers *callers)
{
    bool fails = false;

    spin_lock(&failing.lock);
    if (memory_heap_counted(percpu()->pid)) {
        fails = taken && count_and_judge(callers->callers);
        failing.heap_objects += fails ? 0 : taken ? 1 : -1;
    }
    spin_unlock(&failing.lock);
    return fails;
}

// ---- on and off ---------------------------------------------------------------------------------

static void patch_points(bool on)
{
    patch_begin();
    for (const struct memory_point *point = memory_points_start; point < memory_points_end; point++)
        patch_word(point->place, on ? ppc_branch(point->place, point->target) : PPC_NOP);
    patch_end();
}

static void set_owner(u32 owner)
{
    spin_lock(&failing.lock);
    failing.owner = owner;
    spin_unlock(&failing.lock);
}

static u32 caller_pid(void)
{
    const struct process *process = process_current();

    return process != NULL ? process_pid(process) : 0;
}

static s64 switch_on(u64 nth, u32 pid, u32 owner)
{
    if (failing.owner != 0)
        return E_BUSY;
    failing.pid = pid;
    failing.nth = nth;
    failing.count = failing.failed = 0;
    failing.heap_objects = 0;
    failing.site_count = 0;
    patch_points(true);
    set_owner(owner); // what patching allocates does not count
    return 0;
}

static void end_counting(void)
{
    set_owner(0);
    patch_points(false);
}

// Keeps the counts.
static s64 switch_off(void)
{
    if (failing.owner != caller_pid())
        return failing.owner == 0 ? E_NOENT : E_BUSY;
    end_counting();
    return 0;
}

s64 sys_memory_fail(bool on, u64 nth, u32 pid)
{
    mutex_lock(&mutex);
    s64 error = on ? switch_on(nth, pid, caller_pid()) : switch_off();
    mutex_unlock(&mutex);
    if (error == 0)
        processes_count_heap();
    return error;
}

static void failing_owner_ends(struct process *process)
{
    mutex_lock(&mutex);
    bool ends = failing.owner == process_pid(process);
    if (ends)
        end_counting();
    mutex_unlock(&mutex);
    if (ends)
        processes_count_heap();
}
PROCESS_END_HOOK(failing_owner_ends);

void memory_fail_at_boot(void)
{
    if (boot_options.fail == 0)
        return;
    mutex_lock(&mutex);
    switch_on(boot_options.fail, boot_options.fail_pid, BOOT_LINE);
    mutex_unlock(&mutex);
    processes_count_heap();
    if (!boot_options.quiet)
        kprintf("boot: fail=: allocations are counted from here on\n");
}

// ---- what there is to see -----------------------------------------------------------------------

s64 sys_memory_use(struct sys_memory_use *use)
{
    struct heap_stat heap;
    struct pages_stat pages;

    heap_stat(&heap);
    pages_stat(&pages);
    *use = (struct sys_memory_use){.pages = pages.total - pages.free - heap.pages,
                                   .objects = heap.objects,
                                   .object_bytes = heap.bytes};
    spin_lock(&failing.lock);
    use->count = failing.count;
    use->failed = failing.failed;
    use->sites = failing.site_count;
    use->heap_objects = failing.heap_objects;
    spin_unlock(&failing.lock);
    return 0;
}

s64 sys_memory_site_get(u32 index, struct sys_memory_site *site)
{
    spin_lock(&failing.lock);
    bool found = index < failing.site_count;
    *site = found ? failing.sites[index] : (struct sys_memory_site){0};
    spin_unlock(&failing.lock);
    return found ? 0 : E_NOENT;
}

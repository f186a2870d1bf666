// SPDX-License-Identifier: MIT
// The kernel as host of clustered objects: the platform interface over kernel/.
#include <co/platform.h>
#include <co/quiesce.h>
#include <co/swap.h>
#include <kernel/irq.h>
#include <kernel/memory.h>
#include <kernel/patch.h>
#include <kernel/percpu.h>
#include <kernel/softmask.h>
#include <kernel/spinlock.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <orrery/errors.h>
#include <stdio.h>

extern const struct co_dref_site dref_sites_start[], dref_sites_end[]; // boot/orrery.ld

static struct thread *reapers[ORRERY_MAX_CPUS];
static u64 (*reaper_work)(void);

// ---- CPUs --------------------------------------------------------------------------------------

u32 co_platform_cpu(void)
{
    return cpu_id();
}

u64 co_platform_window(u32 cpu)
{
    return (u64)percpu_of(cpu);
}

u64 co_platform_mask(void)
{
    return soft_mask();
}

void co_platform_unmask(u64 state)
{
    soft_mask_restore((u8)state);
}

void co_platform_poke(u32 cpu)
{
    cpu_poke(cpu);
}

void co_platform_fence(void)
{
    __asm__ volatile("sync" ::: "memory");
}

// ---- waiting -----------------------------------------------------------------------------------

bool co_platform_can_wait(void)
{
    return !percpu()->soft_masked && !percpu()->in_interrupt;
}

void co_platform_wait(u64 us)
{
    thread_nap(microseconds_to_ticks(us));
}

// Nobody pokes its own CPU.
void co_platform_rest(u64 us)
{
    thread_quiesce();
    u8 masked = soft_mask();
    co_cpu_advance();
    soft_mask_restore(masked);
    thread_sleep(microseconds_to_ticks(us));
}

u32 co_platform_thread(void)
{
    return thread_id(thread_current());
}

u64 co_platform_now(void)
{
    return timebase();
}

// ---- names -------------------------------------------------------------------------------------

const char co_platform_root_name[] = "Kernel";
const char co_platform_root_implementation[] = "KernelObject";
const char co_platform_manager_implementation[] = "KernelObjectManager";

// ---- memory ------------------------------------------------------------------------------------

const bool co_platform_map_copies = false;

void *co_platform_alloc(u64 bytes)
{
    return kzalloc(bytes);
}

void co_platform_free(void *memory)
{
    kfree(memory);
}

void *co_platform_page_alloc(void)
{
    return pages_alloc(0);
}

void co_platform_page_free(void *page)
{
    pages_free(page, 0);
}

s64 co_platform_map(u64 address, const void *page, bool writable)
{
    u32 prot = MMU_READ | (writable ? MMU_WRITE : 0) | MMU_REPLACE;
    return mmu_map(address, virt_to_phys(page), 1, prot);
}

void co_platform_unmap(u64 address)
{
    mmu_unmap(address, 1);
}

s64 co_platform_safe_read(void *to, u64 from, u64 bytes)
{
    return safe_read(to, (const void *)from, bytes);
}

// ---- locks -------------------------------------------------------------------------------------

_Static_assert(sizeof(struct spinlock) <= sizeof(struct co_lock), "a spin lock must fit");

void co_platform_lock_init(struct co_lock *lock, const char *name, enum co_lock_rank rank)
{
    spin_init((struct spinlock *)lock, name, rank == CO_LOCK_OBJECT ? RANK_OBJECT : RANK_CO);
}

void co_platform_lock(struct co_lock *lock)
{
    spin_lock((struct spinlock *)lock);
}

void co_platform_unlock(struct co_lock *lock)
{
    spin_unlock((struct spinlock *)lock);
}

u64 co_platform_atomic_add(u64 *word, u64 addend)
{
    return atomic_add(word, addend);
}

// ---- code patching -----------------------------------------------------------------------------

const struct co_dref_site *co_platform_dref_sites(u64 *count)
{
    *count = (u64)(dref_sites_end - dref_sites_start);
    return dref_sites_start;
}

void co_platform_patch_begin(void)
{
    patch_begin();
}

void co_platform_patch_nop(u32 *instruction)
{
    patch_word(instruction, PPC_NOP);
}

void co_platform_patch_branch(u32 *instruction, const u32 *target)
{
    patch_word(instruction, ppc_branch(instruction, target));
}

void co_platform_patch_end(void)
{
    patch_end();
}

// ---- the reapers -------------------------------------------------------------------------------

static void reaper_main(void *argument)
{
    (void)argument;
    for (;;) {
        u64 ticks = reaper_work();
        if (ticks == 0)
            ticks = co_swap_tidy();
        if (ticks != 0)
            thread_sleep(ticks);
        else
            thread_park(NO_DEADLINE);
    }
}

s64 co_platform_reaper_start(u32 cpu, u64 (*work)(void))
{
    char name[THREAD_NAME_MAX];
    snprintf(name, sizeof(name), "reaper/%u", cpu);
    reaper_work = work;
    reapers[cpu] = thread_create(name, reaper_main, NULL, cpu, PRIORITY_HIGH);
    return reapers[cpu] != NULL ? (s64)thread_coid(reapers[cpu]) : E_NOMEM;
}

bool co_platform_reaper_wake(u32 cpu)
{
    if (reapers[cpu] == NULL)
        return false;
    thread_unpark(reapers[cpu]);
    return true;
}

u64 co_platform_microseconds(u64 us)
{
    return microseconds_to_ticks(us);
}

// SPDX-License-Identifier: MIT
// A user process as host of clustered objects: the platform interface over the thread library. The
// windows are the dispatchers' (orrery/user.h). The tables of each are pages of a REGION_COMMIT
// region.
#include <co/manager.h>
#include <co/platform.h>
#include <orrery/errors.h>
#include <orrery/memory.h>
#include <trace/events.h>
#include <user/objects.h>
#include <user/scheduler.h>
#include <user/time.h>

const char co_platform_root_name[] = "Process";
const char co_platform_root_implementation[] = "ProcessObjects";
const char co_platform_manager_implementation[] = "ProcessObjectManager";

// ---- CPUs --------------------------------------------------------------------------------------

u32 co_platform_cpu(void)
{
    return user_cpu();
}

u64 co_platform_window(u32 cpu)
{
    return USER_WINDOW + (u64)cpu * R13_WINDOW_SIZE;
}

u64 co_platform_mask(void)
{
    return user_disable();
}

void co_platform_unmask(u64 state)
{
    user_enable((u32)state);
}

void co_platform_fence(void)
{
    __asm__ volatile("sync" ::: "memory");
}

// ---- memory ------------------------------------------------------------------------------------

// A page can be at one place only, so pages are prepared in ordinary memory and copied into the
// window.
const bool co_platform_map_copies = true;

// Before each block: its size, for user_free.
struct header {
    u64 bytes, unused;
};

void *co_platform_alloc(u64 bytes)
{
    u32 before = user_disable();
    struct header *header = user_alloc(sizeof(*header) + bytes);
    user_enable(before);
    if (header == NULL)
        return NULL;
    header->bytes = sizeof(*header) + bytes;
    return header + 1;
}

void co_platform_free(void *memory)
{
    if (memory == NULL)
        return;
    struct header *header = (struct header *)memory - 1;
    u32 before = user_disable();
    user_free(header, header->bytes);
    user_enable(before);
}

void *co_platform_page_alloc(void)
{
    return co_platform_alloc(CO_PAGE_SIZE);
}

void co_platform_page_free(void *page)
{
    co_platform_free(page);
}

s64 co_platform_map(u64 address, const void *page, bool writable)
{
    if (sys_region_commit(address, CO_PAGE_SIZE, PROT_R | PROT_W) != 0)
        return E_NOMEM;
    if (page == NULL)
        return 0;
    u64 *to = (u64 *)address;
    const u64 *from = page;
    for (u32 i = 0; i < CO_PAGE_SIZE / sizeof(u64); i += 2) {
        __atomic_store_n(&to[i + 1], from[i + 1], __ATOMIC_RELAXED);
        __atomic_store_n(&to[i], from[i], __ATOMIC_RELEASE);
    }
    if (writable)
        return 0;
    return sys_region_commit(address, CO_PAGE_SIZE, PROT_R) == 0 ? 0 : E_NOMEM;
}

void co_platform_unmap(u64 address)
{
    sys_region_decommit(address, CO_PAGE_SIZE);
}

// ---- locks -------------------------------------------------------------------------------------
// Nothing of this dispatcher runs while one is held, so a holder is only ever on another CPU, or
// has been taken off its own by the kernel.

struct lock {
    struct user_spin spin;
    u32 before; // of the holder, whether it was disabled
};

_Static_assert(sizeof(struct lock) <= sizeof(struct co_lock), "a lock must fit");

void co_platform_lock_init(struct co_lock *lock, const char *name, enum co_lock_rank rank)
{
    (void)name;
    (void)rank;
    *(struct lock *)lock = (struct lock){0};
}

void co_platform_lock(struct co_lock *lock)
{
    struct lock *user = (struct lock *)lock;
    u32 before = user_disable();
    user_spin_lock(&user->spin);
    user->before = before;
}

void co_platform_unlock(struct co_lock *lock)
{
    struct lock *user = (struct lock *)lock;
    u32 before = user->before;
    user_spin_unlock(&user->spin);
    user_enable(before);
}

u64 co_platform_atomic_add(u64 *word, u64 addend)
{
    return __atomic_fetch_add(word, addend, __ATOMIC_RELAXED);
}

u64 co_platform_microseconds(u64 us)
{
    return time_from_us(us);
}

// ---- code patching -----------------------------------------------------------------------------

extern const struct co_dref_site dref_sites_start[], dref_sites_end[]; // userlib/user.ld

const struct co_dref_site *co_platform_dref_sites(u64 *count)
{
    *count = (u64)(dref_sites_end - dref_sites_start);
    return dref_sites_start;
}

void co_platform_patch_begin(void)
{
    user_patch_begin();
}

void co_platform_patch_nop(u32 *instruction)
{
    user_patch(instruction, NULL);
}

void co_platform_patch_branch(u32 *instruction, const u32 *target)
{
    user_patch(instruction, target);
}

void co_platform_patch_end(void)
{
    user_patch_end();
}

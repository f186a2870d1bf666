// SPDX-License-Identifier: MIT
// Threads' memory: a stack region each, with the struct thread at its upper end. Regions of default
// size are kept for the next thread.
#include "scheduler.h"

#include <orrery/memory.h>
#include <orrery/process.h>
#include <string.h>

#define CACHE_MAX 64
#define PAGE 4096
#define WIRED_BYTES 0x8000 // of a server's stack

static struct user_spin cache_lock;
static struct thread *cache;
static u32 cached;

static struct thread *from_cache(void)
{
    user_spin_lock(&cache_lock);
    struct thread *thread = cache;
    if (thread) {
        cache = thread->next;
        cached--;
    }
    user_spin_unlock(&cache_lock);
    return thread;
}

static struct thread *lay_out(u64 region, u64 bytes)
{
    struct thread *thread = (struct thread *)ALIGN_DOWN(region + bytes - sizeof *thread, 128);
    memset(thread, 0, sizeof *thread);
    thread->region = region;
    thread->region_bytes = bytes;
    thread->stack_low = region;
    thread->stack_high = (u64)thread;
    return thread;
}

// A server does for others what they ask for, also when memory is short. So the part of a stack
// that its work takes is there from the start: without it the thread is not made, and nobody ends.
static bool is_wired(void)
{
    static u32 priority;
    struct sys_process_info info;
    if (priority == 0 && sys_process_info(0, &info) == 0)
        priority = info.priority;
    return priority >= PROCESS_SERVER;
}

static bool make_region(struct sys_region *region)
{
    u64 wired = region->bytes < WIRED_BYTES ? region->bytes : WIRED_BYTES;
    if (sys_region_create(0, region) != 0)
        return false;
    if (!is_wired() ||
        sys_region_commit(region->address + region->bytes - wired, wired, region->prot) == 0)
        return true;
    sys_region_destroy(region->address);
    return false;
}

struct thread *stack_take(u64 bytes)
{
    bytes = ALIGN_UP(bytes + sizeof(struct thread), PAGE);
    struct thread *thread =
        bytes == ALIGN_UP(THREAD_STACK_DEFAULT + sizeof *thread, PAGE) ? from_cache() : NULL;
    if (thread)
        return lay_out(thread->region, bytes);
    struct sys_region region = {.bytes = bytes, .kind = REGION_STACK, .prot = PROT_R | PROT_W};
    return make_region(&region) ? lay_out(region.address, bytes) : NULL;
}

void stack_give(struct thread *thread)
{
    if (!thread->region)
        return;
    bool keep = false;
    if (thread->region_bytes == ALIGN_UP(THREAD_STACK_DEFAULT + sizeof *thread, PAGE)) {
        user_spin_lock(&cache_lock);
        keep = cached < CACHE_MAX;
        if (keep) {
            thread->magic = 0;
            thread->next = cache;
            cache = thread;
            cached++;
        }
        user_spin_unlock(&cache_lock);
    }
    if (!keep)
        sys_region_destroy(thread->region);
}

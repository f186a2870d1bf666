// SPDX-License-Identifier: MIT
// malloc's memory: one region that grows upwards. malloc holds its lock here.
#include <errno.h>
#include <orrery/memory.h>
#include <orrery/user.h>
#include <unistd.h>
#include <user/heap.h>

#define STEP 0x40000ul // the region grows and shrinks by these

static u64 used, mapped;

__attribute__((weak)) bool heap_is_committed = false;

static s64 set_end(u64 bytes)
{
    if (mapped != 0)
        return sys_region_resize(USER_HEAP, bytes);
    struct sys_region region = {.address = USER_HEAP,
                                .bytes = bytes,
                                .kind = heap_is_committed ? REGION_COMMIT : REGION_ANONYMOUS,
                                .prot = PROT_R | PROT_W};
    return sys_region_create(0, &region);
}

static s64 resize(u64 bytes)
{
    if (bytes == mapped)
        return 0;
    s64 error = set_end(bytes);
    if (error == 0 && heap_is_committed && bytes > mapped) {
        error = sys_region_commit(USER_HEAP + mapped, bytes - mapped, PROT_R | PROT_W);
        if (error != 0)
            (void)(mapped != 0 ? sys_region_resize(USER_HEAP, mapped)
                               : sys_region_destroy(USER_HEAP));
    }
    if (error == 0)
        mapped = bytes;
    return error;
}

void *sbrk(ptrdiff_t change)
{
    u64 new = used + (u64)change;
    bool possible = change < 0 ? new <= used : new >= used &&new < USER_MAP - USER_HEAP;
    // The first step stays.
    u64 bytes = new ? ALIGN_UP(new, STEP) : STEP;
    if (!possible || resize(bytes) != 0) {
        errno = ENOMEM;
        return (void *)-1;
    }
    u64 before = USER_HEAP + used;
    used = new;
    return (void *)before;
}

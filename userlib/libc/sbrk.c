// SPDX-License-Identifier: MIT
// malloc's memory: one region that grows upwards. malloc holds its lock here.
#include <errno.h>
#include <orrery/memory.h>
#include <orrery/user.h>
#include <unistd.h>

#define STEP 0x40000ul // the region grows and shrinks by these

static u64 used, mapped;

static s64 resize(u64 bytes)
{
    if (bytes == mapped)
        return 0;
    s64 error;
    if (!mapped) {
        struct sys_region region = {.address = USER_HEAP,
                                    .bytes = bytes,
                                    .kind = REGION_ANONYMOUS,
                                    .prot = PROT_R | PROT_W};
        error = sys_region_create(0, &region);
    } else {
        error = sys_region_resize(USER_HEAP, bytes);
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

// SPDX-License-Identifier: MIT
// A process that starts itself again, for ever.
#include "hoards.h"

#include <orrery/memory.h>
#include <orrery/sys.h>
#include <stddef.h>
#include <user/process.h>

s64 bomb_start(cap_t stop)
{
    const char *const argv[] = {"test-hoard", "bomb", NULL};
    struct process_grant grant = {.slot = SLOT_STOP, .cap = stop};
    struct process_spawn how = PROCESS_SPAWN;
    how.path = "/bin/test-hoard";
    how.argv = argv;
    how.grants = &grant;
    how.grant_count = 1;
    how.name = "bomb";
    return process_spawn(&how);
}

int bomb_main(void)
{
    struct sys_region region = {
        .bytes = 4096, .kind = REGION_SHARED, .prot = PROT_R, .memory = SLOT_STOP};
    if (sys_region_create(0, &region) != 0)
        return 1;
    const volatile u64 *stop = (const volatile u64 *)(uintptr_t)region.address;
    while (*stop == 0)
        bomb_start(SLOT_STOP);
    return 0;
}

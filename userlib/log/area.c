// SPDX-License-Identifier: MIT
// Memory for the logs of a CPU.
#include <orrery/ipc.h>
#include <orrery/log.h>
#include <orrery/memory.h>
#include <user/log.h>

s64 log_area_map(u32 cpu, u8 **area)
{
    s64 memory = sys_memory_new("logs", LOG_AREA_BYTES);
    if (memory < 0)
        return memory;
    struct sys_region region = {.bytes = LOG_AREA_BYTES,
                                .kind = REGION_SHARED,
                                .prot = PROT_R | PROT_W,
                                .memory = (cap_t)memory};
    s64 error = sys_region_create(0, &region);
    if (error == 0) {
        error = sys_log_area((cap_t)memory, cpu);
        if (error < 0)
            sys_region_destroy(region.address);
    }
    sys_cap_drop((cap_t)memory);
    if (error < 0)
        return error;
    *area = (u8 *)region.address;
    return 0;
}

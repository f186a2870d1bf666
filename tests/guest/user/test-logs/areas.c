// SPDX-License-Identifier: MIT
// Areas for tests.
#include "tests.h"

#include <orrery/ipc.h>
#include <orrery/memory.h>
#include <user/scheduler.h>

s64 area_memory(u64 bytes, u8 **address)
{
    s64 memory = sys_memory_new("log", bytes);
    struct sys_region region = {
        .bytes = bytes, .kind = REGION_SHARED, .prot = PROT_R | PROT_W, .memory = (cap_t)memory};

    if (memory < 0)
        return memory;
    s64 error = sys_region_create(0, &region);
    if (error != 0) {
        sys_cap_drop((cap_t)memory);
        return error;
    }
    *address = (u8 *)region.address;
    return memory;
}

void area_forget(cap_t memory, u8 *address)
{
    sys_cap_drop(memory);
    sys_region_destroy((u64)address);
}

s64 area_add(u32 cpu, u8 **address)
{
    u8 *mapped;
    s64 memory = area_memory(LOG_AREA_BYTES, &mapped);

    if (memory < 0)
        return memory;
    s64 number = sys_log_area((cap_t)memory, cpu);
    sys_cap_drop((cap_t)memory);
    if (number < 0 || address == NULL)
        sys_region_destroy((u64)mapped);
    else
        *address = mapped;
    return number;
}

static void count_calls(u8 *area, u32 domain)
{
    struct log_head *head = (struct log_head *)area;

    *(struct log_register *)(area + COUNT_REGISTER(domain)) = (struct log_register){
        COUNT_ROW(domain), LOG_SIZE(LOG_SIZE_MIN) | LOG_COUNTER_ADD | LOG_PADDING(3)};
    head->domains[domain].selectors[LOG_CALL_SENT] = LOG_SELECTOR(0, COUNT_REGISTER(domain));
}

bool lay_out_counts(u8 *areas[ORRERY_MAX_CPUS])
{
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        if (area_add(cpu, &areas[cpu]) != 0)
            return false;
        for (u32 domain = 1; domain < LOG_DOMAINS; domain++)
            count_calls(areas[cpu], domain);
    }
    return true;
}

u64 calls_of(u8 *const areas[ORRERY_MAX_CPUS], u32 domain)
{
    u64 calls = 0;

    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        calls += __atomic_load_n((u32 *)(areas[cpu] + COUNT_ROW(domain)), __ATOMIC_RELAXED);
    return calls;
}

// SPDX-License-Identifier: MIT
// Areas for tests.
#include "tests.h"

#include <expect.h>
#include <orrery/errors.h>
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

static void count_event(u8 *area, u32 event, u32 domain)
{
    struct log_head *head = (struct log_head *)area;
    u32 place = COUNT_REGISTER(event, domain);
    u32 counter = event == LOG_MEMORY ? LOG_WITH_COUNTER : LOG_COUNTER_ADD;

    *(struct log_register *)(area + place) = (struct log_register){
        COUNT_ROW(event, domain), LOG_SIZE(LOG_SIZE_MIN) | counter | LOG_PADDING(3)};
    head->domains[domain].selectors[event] = LOG_SELECTOR(0, place);
}

bool lay_out_counts(u8 *areas[ORRERY_MAX_CPUS])
{
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        if (area_add(cpu, &areas[cpu]) != 0)
            return false;
        for (u32 domain = 1; domain < LOG_DOMAINS; domain++)
            for (u32 event = 0; event < LOG_EVENTS; event++)
                count_event(areas[cpu], event, domain);
    }
    return true;
}

void forget_counts(u8 *const areas[ORRERY_MAX_CPUS])
{
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        EXPECT(sys_region_destroy((u64)areas[cpu]) == 0);
}

u32 count_on(const u8 *area, u32 event, u32 domain)
{
    return __atomic_load_n((const u32 *)(area + COUNT_ROW(event, domain)), __ATOMIC_RELAXED);
}

u32 count_of(u8 *const areas[ORRERY_MAX_CPUS], u32 event, u32 domain)
{
    u32 sum = 0;

    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        sum += count_on(areas[cpu], event, domain);
    return sum;
}

u64 calls_of(u8 *const areas[ORRERY_MAX_CPUS], u32 domain)
{
    return count_of(areas, LOG_CALL_SENT, domain);
}

void set_threshold(u8 *const areas[ORRERY_MAX_CPUS], u32 event, u32 domain, s32 threshold)
{
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        ((struct log_head *)areas[cpu])->domains[domain].thresholds[event] =
            (struct log_threshold){-threshold, threshold};
}

void rows_begin(u8 *area, u32 which)
{
    *(struct log_register *)(area + ROWS_REGISTER(which)) =
        (struct log_register){ROWS_FILE(which), LOG_SIZE(10) | LOG_WITH_COUNTER};
}

void rows_add(u8 *area, u32 which, u32 event, u32 domain)
{
    ((struct log_head *)area)->domains[domain].selectors[event] =
        LOG_SELECTOR(0, ROWS_REGISTER(which));
}

u32 rows_of(const u8 *area, u32 which)
{
    const struct log_register *file = (const struct log_register *)(area + ROWS_REGISTER(which));

    return (__atomic_load_n(&file->offset, __ATOMIC_RELAXED) - ROWS_FILE(which)) / sizeof(u32);
}

void enable_all(void)
{
    for (u32 characteristic = 0; characteristic < LOG_CHARACTERISTICS; characteristic++) {
        s64 error = sys_log_enable(characteristic, true);
        EXPECT(error == (characteristic == LOG_OF_HARDWARE ? E_NOTSUP : 0));
    }
}

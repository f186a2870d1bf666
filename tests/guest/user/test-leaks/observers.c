// SPDX-License-Identifier: MIT
// Who looks on while calls are made.
#include "leaks.h"

#include <orrery/log.h>
#include <orrery/memory.h>
#include <orrery/monitors.h>
#include <orrery/sys.h>
#include <trace/events.h>
#include <unistd.h>

#define PLACE 0x4100 // of the log's register in its area
#define BASE 0x8000
#define OWN_DOMAIN 1
#define SERVER_DOMAIN 2

static bool nobody(u32 server_pid, u32 cpu)
{
    (void)server_pid;
    (void)cpu;
    return true;
}

static void nothing(void)
{
}

static u64 mask_before;

static bool trace(u32 server_pid, u32 cpu)
{
    (void)server_pid;
    (void)cpu;
    mask_before = sys_trace_mask();
    return sys_trace_set_mask(TRACE_ALL_MAJORS) == 0;
}

static void trace_ends(void)
{
    sys_trace_set_mask(mask_before);
}

static cap_t monitor;

static bool monitors(u32 server_pid, u32 cpu)
{
    u64 bytes = 0x10000, kinds = 0xff;

    (void)cpu;
    s64 made = sys_monitor_create(&bytes);
    monitor = (cap_t)made;
    return made > 0 && sys_monitor_track_pid(monitor, (u32)getpid(), 0, 1, kinds) >= 0 &&
           sys_monitor_track_pid(monitor, server_pid, 0, 2, kinds) >= 0 &&
           sys_monitor_resume(monitor) == 0;
}

static void monitors_end(void)
{
    sys_monitor_terminate(monitor);
    sys_cap_drop(monitor);
}

// An area for both domains, with a log of calls for which `control` has no fast code, or has.
static bool logs(u32 server_pid, u32 cpu, u32 control)
{
    struct sys_region region = {
        .bytes = LOG_AREA_BYTES, .kind = REGION_SHARED, .prot = PROT_R | PROT_W};
    s64 memory = sys_memory_new("log", LOG_AREA_BYTES);

    region.memory = (cap_t)memory;
    if (memory < 0 || sys_region_create(0, &region) != 0 || sys_log_area((cap_t)memory, cpu) != 0)
        return false;
    struct log_head *head = (struct log_head *)region.address;
    *(volatile struct log_register *)(region.address + PLACE) =
        (struct log_register){BASE, control};
    for (u32 domain = OWN_DOMAIN; domain <= SERVER_DOMAIN; domain++) {
        for (u32 event = LOG_CALL_SENT; event < LOG_CALL_SENT + 4; event++)
            head->domains[domain].selectors[event] = LOG_SELECTOR(0, PLACE);
        head->domains[domain].selectors[LOG_SERVICE_TIME] = LOG_SELECTOR(0, PLACE);
    }
    sys_cap_drop((cap_t)memory);
    return sys_log_domain((u32)getpid(), 0, OWN_DOMAIN) == 0 &&
           sys_log_domain(server_pid, 0, SERVER_DOMAIN) == 0 &&
           sys_log_enable(LOG_OF_CALLS, true) == 0;
}

static bool logs_fast(u32 server_pid, u32 cpu)
{
    return logs(server_pid, cpu,
                LOG_SIZE(7) | LOG_WITH_EVENT | LOG_WITH_CURRENT | LOG_WITH_CORRESPONDENT |
                    LOG_WITH_COUNTER);
}

static bool logs_slow(u32 server_pid, u32 cpu)
{
    return logs(server_pid, cpu, LOG_SIZE(7) | LOG_WITH_EVENT) &&
           sys_log_enable(LOG_OF_SERVICE, true) == 0;
}

static void logs_end(void)
{
    sys_log_close();
}

static bool drefs(u32 server_pid, u32 cpu)
{
    (void)server_pid;
    (void)cpu;
    return sys_dref_enable(true) == 0;
}

static void drefs_end(void)
{
    sys_dref_enable(false);
}

const struct observer observers[] = {
    {"nobody", nobody, nothing, false},
    {"trace", trace, trace_ends, true},
    {"a monitor", monitors, monitors_end, true},
    {"logs", logs_fast, logs_end, false}, // who owns logs has one area a CPU here
    {"logs of services", logs_slow, logs_end, true},
    {"counted calls", drefs, drefs_end, true},
};
const u32 observer_count = ARRAY_SIZE(observers);

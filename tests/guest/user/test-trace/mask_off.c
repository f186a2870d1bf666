// SPDX-License-Identifier: MIT
// Once the mask is off nothing is logged any more, on any CPU, whatever each was executing as the
// points were patched.
// What can go wrong is a race within the emulator (kernel/exception/patch.c), and wants
// a busy host to show.
#include "mask_off.h"

#include <orrery/sys.h>
#include <trace/events.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

#define MASK (1UL << TRACE_MAJOR_MEM)
#define ON_US 10
#define OFF_US 100

static volatile bool enough;

// What a system call returns goes through memory that the kernel allocates: an event each time.
static s64 cause_events(void *buffer)
{
    while (!enough)
        sys_trace_metadata(0, buffer, 4096);
    return 0;
}

static void spin_us(u64 microseconds)
{
    u64 end = time_after_us(microseconds);
    while (time_now() < end)
        ;
}

static void read_events(u64 events[])
{
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        struct sys_trace_stat stat;
        events[cpu] = sys_trace_stat(cpu, &stat) == 0 ? stat.events : UINT64_MAX;
    }
}

static u64 one_round(u64 *events)
{
    u64 before[ORRERY_MAX_CPUS], after[ORRERY_MAX_CPUS], violations = 0;
    sys_trace_set_mode(SYS_TRACE_OVERWRITE);
    sys_trace_set_mask(MASK);
    spin_us(ON_US);
    sys_trace_set_mask(0);
    read_events(before);
    spin_us(OFF_US);
    read_events(after);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        *events += before[cpu];
        violations += after[cpu] != before[cpu];
    }
    return violations;
}

u64 mask_off_violations(u32 rounds, u64 *events)
{
    static char buffers[ORRERY_MAX_CPUS][4096];
    struct thread *threads[ORRERY_MAX_CPUS] = {0};
    u64 violations = 0;
    enough = false;
    *events = 0;
    for (u32 cpu = 1; cpu < user_cpu_count(); cpu++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = cpu;
        violations += thread_create(&threads[cpu], &attributes, cause_events, buffers[cpu]) != 0;
    }
    for (u32 i = 0; i < rounds; i++)
        violations += one_round(events);
    enough = true;
    for (u32 cpu = 1; cpu < user_cpu_count(); cpu++)
        if (threads[cpu] != NULL)
            thread_join(threads[cpu], NULL);
    return violations;
}

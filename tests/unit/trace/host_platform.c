// SPDX-License-Identifier: MIT
// The trace core's host in unit tests. A CPU's interrupt mask is a mutex, so that threads may play
// CPUs.
#include "host_platform.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace/metadata.h>
#include <trace/ring.h>
#include <trace/trace.h>

struct trace_cpu host_cpus[HOST_CPUS];
_Thread_local u32 host_cpu;
u64 host_time, host_time_step;
u64 host_fail_after = UINT64_MAX;
bool host_heartbeat[HOST_CPUS];
u32 host_points_on[HOST_POINTS], host_points_off[HOST_POINTS];
char host_printed[65536];

static u32 instructions[HOST_POINTS];
const struct trace_point host_points[HOST_POINTS] = {
    {&instructions[0], NULL, 0}, {&instructions[1], NULL, 1}, {&instructions[2], NULL, 1}};
static pthread_mutex_t masks[HOST_CPUS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
// A CPU runs one interrupt handler at a time.
static pthread_mutex_t handlers[HOST_CPUS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t patching = PTHREAD_MUTEX_INITIALIZER;

void host_start(u32 count, enum sys_trace_mode mode)
{
    host_time = 1000;
    host_time_step = 1;
    host_printed[0] = 0;
    trace_metadata_init();
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++) {
        host_cpu = cpu;
        if (trace_ring_create(&host_cpus[cpu], cpu, count, mode) != 0)
            abort();
    }
    host_cpu = 0;
}

void host_end(void)
{
    trace_set_mask(0);
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++) {
        u64 *subbuffers = (u64 *)host_cpus[cpu].subbuffers;
        for (u32 i = 0; i < host_cpus[cpu].subbuffer_count; i++)
            free((void *)subbuffers[i]);
        free(subbuffers);
        host_cpus[cpu] = (struct trace_cpu){0};
    }
    memset(host_points_on, 0, sizeof(host_points_on));
    memset(host_points_off, 0, sizeof(host_points_off));
}

u32 host_pid;

u32 trace_platform_pid(void)
{
    return host_pid;
}

u32 trace_platform_cpu_count(void)
{
    return HOST_CPUS;
}

struct trace_cpu *trace_platform_cpu(u32 cpu)
{
    return &host_cpus[cpu];
}

struct trace_cpu *trace_platform_this_cpu(void)
{
    return &host_cpus[host_cpu];
}

u64 trace_platform_mask(void)
{
    pthread_mutex_lock(&masks[host_cpu]);
    return host_cpu;
}

void trace_platform_unmask(u64 state)
{
    pthread_mutex_unlock(&masks[state]);
}

void trace_platform_on_cpu(u32 cpu, void (*function)(struct trace_cpu *, void *), void *argument)
{
    u32 before = host_cpu;
    pthread_mutex_lock(&handlers[cpu]);
    host_cpu = cpu;
    function(&host_cpus[cpu], argument);
    host_cpu = before;
    pthread_mutex_unlock(&handlers[cpu]);
}

u64 trace_platform_time(void)
{
    return __atomic_add_fetch(&host_time, host_time_step, __ATOMIC_RELAXED);
}

u64 trace_platform_time_hz(void)
{
    return HOST_HZ;
}

void trace_platform_heartbeat(bool on, u64 period)
{
    host_heartbeat[host_cpu] = on && period == 2 * HOST_HZ;
}

static bool may_allocate(void)
{
    if (host_fail_after == 0)
        return false;
    host_fail_after--;
    return true;
}

void *trace_platform_subbuffer_alloc(void)
{
    if (!may_allocate())
        return NULL;
    void *subbuffer = aligned_alloc(TRACE_SUBBUFFER_SIZE, TRACE_SUBBUFFER_SIZE);
    memset(subbuffer, 0xa5, TRACE_SUBBUFFER_SIZE);
    return subbuffer;
}

void trace_platform_subbuffer_free(void *subbuffer)
{
    free(subbuffer);
}

void *trace_platform_alloc(u64 bytes)
{
    return may_allocate() ? malloc(bytes) : NULL;
}

void trace_platform_free(void *memory)
{
    free(memory);
}

u64 trace_platform_physical(const void *address)
{
    return (u64)address;
}

const struct trace_point *trace_platform_points(u64 *count)
{
    *count = HOST_POINTS;
    return host_points;
}

void trace_platform_patch_begin(void)
{
    pthread_mutex_lock(&patching);
}

void trace_platform_patch(const struct trace_point *point, bool on)
{
    (on ? host_points_on : host_points_off)[point - host_points]++;
}

void trace_platform_patch_end(void)
{
    pthread_mutex_unlock(&patching);
}

void trace_platform_identity(struct trace_identity *identity)
{
    *identity = (struct trace_identity){.date = 1700000000500000000UL};
    for (u32 i = 0; i < sizeof(identity->unique); i++)
        identity->unique[i] = (u8)(i * 17);
    for (u32 i = 0; i < sizeof(identity->build_id); i++)
        identity->build_id[i] = (u8)(i * 3);
}

void trace_platform_print(const char *format, ...)
{
    u64 used = strlen(host_printed);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(host_printed + used, sizeof(host_printed) - used, format, arguments);
    va_end(arguments);
}

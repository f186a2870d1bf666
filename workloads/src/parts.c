// SPDX-License-Identifier: MIT
// Common parts of workloads: their time limit, report lines, and the destruction of their objects.
#include <co/object.h>
#include <kernel/timer.h>
#include <orrery/errors.h>
#include <workloads/workload.h>

u64 workload_deadline(u64 seconds)
{
    return seconds == 0 ? UINT64_MAX : timebase() + seconds * timebase_hz;
}

void workload_report_number(struct workload_run *run, const char *key, u64 number)
{
    workload_report(run, "%s %llu", key, (unsigned long long)number);
}

void workload_report_object(struct workload_run *run, const char *key, coid_t coid, u64 number)
{
    workload_report(run, "%s.0x%llx %llu", key, (unsigned long long)coid,
                    (unsigned long long)number);
}

void workload_report_failed(struct workload_run *run, u64 number)
{
    workload_report_number(run, "failed", number);
    if (number != 0)
        run->result = E_IO;
}

void workload_destroy_objects(struct workload_run *run)
{
    for (u32 i = 0; i < run->object_count; i++)
        co_destroy(run->objects[i]);
}

int workload_no_prepare(struct workload_run *run)
{
    (void)run;
    return 0;
}

void workload_nothing(struct workload_run *run)
{
    (void)run;
}

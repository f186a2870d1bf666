// SPDX-License-Identifier: MIT
// Workload idle: one sleeping thread, to show what the system does by itself.
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <workloads/workload.h>

#define NAP_US 10000

enum { SECONDS };

static const struct workload_param params[] = {
    [SECONDS] = {"seconds", PARAM_NUMBER, "0", 0, 86400, 0, NULL},
};

static u64 naps;

static void idle_work(struct workload_run *run, u32 cpu)
{
    (void)cpu;
    u64 deadline = workload_deadline(run->values[SECONDS].numbers[0]);
    naps = 0;
    while (!workload_stopping(run) && timebase() < deadline) {
        thread_sleep(microseconds_to_ticks(NAP_US));
        naps++;
    }
}

static void idle_finish(struct workload_run *run)
{
    workload_report_number(run, "naps", naps);
}

static const struct workload workload_idle = {
    .name = "idle",
    .help = "seconds=0 (..86400, 0: until stopped)",
    .params = params,
    .param_count = ARRAY_SIZE(params),
    .cpus_param = UINT32_MAX,
    .prepare = workload_no_prepare,
    .work = idle_work,
    .finish = idle_finish,
    .release = workload_nothing,
};
WORKLOAD(workload_idle);

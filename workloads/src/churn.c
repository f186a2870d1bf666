// SPDX-License-Identifier: MIT
// Workload churn: every CPU makes objects that refer to each other, calls those of other CPUs, and
// destroys its own again.
#include <kernel/percpu.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <orrery/errors.h>
#include <workloads/work_object.h>
#include <workloads/workload.h>

#define SLOTS 64 // of each CPU

enum { SECONDS, PAUSE, CPUS };

static const struct workload_param params[] = {
    [SECONDS] = {"seconds", PARAM_NUMBER, "0", 0, 86400, 0, NULL},
    [PAUSE] = {"pause", PARAM_NUMBER, "0", 0, 1000000, 0, NULL},
    [CPUS] = {"cpus", PARAM_CPUS, "all", 0, 0, 0, NULL},
};

struct account {
    u64 created, destroyed, answered, stale, failed;
};

static coid_t slots[ORRERY_MAX_CPUS][SLOTS]; // 0: empty
static struct account accounts[ORRERY_MAX_CPUS];
static u64 deadline;

static int churn_prepare(struct workload_run *run)
{
    deadline = workload_deadline(run->values[SECONDS].numbers[0]);
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        accounts[cpu] = (struct account){0};
        for (u32 i = 0; i < SLOTS; i++)
            slots[cpu][i] = 0;
    }
    return 0;
}

static void churn_destroy(u32 cpu, u32 slot, struct account *account)
{
    coid_t coid = slots[cpu][slot];
    if (coid == 0)
        return;
    __atomic_store_n(&slots[cpu][slot], 0, __ATOMIC_RELEASE);
    account->failed += co_destroy(coid) != 0;
    account->destroyed++;
}

static void churn_create(u32 cpu, u32 slot, struct account *account)
{
    coid_t other = slots[cpu][(slot + SLOTS - 1) % SLOTS];
    s64 coid = work_object_create(&other, other != 0);
    if (coid < 0) {
        account->failed++;
        return;
    }
    account->created++;
    __atomic_store_n(&slots[cpu][slot], (coid_t)coid, __ATOMIC_RELEASE);
}

static void call(u32 cpu, u32 slot, struct account *account)
{
    coid_t coid = __atomic_load_n(&slots[cpu][slot], __ATOMIC_ACQUIRE);
    if (coid == 0)
        return;
    s64 stamp = CO_CALL(struct work_object, coid, stamp);
    account->answered += stamp == work_object_stamp(coid);
    account->stale += stamp == E_STALE;
    account->failed += stamp != E_STALE && stamp != work_object_stamp(coid);
}

static void churn_work(struct workload_run *run, u32 cpu)
{
    struct account *account = &accounts[cpu];
    u64 pause = microseconds_to_ticks(run->values[PAUSE].numbers[0]);
    for (u32 i = 0; !workload_stopping(run) && timebase() < deadline; i++) {
        churn_destroy(cpu, i % SLOTS, account);
        churn_create(cpu, i % SLOTS, account);
        for (u32 other = 0; other < cpu_count; other++)
            call(other, (i * 7) % SLOTS, account);
        thread_quiesce();
        if (pause != 0)
            thread_sleep(pause);
    }
    for (u32 i = 0; i < SLOTS; i++)
        churn_destroy(cpu, i, account);
}

static void churn_finish(struct workload_run *run)
{
    struct account sum = {0};
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        sum.created += accounts[cpu].created;
        sum.destroyed += accounts[cpu].destroyed;
        sum.answered += accounts[cpu].answered;
        sum.stale += accounts[cpu].stale;
        sum.failed += accounts[cpu].failed;
    }
    workload_report_number(run, "created", sum.created);
    workload_report_number(run, "destroyed", sum.destroyed);
    workload_report_number(run, "answered", sum.answered);
    workload_report_number(run, "stale", sum.stale);
    workload_report_failed(run, sum.failed);
}

static const struct workload workload_churn = {
    .name = "churn",
    .help =
        "seconds=0 (..86400, 0: until stopped), pause=0 (microseconds after each object, ..10^6), "
        "cpus=all (or 0-1)",
    .params = params,
    .param_count = ARRAY_SIZE(params),
    .cpus_param = CPUS,
    .prepare = churn_prepare,
    .work = churn_work,
    .finish = churn_finish,
    .release = workload_nothing,
};
WORKLOAD(workload_churn);

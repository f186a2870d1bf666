// SPDX-License-Identifier: MIT
// Workload contention: a thread on each CPU calls one of several objects at random, some more often
// than others. Each object holds its own spin lock meanwhile. The report has the waiting time of
// each lock, by the clock and by trace events.
#include <kernel/percpu.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <string.h>
#include <workloads/contended.h>
#include <workloads/work.h>
#include <workloads/work_object.h>
#include <workloads/workload.h>

#include "lock_turns.h"

#define OBJECTS 4

enum { WORK, HOLD, PAUSE, SECONDS, CPUS };

static const struct workload_param params[] = {
    [WORK] = {"work", PARAM_LIST, "27-9-3-1", 1, 100, OBJECTS, NULL},
    [HOLD] = {"hold", PARAM_NUMBER, "100", 1, 10000, 0, NULL},
    [PAUSE] = {"pause", PARAM_NUMBER, "0", 0, 1000000, 0, NULL},
    [SECONDS] = {"seconds", PARAM_NUMBER, "0", 0, 86400, 0, NULL},
    [CPUS] = {"cpus", PARAM_CPUS, "all", 0, 0, 0, NULL},
};

static coid_t coids[OBJECTS];
static struct contended_account accounts[ORRERY_MAX_CPUS][OBJECTS];
static u64 all_work;
static bool turns_known;

static int contention_create(void)
{
    for (u32 i = 0; i < OBJECTS; i++) {
        s64 coid = contended_create();
        if (coid < 0) {
            work_objects_destroy(coids, i);
            return (int)coid;
        }
        coids[i] = (coid_t)coid;
    }
    return 0;
}

static int contention_prepare(struct workload_run *run)
{
    memset(accounts, 0, sizeof(accounts));
    all_work = 0;
    for (u32 i = 0; i < OBJECTS; i++)
        all_work += run->values[WORK].numbers[i];
    contended_calibrate();
    turns_known = lock_turns_known();
    run->objects = coids;
    run->object_count = OBJECTS;
    return contention_create();
}

static u32 pick(const u64 work[], u64 number)
{
    u32 object = 0;

    while (number >= work[object])
        number -= work[object++];
    return object;
}

// Sleeps to a time at which all CPUs go on together, so that they meet at the locks.
static void pause_together(u64 ticks)
{
    thread_sleep(ticks - timebase() % ticks);
}

static void contention_work(struct workload_run *run, u32 cpu)
{
    const u64 *shares = run->values[WORK].numbers;
    u64 ticks = microseconds_to_ticks(run->values[HOLD].numbers[0]);
    u64 deadline = workload_deadline(run->values[SECONDS].numbers[0]);
    u64 pause = microseconds_to_ticks(run->values[PAUSE].numbers[0]);
    u64 random = 0x2545f4914f6cdd1d + cpu;

    for (u64 calls = 1; !workload_stopping(run) && timebase() < deadline; calls++) {
        u32 object = pick(shares, work_random(&random) % all_work);
        CO_CALL(struct contended_object, coids[object], hold, ticks, &accounts[cpu][object]);
        thread_quiesce();
        if (pause != 0 && calls % all_work == 0)
            pause_together(pause);
    }
}

static struct contended_account sum_of(u32 object)
{
    struct contended_account sum = {0};

    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        const struct contended_account *own = &accounts[cpu][object];
        sum.acquisitions += own->acquisitions;
        sum.contended += own->contended;
        sum.turns += own->turns;
        sum.waited += own->waited;
    }
    return sum;
}

// Without trace events of locks the report omits turns: better than a wrong 0.
static void contention_finish(struct workload_run *run)
{
    for (u32 object = 0; object < OBJECTS; object++) {
        struct contended_account sum = sum_of(object);
        workload_report_object(run, "work", coids[object], run->values[WORK].numbers[object]);
        workload_report_object(run, "acquisitions", coids[object], sum.acquisitions);
        workload_report_object(run, "waited", coids[object], work_ticks_to_ns(sum.waited));
        if (!turns_known || !lock_turns_known())
            continue;
        workload_report_object(run, "contended", coids[object], sum.contended);
        workload_report_object(run, "spins", coids[object], sum.turns);
    }
}

static const struct workload workload_contention = {
    .name = "contention",
    .help = "work=27-9-3-1 (calls of four objects, 1..100), hold=100 (us, 1..10000), pause=0 "
            "(..1000000 us, a break behind as many calls as work has, up to a multiple of it), "
            "seconds=0 (..86400, 0: until stopped), cpus=all (or 0-1)",
    .params = params,
    .param_count = ARRAY_SIZE(params),
    .cpus_param = CPUS,
    .prepare = contention_prepare,
    .work = contention_work,
    .finish = contention_finish,
    .release = workload_destroy_objects,
};
WORKLOAD(workload_contention);

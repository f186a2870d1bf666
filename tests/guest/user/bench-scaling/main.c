// SPDX-License-Identifier: MIT
// What an operation costs when all CPUs do it at once, each its own. The operations are zero-fill
// page faults, calls to a server on the same CPU, and calls of an object. The FCM and the object
// are shared or distributed. From when the last CPU began until the last one was done, over the
// operations of all. Under -icount one CPU runs at a time and a nanosecond is an instruction of any
// of them; one that is done halts and takes no time. So this is the instructions of an operation.
// Lines "BENCH name value unit", the number of CPUs in the name.
#include <bench.h>
#include <co/counter.h>
#include <orrery/memory.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

#define PAGE 4096UL
#define FAULTS 2048 // measured, a CPU; as many before warm up
#define CALLS 10000
#define OBJECT_CALLS 100000
#define SETTLE_US 100000 // until the reapers are done with what the measurement before destroyed

// Work of some kind. A CPU does operations first … first + count - 1 of its own.
struct work {
    s64 (*run)(const struct work *work, u32 cpu, u64 first, u64 count);
    u64 operations; // measured, a CPU
    u64 address;    // of the region
    coid_t coid;    // of the counter
    struct peer servers[ORRERY_MAX_CPUS];

    volatile u64 arrived; // CPUs that are warm
    u64 begin[ORRERY_MAX_CPUS], end[ORRERY_MAX_CPUS];
};

static s64 on_cpu(void *argument)
{
    struct work *work = argument;
    u32 cpu = user_cpu();
    s64 error = work->run(work, cpu, 0, work->operations);

    work->begin[cpu] = time_now();
    __atomic_fetch_add(&work->arrived, 1, __ATOMIC_SEQ_CST);
    while (work->arrived < user_cpu_count())
        __asm__ volatile("or 31,31,31");
    if (error == 0)
        error = work->run(work, cpu, work->operations, work->operations);
    work->end[cpu] = time_now();
    return error;
}

static u64 latest(const u64 times[ORRERY_MAX_CPUS])
{
    u64 time = 0;

    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        time = times[cpu] > time ? times[cpu] : time;
    return time;
}

static s64 measure(const char *name, struct work *work)
{
    struct thread *threads[ORRERY_MAX_CPUS];
    u32 cpus = user_cpu_count();
    s64 error = 0;

    thread_sleep_us(SETTLE_US);
    work->arrived = 0;
    for (u32 cpu = 0; cpu < cpus; cpu++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = cpu;
        s64 failed = thread_create(&threads[cpu], &attributes, on_cpu, work);
        if (failed != 0)
            return failed; // the others wait for it until the process has ended
    }
    for (u32 cpu = 0; cpu < cpus; cpu++) {
        s64 result;
        thread_join(threads[cpu], &result);
        error = result != 0 ? result : error;
    }
    if (error == 0)
        printf("BENCH scaling.%s_%u_cpus %.1f ns\n", name, cpus,
               (double)(latest(work->end) - latest(work->begin)) * 1e9 / (double)time_hz() /
                   (double)(cpus * work->operations));
    return error;
}

// ---- page faults --------------------------------------------------------------------------------

static s64 write_pages(const struct work *work, u32 cpu, u64 first, u64 count)
{
    u64 own = work->address + (cpu * 2 * FAULTS + first) * PAGE;

    for (u64 i = 0; i < count; i++)
        *(volatile u8 *)(own + i * PAGE) = 1;
    return 0;
}

// All CPUs in one region, each in a part of its own.
static s64 faults(const char *name, u32 flags)
{
    static struct work work = {.run = write_pages, .operations = FAULTS};
    struct sys_region region = {.bytes = user_cpu_count() * 2 * FAULTS * PAGE,
                                .kind = REGION_ANONYMOUS,
                                .prot = PROT_R | PROT_W,
                                .flags = flags};
    s64 error = sys_region_create(0, &region);

    if (error != 0)
        return error;
    work.address = region.address;
    error = measure(name, &work);
    sys_region_destroy(region.address);
    return error;
}

// ---- calls --------------------------------------------------------------------------------------

static s64 call_server(const struct work *work, u32 cpu, u64 first, u64 count)
{
    u32 before = user_disable();
    s64 error = pingpong(work->servers[cpu].cap, count, 0);

    (void)first;
    user_enable(before);
    return error;
}

// A client and a server process a CPU.
static s64 pairs(void)
{
    static struct work work = {.run = call_server, .operations = CALLS};

    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        if (!peer_start(&work.servers[cpu], "raw", cpu))
            return E_TIMEOUT;
    s64 error = measure("ipc_pairs", &work);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        peer_end(&work.servers[cpu]);
    return error;
}

// ---- object calls -------------------------------------------------------------------------------

static s64 increment(const struct work *work, u32 cpu, u64 first, u64 count)
{
    coid_t coid = work->coid;
    s64 error = 0;

    (void)cpu;
    (void)first;
    for (u64 i = 0; i < count && error == 0; i++)
        error = CO_CALL(struct counter, coid, inc);
    return error;
}

// All CPUs count in one counter.
static s64 counter(const char *name, s64 created)
{
    static struct work work = {.run = increment, .operations = OBJECT_CALLS};

    if (created < 0)
        return created;
    work.coid = (coid_t)created;
    s64 error = measure(name, &work);
    s64 expected = (s64)(2 * user_cpu_count() * work.operations);
    if (error == 0 && CO_CALL(struct counter, work.coid, val) != expected)
        error = E_INVAL;
    co_destroy(work.coid);
    return error;
}

int main(void)
{
    s64 error = faults("faults_shared", 0);

    if (error == 0)
        error = faults("faults_distributed", REGION_DISTRIBUTED);
    if (error == 0)
        error = pairs();
    if (error == 0)
        error = counter("counter_shared", shared_counter_create());
    if (error == 0)
        error = counter("counter_distributed", distributed_counter_create());
    if (error != 0)
        printf("bench-scaling: %s\n", orrery_strerror(error));
    return error != 0;
}

// SPDX-License-Identifier: MIT
// What page faults cost, from a user's store to the instruction after it. How that changes with the
// number of CPUs that fault at once, in one region over a shared or a distributed FCM. Lines "BENCH
// name value unit"; under -icount a nanosecond is an instruction. There, with several CPUs, one
// runs at a time: the boot option `serial` says so. The option only=NAME leaves out the
// measurements with other names.
#include <orrery/ipc.h>
#include <orrery/memory.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <string.h>
#include <user/ipc.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

#include "told.h"

#define PAGE 4096UL
#define PAGES 1024       // of one measurement, a CPU
#define REAPED_US 100000 // by then the reapers are at rest
#define RW (PROT_R | PROT_W)

static bool serial;
static char only[32];

static u64 make_region(u32 kind, u64 pages, u32 prot, cap_t memory, u32 flags)
{
    struct sys_region region = {
        .bytes = pages * PAGE, .kind = kind, .prot = prot, .memory = memory, .flags = flags};
    s64 error = sys_region_create(0, &region);

    if (error != 0)
        printf("region: %s\n", orrery_strerror(error));
    return region.address;
}

static void tell(const char *name, u64 ticks, u64 operations)
{
    double ns = (double)ticks * 1e9 / (double)time_hz() / (double)operations;

    told(operations);
    printf("BENCH memory.%s %.1f ns\n", name, ns);
}

static void write_pages(u64 address, u64 pages)
{
    for (u64 i = 0; i < pages; i++)
        *(volatile u8 *)(address + i * PAGE) = 1;
}

static void read_pages(u64 address, u64 pages)
{
    for (u64 i = 0; i < pages; i++)
        (void)*(volatile u8 *)(address + i * PAGE);
}

// Half of the pages warm up tables and stocks.
static void measure(const char *name, u64 address, void (*touch)(u64 address, u64 pages))
{
    if (only[0] == '\0' || strcmp(only, name) == 0) {
        touch(address, PAGES);
        u64 begin = time_now();
        touch(address + PAGES * PAGE, PAGES);
        tell(name, time_now() - begin, PAGES);
    }
    sys_region_destroy(address);
}

// As a program does it that wants a page for a moment. What was destroyed before has been reclaimed
// when it begins.
static void map_touch_unmap(void)
{
    thread_sleep_us(REAPED_US);
    u64 begin = time_now();

    for (u32 i = 0; i < PAGES; i++) {
        u64 address = make_region(REGION_ANONYMOUS, 1, RW, 0, 0);
        write_pages(address, 1);
        sys_region_destroy(address);
    }
    tell("map_touch_unmap", time_now() - begin, PAGES);
}

static void one_cpu(void)
{
    cap_t memory = (cap_t)sys_memory_new("bench", 2 * PAGES * PAGE);
    u64 whole = make_region(REGION_SHARED, 2 * PAGES, RW, memory, 0);

    write_pages(whole, 2 * PAGES);
    measure("zero_fill", make_region(REGION_ANONYMOUS, 2 * PAGES, RW, 0, 0), write_pages);
    measure("zero_fill_distributed",
            make_region(REGION_ANONYMOUS, 2 * PAGES, RW, 0, REGION_DISTRIBUTED), write_pages);
    measure("first_read", make_region(REGION_ANONYMOUS, 2 * PAGES, RW, 0, 0), read_pages);
    measure("copy_on_write", make_region(REGION_PRIVATE, 2 * PAGES, RW, memory, 0), write_pages);
    measure("shared_map", make_region(REGION_SHARED, 2 * PAGES, RW, memory, 0), write_pages);
    sys_region_destroy(whole);
    sys_cap_drop(memory);
}

// ---- files --------------------------------------------------------------------------------------

static cap_t file;

static s64 serve(struct ipc_request *request)
{
    static u8 page[PAGE];

    if (request->words[0] == FILE_FETCH)
        sys_file_supply(file, request->words[1], page, 0);
    return 0;
}

static void files(void)
{
    s64 endpoint = ipc_endpoint(serve, NULL);

    file = (cap_t)sys_file_create((cap_t)endpoint, ipc_badge((cap_t)endpoint), "bench",
                                  2 * PAGES * PAGE);
    measure("file_fetched", make_region(REGION_PRIVATE, 2 * PAGES, PROT_R, file, 0), read_pages);
    measure("file_cached", make_region(REGION_PRIVATE, 2 * PAGES, PROT_R, file, 0), read_pages);
    measure("file_copy_on_write", make_region(REGION_PRIVATE, 2 * PAGES, RW, file, 0), write_pages);
    sys_cap_drop(file);
    ipc_endpoint_close((cap_t)endpoint);
}

// ---- all CPUs -----------------------------------------------------------------------------------

struct run {
    u64 address;
    volatile u64 arrived;
    u64 wanted;
    u64 begin[ORRERY_MAX_CPUS], end[ORRERY_MAX_CPUS]; // times
};

static s64 fault_on_cpu(void *argument)
{
    struct run *run = argument;
    u32 cpu = user_cpu();
    u64 own = run->address + cpu * 2 * PAGES * PAGE;

    write_pages(own, PAGES);
    run->begin[cpu] = time_now();
    __atomic_fetch_add(&run->arrived, 1, __ATOMIC_SEQ_CST);
    while (run->arrived < run->wanted)
        __asm__ volatile("or 31,31,31");
    write_pages(own + PAGES * PAGE, PAGES);
    run->end[cpu] = time_now();
    return 0;
}

static u64 latest(const u64 times[ORRERY_MAX_CPUS])
{
    u64 time = 0;

    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        time = times[cpu] > time ? times[cpu] : time;
    return time;
}

// From when the last CPU began until the last one was done.
static void on_cpus(const char *name, u32 cpus, u32 flags)
{
    struct thread *threads[ORRERY_MAX_CPUS];
    struct run run = {.wanted = cpus};
    char text[64];

    if (only[0] != '\0' && strcmp(only, name) != 0)
        return;
    run.address = make_region(REGION_ANONYMOUS, (u64)ORRERY_MAX_CPUS * 2 * PAGES, RW, 0, flags);
    for (u32 cpu = 0; cpu < cpus; cpu++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = cpu;
        thread_create(&threads[cpu], &attributes, fault_on_cpu, &run);
    }
    for (u32 cpu = 0; cpu < cpus; cpu++)
        thread_join(threads[cpu], NULL);
    sys_region_destroy(run.address);
    snprintf(text, sizeof(text), "%s_%u_cpus", name, cpus);
    tell(text, latest(run.end) - latest(run.begin), serial ? (u64)PAGES * cpus : PAGES);
}

int main(void)
{
    char value[8];

    serial = sys_option("serial", value, sizeof(value)) >= 0;
    if (sys_option("only", only, sizeof(only)) < 0)
        only[0] = '\0';
    one_cpu();
    files();
    for (u32 cpus = 1; cpus <= user_cpu_count(); cpus *= 2) {
        on_cpus("faults_shared", cpus, 0);
        on_cpus("faults_distributed", cpus, REGION_DISTRIBUTED);
    }
    if (only[0] == '\0')
        map_touch_unmap(); // last: what it leaves to the reaper would fall into others' time
    return 0;
}

// SPDX-License-Identifier: MIT
// From firmware's entry to running services, in three legs: real mode, translated set-up,
// first thread.
#include <boot/benches.h>
#include <co/manager.h>
#include <co/swap.h>
#include <kernel/date.h>
#include <kernel/console.h>
#include <kernel/firmware.h>
#include <kernel/hcall.h>
#include <kernel/initrd.h>
#include <kernel/memory.h>
#include <kernel/model_unit.h>
#include <kernel/options.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/pmu.h>
#include <kernel/points.h>
#include <kernel/softmask.h>
#include <kernel/startup.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <orrery/errors.h>
#include <orrery/version.h>
#include <string.h>
#include <trace/trace.h>
#include <workloads/workload.h>

#include "cpus.h"

#define REAL_VECTORS 0x0000
#define TRANSLATED_VECTORS 0x4000

extern char vectors_load[], vectors_size[], real_vectors_load[], real_vectors_size[];
extern char image_end[];

static u64 memory_bytes;
static u64 entry_timebase;

void boot_main(u64 initrd, u64 initrd_bytes);

static void copy_vectors(u64 to, const char *from, u64 bytes)
{
    char *target = phys_to_virt(to);

    memcpy(target, from, bytes);
    for (u64 at = 0; at < bytes; at += 128)
        __asm__ volatile("dcbst 0,%0\nsync\nicbi 0,%0" ::"r"(target + at) : "memory");
    __asm__ volatile("sync\nisync" ::: "memory");
}

static u64 read_memory_size(void)
{
    u64 range[2];

    if (of_property(of_find("/memory@0"), "reg", range, sizeof(range)) != sizeof(range))
        panic("the device tree names no memory");
    return range[1];
}

static void report(const char *step)
{
    if (!boot_options.quiet)
        kprintf("boot: %s\n", step);
}

static void first_thread(void)
{
    interrupts_init();
    timers_init();
    scheduler_init();
    thread_adopt("init", PRIORITY_NORMAL);
    thread_start_idle();
    interrupts_init_cpu();
    pmu_init_cpu();
    percpu()->soft_masked = 0;
    hard_unmask();
    cpus_start();
    if (!boot_options.quiet)
        kprintf("boot: %u CPUs, %lu MB, time base %lu MHz\n", cpu_count, memory_bytes >> 20,
                timebase_hz / 1000000);
}

static void start_services(void)
{
    s64 error = co_start();

    if (error != 0)
        panic("no reaper: %s", orrery_strerror(error));
    if (trace_start_services() != 0)
        panic("out of memory for the trace services");
    pmu_start();
    TELL(services_begin);
    block_init();
    report("services run");
}

// Without an initial file system the kernel is alone,
// which is enough for its own benchmarks and workloads.
static void start_first_process(void)
{
    u64 physical, bytes;

    if (!initrd_range(&physical, &bytes))
        return;
    s64 error = first_process_start(boot_options.init);
    if (error == 0)
        return;
    kprintf("boot: cannot start %s: %s\n", boot_options.init, orrery_strerror(error));
    power_off(1);
}

static int run_benches(void)
{
    if (boot_run_benches != NULL)
        return boot_run_benches(boot_options.bench);
    kprintf(
        "error: bench=: this image has no benchmarks; boot the one beside it, orrery-bench.elf\n");
    power_off(1);
}

// Benchmarks and workload that the boot line asks for;
// the first thread then has nothing left to do.
static void run_requests(void)
{
    if (boot_options.panic_test)
        panic("asked for on the boot line");
    int failures = boot_options.bench[0] != '\0' ? run_benches() : 0;
    bool more = boot_options.run[0] != '\0' || strcmp(boot_options.init, BOOT_INIT) != 0;
    if (boot_options.oneshot && (failures != 0 || !more))
        power_off(failures == 0 ? 0 : 1);
    if (boot_options.workload[0] != '\0')
        workload_start_at_boot();
    memory_fail_at_boot();
    start_first_process();
    for (;;)
        thread_park(NO_DEADLINE);
}

static void translated_main(void)
{
    cpu_enter_translated();
    co_swap_init();
    if (co_init() != 0)
        panic("out of memory for the object manager");
    page_allocator_init();
    page_allocator_init_cpu();
    small_allocator_init();
    date_init();
    if (trace_init() != 0 || pmu_init() != 0)
        panic("out of memory for the trace buffers");
    first_thread();
    system_init(memory_bytes, entry_timebase);
    processes_init();
    start_services();
    run_requests();
}

// r3 and r4 of the firmware's entry: where it has put the initial file system.
void boot_main(u64 initrd, u64 initrd_bytes)
{
    u64 first_free = ALIGN_UP(virt_to_phys(image_end), 0x10000UL);

    model_stop_stale();
    entry_timebase = timebase();
    console_init();
    cpus_find();
    boot_options_parse();
    report("Orrery " ORRERY_VERSION);
    copy_vectors(REAL_VECTORS, real_vectors_load, (u64)real_vectors_size);
    copy_vectors(TRANSLATED_VECTORS, vectors_load, (u64)vectors_size);
    memory_bytes = read_memory_size();
    initrd_init(initrd, initrd_bytes);
    if (initrd_bytes != 0 && initrd + initrd_bytes > first_free)
        first_free = ALIGN_UP(initrd + initrd_bytes, 0x10000UL);
    pages_init(memory_bytes, first_free);
    kmalloc_init(memory_bytes);
    mmu_build(memory_bytes);
    cpu_prepare(0);
    u64 stack = stack_alloc();
    if (stack == 0)
        panic("out of memory for the first stack");
    mmu_enter(PERCPU_WINDOW_BASE, stack, translated_main);
}

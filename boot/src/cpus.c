// SPDX-License-Identifier: MIT
// CPUs: their number from the device tree, their blocks and windows, and starting them.
#include "cpus.h"

#include <co/manager.h>
#include <kernel/console.h>
#include <kernel/firmware.h>
#include <kernel/hcall.h>
#include <kernel/memory.h>
#include <kernel/options.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/pmu.h>
#include <kernel/softmask.h>
#include <kernel/startup.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <string.h>
#include <trace/trace.h>

#define AIL_3 3
#define RESOURCE_AIL 3
#define START_MICROSECONDS 120000000UL // an emulator on a busy host may be late
#define MSR_TRANSLATION 0x30

_Static_assert(sizeof(struct percpu) <= PAGE_SIZE, "a CPU's block is one page");

extern char rseq_start[], rseq_end[];
extern char secondary_start[];

u8 percpu_blocks[ORRERY_MAX_CPUS][PAGE_SIZE] __attribute__((aligned(4096)));
u32 cpu_count = 1;
static volatile u32 arrived; // CPUs that run their idle thread
static u32 servers[ORRERY_MAX_CPUS];
static u32 server_count;

void secondary_real_main(void);
extern u64 syscall_entries[]; // kernel/syscalls

static struct percpu *block(u32 cpu)
{
    return (struct percpu *)percpu_blocks[cpu];
}

static void find_cpus(void)
{
    for (of_node node = of_child(of_find("/cpus")); node != 0; node = of_peer(node)) {
        char type[16] = "";
        u32 server;
        of_property(node, "device_type", type, sizeof(type) - 1);
        if (strcmp(type, "cpu") != 0 || of_property_u32(node, "reg", &server) != 0)
            continue;
        of_property_u32(node, "timebase-frequency", (u32 *)&timebase_hz + 1);
        if (server_count == ORRERY_MAX_CPUS) {
            kprintf("boot: more than %u CPUs: the others stay off\n", ORRERY_MAX_CPUS);
            break;
        }
        servers[server_count++] = server;
    }
    if (server_count == 0 || timebase_hz == 0)
        panic("the device tree names no CPU or no time base");
}

// The boot CPU comes first, whatever the order in the tree.
static void order_cpus(void)
{
    u64 own;

    __asm__ volatile("mfspr %0,1023" : "=r"(own));
    for (u32 i = 1; i < server_count; i++) {
        if (servers[i] == own) {
            servers[i] = servers[0];
            servers[0] = (u32)own;
        }
    }
}

static void fill_block(u32 cpu)
{
    struct percpu *percpu = block(cpu);

    percpu->cpu = cpu;
    percpu->server = servers[cpu];
    percpu->soft_masked = 1;
    percpu->rseq_base = (u64)rseq_start;
    percpu->rseq_size = (u64)(rseq_end - rseq_start);
    percpu->toc = ((const u64 *)secondary_real_main)[1]; // of any function's descriptor
    percpu->syscalls = (u64)syscall_entries;
}

void cpus_find(void)
{
    find_cpus();
    order_cpus();
    fill_block(0);
}

// Window head and stacks. Boot CPU, before the CPU runs with translation on.
void cpu_prepare(u32 cpu)
{
    struct percpu *percpu = block(cpu);

    if (cpu != 0)
        fill_block(cpu);
    percpu->pmi_stack = stack_alloc();
    percpu->emergency_stack = stack_alloc();
    if (percpu->pmi_stack == 0 || percpu->emergency_stack == 0 ||
        mmu_map(PERCPU_WINDOW_BASE + cpu * R13_WINDOW_SIZE, virt_to_phys(percpu), 1,
                MMU_READ | MMU_WRITE) != 0)
        panic("out of memory for CPU %u", cpu);
}

// Interrupts arrive with translation on from now (AIL 3); the setting is the machine's, so that
// each CPU may ask for it.
void cpu_enter_translated(void)
{
    percpu()->mmu_msr = MSR_TRANSLATION;
    mmu_init_cpu();
    s64 status = HCALL(H_SET_MODE, AIL_3, RESOURCE_AIL, 0, 0);
    if (status != H_SUCCESS)
        panic("no interrupts with translation on: H_SET_MODE returns %ld", status);
}

static void secondary_main(void)
{
    cpu_enter_translated();
    page_allocator_init_cpu();
    interrupts_init_cpu();
    pmu_init_cpu();
    thread_adopt("idle", PRIORITY_IDLE);
    __asm__ volatile("lwsync" ::: "memory");
    arrived++;
    percpu()->soft_masked = 0;
    hard_unmask();
    thread_become_idle();
}

// In real mode, on the stack that becomes the guarded one.
void secondary_real_main(void)
{
    struct percpu *own = percpu();

    mmu_enter(PERCPU_WINDOW_BASE + own->cpu * R13_WINDOW_SIZE, own->idle_stack, secondary_main);
}

static void cpu_start(u32 cpu)
{
    struct percpu *percpu = block(cpu);
    u64 deadline = timebase() + microseconds_to_ticks(START_MICROSECONDS);

    cpu_prepare(cpu);
    percpu->idle_stack = stack_alloc();
    if (percpu->idle_stack == 0 || co_init_cpu(cpu) != 0 || trace_init_cpu(cpu) != 0)
        panic("out of memory for CPU %u", cpu);
    percpu->boot_stack = (u64)phys_to_virt(mmu_lookup(percpu->idle_stack - PAGE_SIZE)) + PAGE_SIZE;
    cpu_count = cpu + 1;
    const u32 arguments[] = {servers[cpu], (u32)virt_to_phys(secondary_start),
                             (u32)virt_to_phys(percpu)};
    if (rtas_call("start-cpu", 3, arguments, 0, NULL) != 0)
        panic("firmware cannot start CPU %u", cpu);
    while (arrived < cpu) {
        if (timebase() > deadline)
            panic("CPU %u does not start", cpu);
        __asm__ volatile("or 31,31,31");
    }
}

void cpus_start(void)
{
    for (u32 cpu = 1; cpu < server_count; cpu++)
        cpu_start(cpu);
}

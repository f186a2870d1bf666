// SPDX-License-Identifier: MIT
// Panic: tells what is known and powers off with a failing status.
#include "exception.h"

#include <kernel/console.h>
#include <kernel/firmware.h>
#include <kernel/frame.h>
#include <kernel/irq.h>
#include <kernel/memory.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/sanitize.h>
#include <kernel/softmask.h>
#include <kernel/spinlock.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <stdarg.h>
#include <stdio.h>
#include <trace/trace.h>

#define LAST_EVENTS 32
#define STOP_MICROSECONDS 100000

static u32 panicking_cpu; // + 1; 0: none
static volatile u64 stopped_cpus;
static struct {
    const struct frame *volatile frame; // what the reset interrupted; NULL: has not come
    s64 decrementer;                    // ticks to its next interrupt
} resets[ORRERY_MAX_CPUS];
static char message[256];

// Interrupts the other CPUs, which then stop in panic_stop_here. A CPU that is soft-masked for good
// goes on, so this waits for a while only.
static void stop_others(void)
{
    u64 deadline = timebase() + microseconds_to_ticks(STOP_MICROSECONDS);

    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        if (cpu != cpu_id())
            cpu_poke(cpu);
    }
    while (stopped_cpus + 1 < cpu_count && timebase() < deadline)
        __asm__ volatile("or 31,31,31");
}

void panic_stop_here(void)
{
    if (panicking_cpu == 0)
        return;
    hard_mask();
    atomic_add((u64 *)&stopped_cpus, 1);
    for (;;)
        __asm__ volatile("or 31,31,31");
}

// Claims the panic. The first CPU that panics goes on, and other CPUs stop; a second panic on the
// same CPU powers off at once.
static void claim(void)
{
    u32 me = cpu_id() + 1;

    if (atomic_claim(&panicking_cpu, me)) {
        stop_others();
        return;
    }
    if (panicking_cpu == me)
        power_off(1);
    atomic_add((u64 *)&stopped_cpus, 1);
    for (;;)
        __asm__ volatile("or 31,31,31");
}

static void print_registers(const struct frame *frame)
{
    kprintf("vector %#lx  msr %016lx  dar %016lx  dsisr %08lx\n", frame->vector, frame->msr,
            frame->dar, frame->dsisr);
    report_address("pc ", frame->pc);
    report_address("lr ", frame->lr);
}

static void print_other_registers(const struct frame *frame)
{
    kprintf("ctr %016lx  xer %08lx  cr %08lx  soft-masked %lu\n", frame->ctr, frame->xer, frame->cr,
            frame->soft_masked);
    for (u32 i = 0; i < 32; i += 4)
        kprintf("r%-2u %016lx %016lx %016lx %016lx\n", i, frame->gpr[i], frame->gpr[i + 1],
                frame->gpr[i + 2], frame->gpr[i + 3]);
}

static void __attribute__((noreturn)) finish(const struct frame *frame)
{
    const struct thread *thread = thread_current();

    kprintf("\nPANIC on CPU %u: %s\n", cpu_id(), message);
    if (thread != NULL)
        kprintf("thread %u (%s), ", thread_id(thread), thread_name(thread));
    report_locks(percpu());
    kprintf("\n");
    sanitize_describe();
    print_registers(frame);
    report_stack(frame); // what explains most comes first
    print_other_registers(frame);
    trace_print_last(LAST_EVENTS);
    power_off(1);
}

static void compose(const char *format, va_list arguments)
{
    hard_mask();
    claim();
    trace_stop();
    console_take_over();
    vsnprintf(message, sizeof(message), format, arguments);
}

void panic(const char *format, ...)
{
    struct frame frame = {.soft_masked = percpu()->soft_masked};
    va_list arguments;

    frame_capture(&frame);
    va_start(arguments, format);
    compose(format, arguments);
    va_end(arguments);
    finish(&frame);
}

void panic_with_frame(const struct frame *frame, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    compose(format, arguments);
    va_end(arguments);
    finish(frame);
}

// ---- a machine that hangs -----------------------------------------------------------------------

// Waits for CPUs that the reset comes to later.
static void wait_for_frames(void)
{
    u64 deadline = timebase() + microseconds_to_ticks(STOP_MICROSECONDS);

    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        while (resets[cpu].frame == NULL && timebase() < deadline)
            __asm__ volatile("or 31,31,31");
    }
}

static void print_cpu(u32 cpu)
{
    report_cpu(cpu, resets[cpu].frame);
    if (resets[cpu].frame == NULL)
        kprintf("  does not take the reset\n");
    else
        kprintf("decrementer %ld\n", resets[cpu].decrementer);
}

void panic_reset(const struct frame *frame)
{
    u32 decrementer;

    __asm__ volatile("mfdec %0" : "=r"(decrementer));
    resets[cpu_id()].decrementer = (s32)decrementer;
    __asm__ volatile("lwsync" ::: "memory");
    resets[cpu_id()].frame = frame;
    claim();
    wait_for_frames();
    trace_stop();
    console_take_over();
    kprintf("\nPANIC on CPU %u: system reset, time base %lu\n", cpu_id(), timebase());
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        print_cpu(cpu);
    thread_report_all();
    trace_print_last(LAST_EVENTS);
    power_off(1);
}

// RTAS power-off always ends QEMU with 0 (docs/design/platform.md). os-term reports a guest panic
// instead, which `-action panic=exit-failure` turns into a failing exit.
void power_off(int status)
{
    static const char text[] = "Orrery: failed";
    const u32 none[] = {0xffffffff, 0xffffffff};
    const u32 failed[] = {(u32)((u64)text & 0xffffffff)};

    hard_mask();
    if (status == 0)
        rtas_call("power-off", 2, none, 0, NULL);
    else
        rtas_call("ibm,os-term", 1, failed, 0, NULL);
    for (;;)
        __asm__ volatile("or 31,31,31");
}

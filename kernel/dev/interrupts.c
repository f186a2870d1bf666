// SPDX-License-Identifier: MIT
// External interrupts through the XICS hypercalls. Devices and IPIs use one priority, so an
// accepted interrupt holds back all others until it is ended, and one pending word a CPU suffices.
// Only those that cannot wait are more urgent. They have been ended when anybody else can look.
#include "interrupts.h"

#include <kernel/firmware.h>
#include <kernel/hcall.h>
#include <kernel/irq.h>
#include <kernel/percpu.h>
#include <kernel/spinlock.h>
#include <kernel/startup.h>
#include <orrery/errors.h>
#include <trace/events.h>

#include "proc/calls.h"

#define PRIORITY 5
#define PRIORITY_AT_ONCE 4
#define PRIORITY_ALL 0xff
#define XISR_IPI 2
#define XISR_MASK 0xffffff
#define MAX_HANDLERS 16

struct handler {
    u32 irq;
    irq_handler function;
    void *argument;
};

static struct spinlock lock = SPINLOCK_INIT("interrupts", RANK_OBJECT);
static struct handler handlers[MAX_HANDLERS];
static u32 handler_count; // grows only, read without the lock
// Of each CPU, the interrupt that cannot wait; irq 0: none.
static struct {
    u32 irq;
    irq_handler_at_once function;
} at_once[ORRERY_MAX_CPUS];

u32 interrupt_accept(void)
{
    u64 out[4];

    if (hcall(H_XIRR, (const u64[8]){0}, out) != H_SUCCESS)
        return 0;
    u32 xirr = (u32)out[0];
    if ((xirr & XISR_MASK) == 0) {
        percpu()->interrupts[INTERRUPT_SPURIOUS]++;
        return 0;
    }
    return xirr;
}

bool interrupt_at_once(u32 xirr, const struct frame *interrupted)
{
    u32 cpu = cpu_id();

    if ((xirr & XISR_MASK) != at_once[cpu].irq)
        return false;
    percpu()->interrupts[INTERRUPT_DEVICE]++;
    at_once[cpu].function(interrupted);
    HCALL(H_EOI, xirr);
    return true;
}

static void run_handler(u32 irq)
{
    percpu()->interrupts[INTERRUPT_DEVICE]++;
    for (u32 i = 0; i < handler_count; i++) {
        if (handlers[i].irq == irq) {
            handlers[i].function(handlers[i].argument);
            return;
        }
    }
    percpu()->interrupts[INTERRUPT_SPURIOUS]++;
}

void interrupt_dispatch(u32 xirr)
{
    trace_irq_enter(xirr);
    if ((xirr & XISR_MASK) == XISR_IPI) {
        percpu()->interrupts[INTERRUPT_IPI]++;
        // Cleared and ended before the work, so that a sender that comes later interrupts again:
        // several that come before the first is taken are one (docs/design/platform.md).
        HCALL(H_IPI, percpu()->server, PRIORITY_ALL);
        HCALL(H_EOI, xirr);
        calls_run();
    } else {
        run_handler(xirr & XISR_MASK);
        HCALL(H_EOI, xirr);
    }
    trace_irq_exit(xirr);
}

void interrupts_init_cpu(void)
{
    HCALL(H_CPPR, PRIORITY_ALL);
}

void interrupt_send_ipi(u32 cpu)
{
    trace_ipi_send(cpu);
    HCALL(H_IPI, percpu_of(cpu)->server, PRIORITY);
}

static int route(u32 irq, u32 cpu, u32 priority)
{
    const u32 arguments[] = {irq, percpu_of(cpu)->server, priority};
    return rtas_call("ibm,set-xive", 3, arguments, 0, NULL) == 0 ? 0 : E_IO;
}

int irq_register(u32 irq, u32 cpu, irq_handler function, void *argument)
{
    int result = 0;

    if (cpu >= cpu_count || function == NULL)
        return E_INVAL;
    spin_lock(&lock);
    for (u32 i = 0; i < handler_count; i++)
        result = handlers[i].irq == irq ? E_EXIST : result;
    if (result == 0 && handler_count == MAX_HANDLERS)
        result = E_LIMIT;
    if (result == 0) {
        handlers[handler_count] = (struct handler){irq, function, argument};
        __asm__ volatile("lwsync" ::: "memory");
        handler_count++;
    }
    spin_unlock(&lock);
    if (result != 0)
        return result;
    return route(irq, cpu, PRIORITY);
}

int irq_register_at_once(u32 irq, u32 cpu, irq_handler_at_once handler)
{
    if (cpu >= cpu_count || handler == NULL || irq == 0)
        return E_INVAL;
    if (at_once[cpu].irq != 0)
        return E_EXIST;
    at_once[cpu].function = handler;
    __asm__ volatile("lwsync" ::: "memory");
    at_once[cpu].irq = irq;
    return route(irq, cpu, PRIORITY_AT_ONCE);
}

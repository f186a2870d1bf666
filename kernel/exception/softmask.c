// SPDX-License-Identifier: MIT
// Maskable interrupts and the soft mask. The InterruptManager object does what is due on its CPU,
// so that time spent in handlers is attributed to it, or to the object that a handler belongs to.
#include "exception.h"

#include <co/object.h>
#include <kernel/irq.h>
#include <kernel/lockup.h>
#include <kernel/percpu.h>
#include <kernel/pmu.h>
#include <kernel/softmask.h>
#include <kernel/startup.h>
#include <kernel/timer.h>
#include <trace/events.h>
#include <trace/reasons.h>

#include "dev/interrupts.h"
#include "proc/scheduler.h"
#include "proc/services.h"

#define DEC_FAR 0x7fffffffUL

struct interrupt_manager;

struct interrupt_manager_ops {
    struct co_ops base;
    s64 (*work)(struct interrupt_manager *self);
};

struct interrupt_manager {
    CO_REP(struct interrupt_manager_ops);
};

static struct interrupt_manager managers[ORRERY_MAX_CPUS];
static struct co_root root;
static coid_t manager;

static void enable_interrupts(void)
{
    __asm__ volatile("mtmsrd %0,1" ::"r"(0x8002UL) : "memory");
}

static void disable_interrupts(void)
{
    __asm__ volatile("mtmsrd %0,1" ::"r"(0x2UL) : "memory");
}

// Takes the interrupt off the wire and remembers it. The decrementer is level triggered, so it is
// moved away. An external one is accepted, which holds back further ones until it is ended.
static void leave_pending(const struct frame *frame)
{
    struct percpu *cpu = percpu();

    if (frame->vector == VECTOR_DECREMENTER) {
        __asm__ volatile("mtdec %0" ::"r"(frame->soft_masked ? timebase_hz : DEC_FAR));
        cpu->pending |= PENDING_DEC;
        if (frame->soft_masked)
            lockup_tick(frame);
    } else {
        u32 xirr = interrupt_accept();
        if (xirr == 0 || interrupt_at_once(xirr, frame))
            return;
        cpu->pending_xirr = xirr;
        cpu->pending |= PENDING_EXT;
    }
}

static void run_handlers(void)
{
    struct percpu *cpu = percpu();
    u8 pending = cpu->pending;
    u32 xirr = cpu->pending_xirr;

    cpu->pending = 0;
    cpu->in_interrupt = 1;
    enable_interrupts();
    if (pending & PENDING_DEC)
        timer_interrupt();
    if (pending & PENDING_EXT)
        interrupt_dispatch(xirr);
    disable_interrupts();
    cpu->in_interrupt = 0;
}

// Does all that is due: handlers, then a thread switch. Handlers run soft-masked with MSR[EE] on,
// so that samples land in them too. Called with the flag set and EE off; leaves both so.
static CO_METHOD s64 softmask_work(struct interrupt_manager *self)
{
    CO_HOME(self);
    struct percpu *cpu = percpu();

    while (cpu->work != 0) {
        if (cpu->pending != 0) {
            run_handlers();
        } else {
            enable_interrupts();
            schedule(REASON_PREEMPTED);
            disable_interrupts();
        }
    }
    return 0;
}

static void do_work(void)
{
    CO_CALL(struct interrupt_manager, manager, work);
}

void interrupt_handle(struct frame *frame)
{
    leave_pending(frame);
    if (frame->soft_masked)
        return;
    pmu_catch_overflow(frame);
    percpu()->soft_masked = 1;
    do_work();
    percpu()->soft_masked = 0;
}

void soft_mask_replay(void)
{
    struct percpu *cpu = percpu();

    cpu->soft_masked = 1;
    disable_interrupts();
    if (cpu->pending != 0) {
        trace_irq_replay(cpu->pending);
        cpu->interrupts[INTERRUPT_REPLAYED]++;
    }
    do_work();
    cpu->soft_masked = 0;
    enable_interrupts();
}

static const struct interrupt_manager_ops ops = {CO_LEAF, softmask_work};
static struct co_class class = {
    .name = "InterruptManager",
    .implementation = "SoftMaskedInterrupts",
    .size = sizeof(root) + sizeof(managers[0]),
    .distributed = true,
    .ops = &ops.base,
    .static_reps = managers,
    .static_rep_size = sizeof(managers[0]),
};

void interrupts_init(void)
{
    manager = service_create(&class, &root, NULL);
}

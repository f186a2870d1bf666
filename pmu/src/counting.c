// SPDX-License-Identifier: MIT
// The PmuCounting object: sessions. Each CPU's representative has what that CPU counts (counting_cpu.h) and the timer
// that ends its slices.
#include "counting_cpu.h"

#include <co/manager.h>
#include <kernel/irq.h>
#include <kernel/memory.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/process.h>
#include <kernel/spinlock.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <pmu/counting.h>
#include <pmu/model.h>
#include <string.h>

#include "counting_trace.h"

#define TICK_MICROSECONDS 1000 // slices end at the first of these ticks after they are long enough
#define CLAIM_MICROSECONDS 200

struct counting_rep {
    struct pmu_counting counting;
    struct counting_cpu cpu;
    struct timer timer;
    struct pmu_multiplex *multiplex; // NULL: the session does not count here
};

struct counting_root {
    struct co_root root;
    struct spinlock lock;
    bool claimed; // under the lock; who has claimed it owns the rest
    bool running;
    s64 session; // the latest, from 1
    u32 owner;   // pid of who has started it, 0: the kernel, or it has ended
    u64 cpus;
    struct counting_plan plan;
};

static struct counting_rep reps[ORRERY_MAX_CPUS];
static struct counting_root counting_root = {
    .lock = SPINLOCK_INIT("pmu counting", RANK_SERVICE),
};

coid_t pmu_counting;

static struct counting_root *root_of(struct pmu_counting *self)
{
    return (struct counting_root *)self->co.root;
}

// ---- what runs on each CPU ---------------------------------------------------------------------

static void set_timer(struct counting_rep *here)
{
    timer_start(&here->timer, timebase() + microseconds_to_ticks(TICK_MICROSECONDS));
}

static void timer_fires(struct timer *timer)
{
    (void)timer;
    CO_CALL(struct pmu_counting, pmu_counting, tick);
}

static CO_METHOD s64 tick(struct pmu_counting *self)
{
    CO_HOME(self);
    struct counting_rep *here = (struct counting_rep *)self;
    counting_cpu_tick(&here->cpu);
    set_timer(here);
    return 0;
}

static void prepare_here(void *argument)
{
    struct counting_root *root = argument;
    counting_cpu_prepare(&reps[cpu_id()].cpu, &root->plan);
}

static void begin_here(void *argument)
{
    struct counting_root *root = argument;
    struct counting_rep *here = &reps[cpu_id()];
    u64 seed = (u64)root->session * ORRERY_MAX_CPUS + cpu_id();
    counting_cpu_begin(&here->cpu, &root->plan, here->multiplex, seed);
    // One group counts all the time.
    if (root->plan.allocation.groups > 1)
        set_timer(here);
}

static void end_here(void *argument)
{
    struct counting_rep *here = &reps[cpu_id()];
    (void)argument;
    timer_cancel(&here->timer);
    counting_cpu_end(&here->cpu);
}

static void settle_here(void *argument)
{
    (void)argument;
    counting_cpu_settle(&reps[cpu_id()].cpu);
}

// ---- sessions ----------------------------------------------------------------------------------

static bool try_claim(struct counting_root *root)
{
    spin_lock(&root->lock);
    bool free = !root->claimed;
    root->claimed = true;
    spin_unlock(&root->lock);
    return free;
}

static void claim(struct counting_root *root)
{
    while (!try_claim(root))
        thread_sleep(microseconds_to_ticks(CLAIM_MICROSECONDS));
}

static void release(struct counting_root *root)
{
    spin_lock(&root->lock);
    root->claimed = false;
    spin_unlock(&root->lock);
}

static void free_sums(void)
{
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        kfree(reps[cpu].multiplex);
        reps[cpu].multiplex = NULL;
    }
}

static s64 allocate_sums(const struct counting_root *root)
{
    free_sums();
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        if ((root->cpus >> cpu & 1) == 0)
            continue;
        reps[cpu].multiplex = kzalloc(PMU_MULTIPLEX_BYTES(root->plan.request.items));
        if (reps[cpu].multiplex == NULL) {
            free_sums();
            return E_NOMEM;
        }
    }
    return 0;
}

static s64 first_error(const struct counting_root *root)
{
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        if ((root->cpus >> cpu & 1) != 0 && reps[cpu].cpu.error != 0)
            return reps[cpu].cpu.error;
    }
    return 0;
}

static void stop(struct counting_root *root)
{
    counting_trace_end();
    cpus_call(root->cpus, end_here, NULL);
    model_release();
    root->running = false;
    __atomic_store_n(&root->owner, 0, __ATOMIC_RELAXED);
}

// All CPUs begin; one of them before the others has the unit made ready. The unit has been acquired.
static s64 run(struct counting_root *root)
{
    s64 error = allocate_sums(root);
    if (error != 0) {
        model_release();
        root->owner = 0;
        return error;
    }
    cpus_call(root->cpus & -root->cpus, prepare_here, root);
    cpus_call(root->cpus, begin_here, root);
    root->running = true;
    error = first_error(root);
    if (error != 0)
        stop(root);
    return error;
}

static u32 caller(void)
{
    const struct process *process = process_current();
    return process == NULL ? 0 : process_pid(process);
}

static s64 start_claimed(struct counting_root *root, const struct sys_pmu_counting *counting,
                         char *message, u64 bytes)
{
    struct counting_plan plan;
    struct pmu_offer offer;
    u32 all = (u32)((1UL << cpu_count) - 1);
    if (root->running)
        return E_BUSY;
    counting_offer(&offer);
    s64 error = counting_plan_make(counting, &offer, all, &plan, message, bytes);
    if (error == 0)
        error = model_acquire();
    if (error != 0)
        return error;
    root->plan = plan;
    root->cpus = counting->cpu_mask != 0 ? counting->cpu_mask : all;
    root->session++;
    __atomic_store_n(&root->owner, caller(), __ATOMIC_RELAXED);
    error = run(root);
    return error != 0 ? error : root->session;
}

static CO_METHOD s64 counting_start(struct pmu_counting *self,
                                    const struct sys_pmu_counting *counting, char *message,
                                    u64 bytes)
{
    CO_HOME(self);
    struct counting_root *root = root_of(self);
    claim(root);
    s64 result = start_claimed(root, counting, message, bytes);
    release(root);
    return result;
}

static CO_METHOD s64 counting_stop(struct pmu_counting *self, s64 session)
{
    CO_HOME(self);
    struct counting_root *root = root_of(self);
    s64 error = E_STALE;
    claim(root);
    if (root->running && session == root->session) {
        stop(root);
        error = 0;
    }
    release(root);
    return error;
}

static CO_METHOD s64 counting_trace(struct pmu_counting *self, s64 session, u64 majors)
{
    CO_HOME(self);
    struct counting_root *root = root_of(self);
    s64 error = E_STALE;
    claim(root);
    if (root->running && session == root->session)
        error = counting_trace_set(&root->plan, majors);
    release(root);
    return error;
}

// Looked at without a claim: a process that ends is in no start any more, so its number is there or never will be.
static CO_METHOD s64 counting_ends(struct pmu_counting *self, u32 pid)
{
    CO_HOME(self);
    struct counting_root *root = root_of(self);
    if (__atomic_load_n(&root->owner, __ATOMIC_RELAXED) != pid)
        return 0;
    claim(root);
    if (root->owner == pid)
        stop(root);
    release(root);
    return 0;
}

// ---- reading -----------------------------------------------------------------------------------

struct copy {
    struct pmu_multiplex *to;
    u32 cpu;
    u64 bytes;
};

static void copy_here(void *argument)
{
    const struct copy *copy = argument;
    memcpy(copy->to, reps[copy->cpu].multiplex, copy->bytes);
}

static void settle_and_copy_here(void *argument)
{
    settle_here(NULL);
    copy_here(argument);
}

// The sums as they are now. Estimates take long: they are made of a copy, with the CPU going on.
static void copy_sums(const struct counting_root *root, struct copy *copy)
{
    if (root->running)
        cpus_call(1UL << copy->cpu, settle_and_copy_here, copy);
    else
        copy_here(copy);
}

static void estimate(const struct counting_plan *plan, const struct pmu_multiplex *sums,
                     struct sys_pmu_count *counts)
{
    for (u32 i = 0; i < plan->items; i++) {
        struct pmu_estimate found;
        pmu_multiplex_read(sums, plan->place[i], &found);
        counts[i] = (struct sys_pmu_count){.count = found.count,
                                           .measured = found.measured,
                                           .total = found.time,
                                           .error = found.error};
    }
}

static s64 read_claimed(const struct counting_root *root, s64 session, u32 cpu,
                        struct sys_pmu_count *counts, u64 bytes)
{
    struct copy copy = {.cpu = cpu};
    if (session <= 0 || session != root->session)
        return E_STALE;
    if (cpu >= cpu_count || reps[cpu].multiplex == NULL ||
        bytes < root->plan.items * sizeof(*counts))
        return E_INVAL;
    copy.bytes = PMU_MULTIPLEX_BYTES(root->plan.request.items);
    copy.to = kmalloc(copy.bytes);
    if (copy.to == NULL)
        return E_NOMEM;
    copy_sums(root, &copy);
    s64 error = reps[cpu].cpu.error;
    if (error == 0)
        estimate(&root->plan, copy.to, counts);
    kfree(copy.to);
    return error != 0 ? error : (s64)(root->plan.items * sizeof(*counts));
}

static CO_METHOD s64 counting_read(struct pmu_counting *self, s64 session, u32 cpu,
                                   struct sys_pmu_count *counts, u64 bytes)
{
    CO_HOME(self);
    struct counting_root *root = root_of(self);
    claim(root);
    s64 result = read_claimed(root, session, cpu, counts, bytes);
    release(root);
    return result;
}

// ---- the object --------------------------------------------------------------------------------

static const struct pmu_counting_ops ops = {
    .base = CO_LEAF,
    .start = counting_start,
    .read = counting_read,
    .stop = counting_stop,
    .trace = counting_trace,
    .process_ends = counting_ends,
    .tick = tick,
};
CO_CHECK_INTERFACE(struct pmu_counting_ops);

static struct co_class class = {
    .name = "PmuCounting",
    .implementation = "MultiplexedCounting",
    .size = sizeof(counting_root) + sizeof(reps[0]),
    .distributed = true,
    .ops = &ops.base,
    .static_reps = reps,
    .static_rep_size = sizeof(reps[0]),
};

void counting_offer(struct pmu_offer *offer)
{
    *offer = (struct pmu_offer){0};
    if (model_present())
        pmu_offer_model(offer, model_machine());
}

s64 counting_init(void)
{
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        reps[cpu].timer.fire = timer_fires;
    s64 coid = co_create(&class, &counting_root.root);
    if (coid < 0)
        return coid;
    pmu_counting = (coid_t)coid;
    return co_add_service(pmu_counting);
}

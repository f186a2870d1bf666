// SPDX-License-Identifier: MIT
// The PmuManager: starts and stops sampling on all CPUs of a session, and lets readers at the
// buffers.
#include "sample.h"
#include "sampler.h"

#include <co/manager.h>
#include <kernel/console.h>
#include <kernel/irq.h>
#include <kernel/memory.h>
#include <kernel/panic.h>
#include <kernel/softmask.h>
#include <kernel/spinlock.h>
#include <pmu/counting.h>
#include <pmu/manager.h>
#include <pmu/model.h>
#include <pmu/pmu.h>
#include <pmu/unit.h>

#define CALLERS_MAX 16
#define RANDOMISE_MAX 16

enum session_state { SESSION_STOPPED, SESSION_CHANGING, SESSION_RUNNING };

struct pmu_manager_root {
    struct co_root root;
    struct spinlock lock;
    enum session_state state; // under the lock; who has made it CHANGING owns the rest
    const struct pmu_unit *unit;
    bool works[2]; // of each of `units`: its interrupts have arrived on every CPU
    s64 session;   // of the latest start, from 1
    struct sys_sampling sampling;
    struct sampler samplers[ORRERY_MAX_CPUS];
};

struct pmu_manager_rep {
    struct pmu_manager manager;
    struct pmu_manager_root *root;
};

static struct pmu_manager_root manager_root = {
    .lock = SPINLOCK_INIT("pmu manager", RANK_SERVICE),
    .unit = &pmu_power_unit,
};

static const struct pmu_unit *const units[] = {&pmu_power_unit, &pmu_model_unit};
_Static_assert(ARRAY_SIZE(units) == ARRAY_SIZE(manager_root.works), "one each");

coid_t pmu_manager;

static struct pmu_manager_root *root_of(struct pmu_manager *self)
{
    return ((struct pmu_manager_rep *)self)->root;
}

// ---- what runs on each CPU ---------------------------------------------------------------------

static u64 session_mask(const struct pmu_manager_root *root)
{
    u64 all = (1UL << cpu_count) - 1;
    return root->sampling.cpu_mask == 0 ? all : root->sampling.cpu_mask & all;
}

static void start_here(void *argument)
{
    struct pmu_manager_root *root = argument;
    const struct sys_sampling *sampling = &root->sampling;
    struct sampler *sampler = &root->samplers[cpu_id()];
    struct pmu_cpu *cpu = pmu_cpu();
    u64 msr = hard_mask();
    sampler->ticks_before = cpu->ticks;
    sampler->missed_before = cpu->missed;
    cpu->buffer = &sampler->buffer;
    cpu->callers = sampling->callers;
    root->unit->start(sampling->event, sampling->period, (1UL << sampling->randomise) - 1);
    hard_mask_restore(msr);
}

static void stop_here(void *argument)
{
    struct pmu_manager_root *root = argument;
    u64 msr = hard_mask();
    root->unit->stop();
    pmu_cpu()->buffer = NULL;
    hard_mask_restore(msr);
}

struct probe {
    const struct pmu_unit *unit;
    u32 failed; // bit n: CPU n
};

static void probe_here(void *argument)
{
    struct probe *probe = argument;
    if (probe->unit->probe() != 0)
        __atomic_fetch_or(&probe->failed, 1u << cpu_id(), __ATOMIC_RELAXED);
}

// The CPUs on which a unit's interrupts do not arrive, bit n: CPU n.
static u32 probe_all(struct pmu_manager_root *root, u32 number)
{
    struct probe probe = {.unit = units[number]};
    cpus_call((1UL << cpu_count) - 1, probe_here, &probe);
    root->works[number] = probe.failed == 0;
    return probe.failed;
}

// The number of the unit that has an event; ARRAY_SIZE(units): none.
static u32 unit_for(u32 event)
{
    u32 number = 0;
    while (number < ARRAY_SIZE(units) && !units[number]->has_event(event))
        number++;
    return number;
}

// ---- sessions ----------------------------------------------------------------------------------

// Claims a change from one state to another; E_BUSY when it is in another state, E_INVAL when
// session, unless 0, is not the latest.
static s64 begin_change(struct pmu_manager_root *root, enum session_state from, s64 session)
{
    s64 error = 0;
    spin_lock(&root->lock);
    if (session != 0 && session != root->session)
        error = E_INVAL;
    else if (root->state != from)
        error = E_BUSY;
    else
        root->state = SESSION_CHANGING;
    spin_unlock(&root->lock);
    return error;
}

static void end_change(struct pmu_manager_root *root, enum session_state to)
{
    spin_lock(&root->lock);
    root->state = to;
    spin_unlock(&root->lock);
}

static s64 check(const struct sys_sampling *sampling)
{
    if (unit_for(sampling->event) == ARRAY_SIZE(units))
        return E_NOTSUP;
    if (sampling->callers > CALLERS_MAX || sampling->randomise > RANDOMISE_MAX ||
        sampling->period < SYS_PERIOD_MIN || sampling->period > SYS_PERIOD_MAX ||
        1UL << sampling->randomise >= sampling->period ||
        sampling->period + (1UL << sampling->randomise) > SYS_PERIOD_MAX + 1UL ||
        sampling->cpu_mask >> cpu_count != 0)
        return E_INVAL;
    return 0;
}

static void release_all(struct pmu_manager_root *root, u32 count)
{
    while (count-- != 0)
        sampler_release(&root->samplers[count]);
}

// A new session with empty buffers on all CPUs, those too that are not sampled; readers of the
// session before are refused from here on. E_BUSY, and no change, while anyone still reads.
static s64 reset_all(struct pmu_manager_root *root, const struct sys_sampling *sampling)
{
    s64 error = 0;
    u32 claimed = 0;
    while (claimed < cpu_count && sampler_claim(&root->samplers[claimed]))
        claimed++;
    if (claimed < cpu_count)
        error = E_BUSY;
    else
        __atomic_store_n(&root->session, root->session + 1, __ATOMIC_RELAXED);
    for (u32 cpu = 0; cpu < cpu_count && error == 0; cpu++)
        error = sampler_reset(&root->samplers[cpu], sampling);
    release_all(root, claimed);
    return error;
}

// The unit is ours and works, the buffers are empty.
static s64 ready(struct pmu_manager_root *root, u32 number, const struct sys_sampling *sampling)
{
    s64 error = units[number]->acquire();
    if (error != 0)
        return error;
    if (!root->works[number] && probe_all(root, number) != 0)
        error = E_NOTSUP;
    if (error == 0)
        error = reset_all(root, sampling);
    if (error != 0)
        units[number]->release();
    return error;
}

static CO_METHOD s64 manager_start(struct pmu_manager *self, const struct sys_sampling *sampling)
{
    CO_HOME(self);
    struct pmu_manager_root *root = root_of(self);
    u32 number = unit_for(sampling->event);
    s64 error = check(sampling);
    if (error == 0)
        error = begin_change(root, SESSION_STOPPED, 0);
    if (error != 0)
        return error;
    root->unit = units[number];
    error = ready(root, number, sampling);
    if (error != 0) {
        end_change(root, SESSION_STOPPED);
        return error;
    }
    root->sampling = *sampling;
    trace_sampling_start(sampling->period);
    cpus_call(session_mask(root), start_here, root);
    s64 session = root->session;
    end_change(root, SESSION_RUNNING);
    return session;
}

static u64 total_taken(const struct pmu_manager_root *root)
{
    u64 taken = 0;
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        taken += __atomic_load_n(&root->samplers[cpu].buffer.taken, __ATOMIC_RELAXED);
    return taken;
}

static CO_METHOD s64 manager_stop(struct pmu_manager *self, s64 session)
{
    CO_HOME(self);
    struct pmu_manager_root *root = root_of(self);
    s64 error = session > 0 ? begin_change(root, SESSION_RUNNING, session) : E_INVAL;
    if (error != 0)
        return error;
    cpus_call(session_mask(root), stop_here, root);
    root->unit->release();
    trace_sampling_stop(total_taken(root));
    end_change(root, SESSION_STOPPED);
    return 0;
}

// The sampler of a CPU, claimed; or an error.
static s64 claim_for(struct pmu_manager_root *root, s64 session, u32 cpu, struct sampler **sampler)
{
    if (session <= 0 || cpu >= cpu_count)
        return E_INVAL;
    *sampler = &root->samplers[cpu];
    if (!sampler_claim(*sampler))
        return E_BUSY;
    // Looked at with the claim held, so that no start can empty the buffer meanwhile.
    if (__atomic_load_n(&root->session, __ATOMIC_RELAXED) == session &&
        (*sampler)->buffer.reading != NULL)
        return 0;
    sampler_release(*sampler);
    return E_INVAL;
}

static CO_METHOD s64 manager_read(struct pmu_manager *self, s64 session, u32 cpu, void *buffer,
                                  u64 bytes)
{
    CO_HOME(self);
    struct sampler *sampler;
    s64 result = claim_for(root_of(self), session, cpu, &sampler);
    if (result != 0)
        return result;
    result = sampler_read(sampler, buffer, bytes);
    sampler_release(sampler);
    return result;
}

static CO_METHOD s64 manager_stat(struct pmu_manager *self, s64 session, u32 cpu,
                                  struct sys_sampling_stat *stat)
{
    CO_HOME(self);
    struct pmu_manager_root *root = root_of(self);
    if (session <= 0 || cpu >= cpu_count ||
        __atomic_load_n(&root->session, __ATOMIC_RELAXED) != session)
        return E_INVAL;
    const struct sampler *sampler = &root->samplers[cpu];
    const struct pmu_cpu *there = (const struct pmu_cpu *)percpu_of(cpu)->pmu;
    sampler_stat(sampler, stat);
    stat->missed = __atomic_load_n(&there->missed, __ATOMIC_RELAXED) - sampler->missed_before;
    stat->ticks_in_handler =
        __atomic_load_n(&there->ticks, __ATOMIC_RELAXED) - sampler->ticks_before;
    return 0;
}

// ---- the object --------------------------------------------------------------------------------

static const struct pmu_manager_ops manager_ops = {
    .base = CO_LEAF,
    .start = manager_start,
    .stop = manager_stop,
    .read = manager_read,
    .stat = manager_stat,
};
CO_CHECK_INTERFACE(struct pmu_manager_ops);

static s64 manager_handle_miss(struct co_root *root, u32 cpu, struct co_rep **rep)
{
    struct pmu_manager_rep *new = kzalloc(sizeof(*new));
    (void)cpu; // every representative reaches all samplers, through the root
    if (new == NULL)
        return E_NOMEM;
    new->root = (struct pmu_manager_root *)root;
    *rep = &new->manager.co;
    return 0;
}

static void manager_destroy_rep(struct co_root *root, struct co_rep *rep)
{
    (void)root;
    kfree(rep);
}

static struct co_class manager_class = {
    .name = "PmuManager",
    .implementation = "DistributedPmuManager",
    .size = sizeof(struct pmu_manager_root) + sizeof(struct pmu_manager_rep),
    .distributed = true,
    .ops = &manager_ops.base,
    .handle_miss = manager_handle_miss,
    .destroy_rep = manager_destroy_rep,
};

// ---- start-up ----------------------------------------------------------------------------------

extern const u8 unwind_map[];
extern const u64 unwind_map_size;
extern const char text_start[];

void pmu_init_cpu(void)
{
    struct pmu_cpu *cpu = pmu_cpu();
    *cpu = (struct pmu_cpu){.map = (u64)unwind_map - (u64)text_start / 4};
    for (u32 i = 0; i < ARRAY_SIZE(units); i++)
        units[i]->reset();
}

s64 pmu_init(void)
{
    s64 error = model_init();
    if (error != 0)
        return error;
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        manager_root.samplers[cpu].cpu = cpu;
    s64 coid = co_create(&manager_class, &manager_root.root);
    if (coid < 0)
        return coid;
    pmu_manager = (coid_t)coid;
    error = co_add_service(pmu_manager);
    return error != 0 ? error : counting_init();
}

void pmu_start(void)
{
    KASSERT(sample_thread() == thread_id(thread_current()));
    model_interrupts_init();
    // The other unit is probed when it is first wanted: counting has its price.
    u32 failed = probe_all(&manager_root, 0);
    if (failed != 0)
        kprintf("pmu: interrupts of the %s do not arrive (CPUs %#x): no sampling of cycles\n",
                units[0]->name, failed);
}

// SPDX-License-Identifier: MIT
// Derives the instrumentation from the enabled counters.
#include "plan.h"

#include <string.h>

#include "counters.h"
#include "host_clock.h"
#include "translate.h"

struct plan plan;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // for all below
static struct plan wishes[MODEL_CPUS];
static u64 generation, wanted;

#define PERIOD_NS 1000000000UL
static struct plan recent[2]; // needs of this period, and of the one before
static u64 period_began;      // on the host's clock

static struct plan demand_of(const struct vcpu *cpu)
{
    struct plan demand = {0};
    for (unsigned i = 0; i < MODEL_COUNTERS; i++) {
        const struct model_program *program = &cpu->counters[i].program;
        if (!cpu->counters[i].enabled)
            continue;
        u32 event = EVENT(program->event);
        demand.events |= event;
        if (program->period) {
            u64 both = MODEL_KERNEL | MODEL_USER;
            demand.due[FILTER_KERNEL] |= (program->flags & both) == MODEL_KERNEL ? event : 0;
            demand.due[FILTER_USER] |= (program->flags & both) == MODEL_USER ? event : 0;
            demand.due[FILTER_BOTH] |= (program->flags & both) == both ? event : 0;
            demand.precise |= program->flags & MODEL_PRECISE ? event : 0;
        }
    }
    return demand;
}

// Cycles are the sum of other events' costs, so these must be counted too.
static void add_demand(struct plan *sum, const struct plan *demand)
{
    sum->events |= demand->events;
    sum->precise |= demand->precise;
    for (unsigned i = 0; i < FILTERS; i++) {
        sum->due[i] |= demand->due[i];
        sum->overflowing |= demand->due[i];
    }
    for (unsigned event = 0; sum->events & EVENT(MODEL_CYCLES) && event < MODEL_EVENTS; event++) {
        sum->cost[event] = unit.machine.geometry.cost[event];
        if (sum->cost[event])
            sum->events |= EVENT(event);
    }
}

static struct plan sum_of_demands(void)
{
    struct plan sum = {0};
    for (unsigned i = 0; i < unit.cpus; i++)
        add_demand(&sum, &wishes[i]);
    return sum;
}

static bool equal(const struct plan *a, const struct plan *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

// Returns the wanted plan: nothing when nothing is enabled, else all that was needed lately.
static struct plan needed(void)
{
    struct plan sum = sum_of_demands();
    if (sum.events) {
        add_demand(&sum, &recent[0]);
        add_demand(&sum, &recent[1]);
    }
    return sum;
}

// Runs with all CPUs stopped.
static void on_reset(qemu_plugin_id_t id)
{
    (void)id;
    pthread_mutex_lock(&lock);
    u32 before = plan.events;
    for (unsigned i = 0; i < unit.cpus; i++)
        counters_cost(&unit.vcpu[i]);
    plan = needed();
    // The new plan's code closes what the old one's has left open. But empty code closes nothing.
    for (unsigned i = 0; i < unit.cpus; i++) {
        if (!plan.events)
            unit.vcpu[i].board->pending[0] = 0;
        if (!(before & FETCH_EVENTS))
            unit.vcpu[i].board->line = 0;
    }
    plan_register();
    generation = wanted;
    if (unit.page)
        guest_publish(&unit.page->generation, generation);
    pthread_mutex_unlock(&lock);
}

// Asks for a reset if the plan in force lacks something, or if a period has ended and it holds more
// than is needed.
static void replan(void)
{
    struct plan sum = sum_of_demands(), grown = plan;
    u64 time = host_ns();
    bool ended = time - period_began >= PERIOD_NS;
    add_demand(&grown, &sum);
    if (sum.events == 0)
        memset(recent, 0, sizeof(recent));
    if (ended) {
        recent[1] = recent[0];
        recent[0] = sum;
        __atomic_store_n(&period_began, time, __ATOMIC_RELAXED);
    } else {
        add_demand(&recent[0], &sum);
    }
    struct plan should = needed();
    bool does = ended || !sum.events ? equal(&should, &plan) : equal(&grown, &plan);
    if (does)
        return;
    wanted++;
    if (unit.page)
        guest_publish(&unit.page->wanted, wanted);
    qemu_plugin_reset(unit.id, on_reset);
}

void plan_enabled(struct vcpu *cpu)
{
    pthread_mutex_lock(&lock);
    // Nothing may stay of an attachment that another CPU has just ended.
    wishes[cpu->number] = cpu->life == unit.life ? demand_of(cpu) : (struct plan){0};
    replan();
    pthread_mutex_unlock(&lock);
}

void plan_review(void)
{
    if (host_ns() - __atomic_load_n(&period_began, __ATOMIC_RELAXED) < PERIOD_NS)
        return;
    pthread_mutex_lock(&lock);
    replan();
    pthread_mutex_unlock(&lock);
}

void plan_attach(struct model_page *page)
{
    pthread_mutex_lock(&lock);
    memset(wishes, 0, sizeof(wishes));
    if (page) {
        guest_write(&page->generation, generation);
        guest_write(&page->wanted, wanted);
    }
    __atomic_store_n(&unit.page, page, __ATOMIC_RELEASE);
    __atomic_fetch_add(&unit.life, 1, __ATOMIC_ACQ_REL);
    replan();
    pthread_mutex_unlock(&lock);
}

void plan_register(void)
{
    qemu_plugin_register_vcpu_tb_trans_cb(unit.id, translate);
}

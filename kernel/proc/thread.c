// SPDX-License-Identifier: MIT
// Threads: life from creation to join. Each is a clustered object of class Thread; its memory and
// stack go back after quiescence, when nothing can refer to it any more.
#include "thread.h"

#include <kernel/memory.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/points.h>
#include <kernel/process.h>
#include <kernel/softmask.h>
#include <kernel/spinlock.h>
#include <string.h>
#include <trace/events.h>
#include <trace/reasons.h>

#include "scheduler.h"

#define SWITCH_FRAME 0x100 // of thread_switch (switch.S)
#define SWITCH_R14 0x70
#define SWITCH_R15 0x78

static struct spinlock end_lock = SPINLOCK_INIT("thread end", RANK_SERVICE);

struct thread_ops {
    struct co_ops base;
    s64 (*run)(struct co_rep *self, void (*entry)(void *), void *argument);
};

void thread_begin(void);
void thread_main(void (*entry)(void *), void *argument);

static void thread_destroy(struct co_root *root)
{
    struct thread *thread = (struct thread *)root;

    KASSERT(thread->magic == THREAD_MAGIC && thread->ended);
    thread_table_remove(thread);
    TELL(thread_gone, thread);
    if (thread->stack_top != 0)
        stack_free(thread->stack_top);
    thread->magic = 0;
    kfree(thread);
}

// What a thread does outside of any other object is its own work: at the bottom of each stack is
// this method of the Thread object, where samples find it.
static CO_METHOD s64 run(struct co_rep *self, void (*entry)(void *), void *argument)
{
    CO_HOME(self);
    entry(argument);
    return 0;
}

static const struct thread_ops ops = {CO_LEAF, run};
static struct co_class class = {
    .name = "Thread",
    .implementation = "KernelThread",
    .size = sizeof(struct thread),
    .ops = &ops.base,
    .destroy = thread_destroy,
};

// A thread without stack and not yet known to anyone.
static struct thread *thread_make(const char *name, u32 cpu, enum thread_priority priority,
                                  bool preferred)
{
    struct thread *thread = kzalloc(sizeof(*thread));

    if (thread == NULL)
        return NULL;
    thread->magic = THREAD_MAGIC;
    thread->cpu = cpu;
    thread->priority = (u8)priority;
    thread->timer.fire = thread_deadline;
    strncpy(thread->name, name, THREAD_NAME_MAX - 1);
    if (thread_table_add(thread, preferred) != 0) {
        kfree(thread);
        return NULL;
    }
    return thread;
}

static void unmake(struct thread *thread)
{
    thread_table_remove(thread);
    if (thread->stack_top != 0)
        stack_free(thread->stack_top);
    kfree(thread);
}

// Two frames: the one that thread_switch pops, returning to thread_begin, and a last one that ends
// the back chain.
static void prepare_stack(struct thread *thread)
{
    u64 last = thread->stack_top - 0x80;
    u64 frame = last - SWITCH_FRAME;

    *(u64 *)last = 0;
    *(u64 *)(last + 16) = *(u64 *)thread_begin; // entry address from its descriptor
    *(u64 *)frame = last;
    *(u64 *)(frame + SWITCH_R14) = (u64)thread->entry;
    *(u64 *)(frame + SWITCH_R15) = (u64)thread->argument;
    thread->stack_pointer = frame;
}

static struct thread *thread_create_named(const char *name, void (*entry)(void *), void *argument,
                                          u32 cpu, enum thread_priority priority,
                                          struct dispatcher *dispatcher)
{
    KASSERT(cpu < cpu_count && priority < PRIORITY_COUNT && entry != NULL);
    bool preferred = dispatcher == NULL || process_rights(dispatcher_process(dispatcher)) != 0;
    struct thread *thread = thread_make(name, cpu, priority, preferred);

    if (thread == NULL)
        return NULL;
    thread->dispatcher = dispatcher;
    thread->entry = entry;
    thread->argument = argument;
    thread->stack_top = stack_alloc();
    if (thread->stack_top == 0 || co_create_shared(&class, &thread->root, &thread->rep) < 0) {
        unmake(thread);
        return NULL;
    }
    prepare_stack(thread);
    trace_thread_create(thread->id, thread->root.coid, cpu, priority, dispatcher == NULL);
    trace_thread_name(thread->id, thread->name);
    return thread;
}

struct thread *thread_create(const char *name, void (*entry)(void *), void *argument, u32 cpu,
                             enum thread_priority priority)
{
    struct thread *thread = thread_create_named(name, entry, argument, cpu, priority, NULL);

    if (thread != NULL) {
        TELL(thread_made, thread, NULL);
        scheduler_start(thread);
    }
    return thread;
}

struct thread *thread_create_dispatcher(const char *name, void (*entry)(void *),
                                        struct dispatcher *dispatcher, u32 cpu, u8 priority)
{
    struct thread *thread = thread_create_named(name, entry, dispatcher, cpu, priority, dispatcher);

    if (thread != NULL)
        thread->detached = true;
    return thread;
}

void thread_adopt(const char *name, enum thread_priority priority)
{
    struct thread *thread = thread_make(name, cpu_id(), priority, true);

    if (thread == NULL)
        panic("out of memory for the first thread of CPU %u", cpu_id());
    s64 coid = co_create_shared(&class, &thread->root, &thread->rep);
    if (coid < 0)
        panic("no object for the first thread of CPU %u: %s", cpu_id(), orrery_strerror(coid));
    trace_thread_create(thread->id, thread->root.coid, cpu_id(), priority, true);
    trace_thread_name(thread->id, thread->name);
    scheduler_start_cpu(thread);
}

static void idle_entry(void *unused)
{
    (void)unused;
    thread_idle_loop(thread_current());
}

void thread_start_idle(void)
{
    if (thread_create("idle", idle_entry, NULL, cpu_id(), PRIORITY_IDLE) == NULL)
        panic("out of memory for the idle thread");
}

void thread_become_idle(void)
{
    thread_idle_loop(thread_current());
}

void thread_end(void)
{
    struct thread *thread = thread_current();

    KASSERT(thread->innermost_mutex == NULL);
    trace_thread_exit(thread->id);
    spin_lock(&end_lock);
    thread->ended = true;
    bool detached = thread->detached;
    struct thread *joiner = thread->joiner;
    spin_unlock(&end_lock);
    if (joiner != NULL)
        thread_unpark(joiner);
    if (detached)
        co_destroy(thread->root.coid);
    // From here on the thread belongs to no generation: it may be freed as soon as this CPU has
    // switched away, which the mask keeps in one piece.
    soft_mask();
    thread->state = THREAD_ENDED;
    co_thread_exit(&thread->member);
    schedule(REASON_ENDED);
    panic("an ended thread runs");
}

void thread_main(void (*entry)(void *), void *argument)
{
    struct thread *thread = thread_current();

    co_thread_enter(&thread->member);
    soft_mask_restore(0);
    run(&thread->rep, entry, argument);
    thread_end();
}

struct thread *thread_current(void)
{
    return percpu()->current;
}

bool thread_set_essential(bool essential)
{
    struct thread *thread = thread_current();
    bool before = thread->essential;

    thread->essential = essential;
    return before;
}

bool thread_is_essential(void)
{
    return thread_current()->essential;
}

u32 thread_id(const struct thread *thread)
{
    return thread->id;
}

const char *thread_name(const struct thread *thread)
{
    return thread->name;
}

coid_t thread_coid(const struct thread *thread)
{
    return thread->root.coid;
}

void thread_sleep(u64 ticks)
{
    u64 deadline = timebase() + ticks;

    while (timebase() < deadline)
        thread_park_for(deadline, REASON_TIME);
}

void thread_join(struct thread *thread)
{
    bool ended;

    KASSERT(thread->magic == THREAD_MAGIC && !thread->detached);
    spin_lock(&end_lock);
    KASSERT(thread->joiner == NULL);
    thread->joiner = thread_current();
    ended = thread->ended;
    spin_unlock(&end_lock);
    while (!ended) {
        thread_park(NO_DEADLINE);
        ended = *(volatile bool *)&thread->ended;
    }
    co_destroy(thread->root.coid);
}

void thread_detach(struct thread *thread)
{
    spin_lock(&end_lock);
    thread->detached = true;
    bool ended = thread->ended;
    spin_unlock(&end_lock);
    if (ended)
        co_destroy(thread->root.coid);
}

void thread_quiesce(void)
{
    struct co_generation_member *member = &thread_current()->member;

    if (member->generation != 0)
        co_thread_checkpoint(member);
}

// SPDX-License-Identifier: MIT
// The life of a thread: making, ending, joining (user/thread.h).
#include "check.h"
#include "dispatcher.h"
#include "ipc.h"
#include "place.h"

#include <orrery/sys.h>
#include <stdio.h>
#include <string.h>
#include <trace/reasons.h>

static struct user_spin all_lock; // of the list, of all threads' ended and joiner, of the numbers
static struct thread *all_threads;
static u32 last_id, last_slot;
static struct thread first_thread;

// Within one page.
const struct thread_layout thread_layout __attribute__((aligned(64))) = {
    .magic = THREAD_LAYOUT_MAGIC,
    .first = (u64)&all_threads,
    .thread_magic = THREAD_MAGIC,
    .magic_at = offsetof(struct thread, magic),
    .next = offsetof(struct thread, all_next),
    .id = offsetof(struct thread, id),
    .switches = offsetof(struct thread, switches),
    .mutex = offsetof(struct thread, mutex),
    .worker = offsetof(struct thread, worker),
    .call = IPC_WORKER_CALL,
};

void thread_all_lock(void)
{
    user_spin_lock(&all_lock);
}

void thread_all_unlock(void)
{
    user_spin_unlock(&all_lock);
}

struct thread *thread_all_first(void)
{
    return all_threads;
}

// ---- making -------------------------------------------------------------------------------------

static void register_thread(struct thread *thread)
{
    user_spin_lock(&all_lock);
    thread->id = ++last_id;
    thread->all_next = all_threads;
    if (all_threads)
        all_threads->all_previous = thread;
    all_threads = thread;
    user_spin_unlock(&all_lock);
}

static void unlink_thread(struct thread *thread)
{
    if (thread->all_previous)
        thread->all_previous->all_next = thread->all_next;
    else
        all_threads = thread->all_next;
    if (thread->all_next)
        thread->all_next->all_previous = thread->all_previous;
}

static void set_name(struct thread *thread, const char *name)
{
    if (name)
        strncpy(thread->name, name, sizeof thread->name - 1);
}

static void initialise(struct thread *thread, u32 cpu, u32 priority)
{
    thread->magic = THREAD_MAGIC;
    thread->cpu = thread->wanted_cpu = cpu;
    thread->priority = thread->wanted_priority = priority;
    thread->run = THREAD_BLOCKED;
    thread->reent = &thread->own_reent;
}

// Lays out what thread_resume finds: the frame of a switch that returns to thread_entry, and above
// it the end of the stack.
static void lay_out_stack(struct thread *thread)
{
    u64 *outermost = (u64 *)(thread->stack_high - 128);
    memset(outermost, 0, 128);
    u64 *frame = (u64 *)((u64)outermost - SWITCH_FRAME);
    memset(frame, 0, SWITCH_FRAME);
    frame[0] = (u64)outermost;
    outermost[2] = *(u64 *)thread_entry; // lr save word: code address, first of the descriptor
    thread->sp = (u64)frame;
}

struct thread *thread_make(const struct thread_attributes *attributes, thread_function function,
                           void *argument)
{
    struct thread *thread =
        stack_take(attributes->stack_bytes ? attributes->stack_bytes : THREAD_STACK_DEFAULT);
    if (!thread)
        return NULL;
    initialise(thread, attributes->cpu, attributes->priority);
    _REENT_INIT_PTR(thread->reent);
    set_name(thread, attributes->name);
    thread->function = function;
    thread->argument = argument;
    thread->detached = attributes->detached;
    thread->pinned = attributes->pinned;
    thread->holders = attributes->detached ? 1 : 2;
    lay_out_stack(thread);
    register_thread(thread);
    return thread;
}

void thread_unmake(struct thread *thread)
{
    pmu_thread_leaves();
    user_spin_lock(&all_lock);
    unlink_thread(thread);
    user_spin_unlock(&all_lock);
    stack_give(thread);
}

void thread_make_first(u64 stack, u64 bytes)
{
    struct thread *thread = &first_thread;
    initialise(thread, user_cpu(), THREAD_PRIORITY_DEFAULT);
    set_name(thread, "main");
    thread->holders = 2; // never freed
    thread->run = THREAD_RUNNING;
    thread->reent = _GLOBAL_REENT;
    thread->stack_low = stack;
    thread->stack_high = stack + bytes;
    register_thread(thread);
    scheduler_here()->current = thread;
}

void thread_begin(void)
{
    struct thread *thread = thread_current();
    co_thread_enter(&thread->member);
    user_enable(0);
    thread_exit(thread->function(thread->argument));
}

static s64 check(const struct thread_attributes *attributes)
{
    if (attributes->priority >= THREAD_PRIORITIES)
        return E_INVAL;
    if (attributes->stack_bytes &&
        (attributes->stack_bytes < THREAD_STACK_MIN || attributes->stack_bytes > THREAD_STACK_MAX))
        return E_INVAL;
    return attributes->cpu == THREAD_HERE ? 0 : user_dispatcher_start(attributes->cpu);
}

s64 thread_create(struct thread **out, const struct thread_attributes *attributes,
                  thread_function function, void *argument)
{
    struct thread_attributes chosen = THREAD_ATTRIBUTES;
    if (attributes)
        chosen = *attributes;
    if (place_is_set() && !chosen.pinned)
        chosen.cpu = place_of_new(chosen.cpu);
    s64 error = check(&chosen);
    if (error)
        return error;
    u32 before = user_disable();
    struct scheduler *scheduler = scheduler_here();
    if (chosen.cpu == THREAD_HERE)
        chosen.cpu = scheduler->cpu;
    struct thread *thread = thread_make(&chosen, function, argument);
    if (thread) {
        if (out)
            *out = thread;
        if (thread->cpu == scheduler->cpu)
            scheduler_ready(scheduler, thread, false);
        else
            scheduler_send(thread);
    }
    user_enable(before);
    return thread ? 0 : E_NOMEM;
}

// ---- ending -------------------------------------------------------------------------------------

static void drop(struct thread *thread)
{
    if (__atomic_sub_fetch(&thread->holders, 1, __ATOMIC_ACQ_REL) == 0)
        scheduler_free(thread);
}

// Ends a thread. On the upcall stack, as its own stack may go now.
static void finish(struct thread *thread)
{
    user_spin_lock(&all_lock);
    unlink_thread(thread);
    thread->run = THREAD_ENDED;
    thread->ended = true;
    // The joiner cannot end before it has taken the lock.
    if (thread->joiner)
        scheduler_wake(thread->joiner, WAKE_LIBRARY);
    user_spin_unlock(&all_lock);
    scheduler_leaves(scheduler_here(), thread, REASON_ENDED);
    drop(thread);
    scheduler_dispatch();
}

void thread_exit(s64 result)
{
    struct thread *self = thread_current();
    _reclaim_reent(self->reent);
    user_disable();
    self->result = result;
    co_thread_exit(&self->member);
    thread_leave(self, finish);
    __builtin_unreachable();
}

s64 thread_join(struct thread *thread, s64 *result)
{
    struct thread *self = thread_current();
    if (thread == self || thread->detached)
        return E_INVAL;
    u32 before = user_disable();
    user_spin_lock(&all_lock);
    while (!thread->ended) {
        thread->joiner = self;
        self->mutex = (u64)thread | THREAD_WAITS_JOIN; // its memory stays while it can be joined
        user_spin_unlock(&all_lock);
        scheduler_block(WAKE_LIBRARY);
        user_spin_lock(&all_lock);
    }
    self->mutex = 0;
    user_spin_unlock(&all_lock);
    if (result)
        *result = thread->result;
    drop(thread);
    user_enable(before);
    return 0;
}

s64 thread_detach(struct thread *thread)
{
    u32 before = user_disable();
    user_spin_lock(&all_lock);
    bool was = thread->detached;
    thread->detached = true;
    user_spin_unlock(&all_lock);
    if (!was)
        drop(thread);
    user_enable(before);
    return was ? E_INVAL : 0;
}

// ---- what is known of a thread ------------------------------------------------------------------

u32 thread_id(const struct thread *thread)
{
    return thread->id;
}

const char *thread_name(const struct thread *thread)
{
    return thread->name;
}

void thread_set_name(struct thread *thread, const char *name)
{
    strncpy(thread->name, name, sizeof thread->name - 1);
}

u32 thread_cpu(const struct thread *thread)
{
    return __atomic_load_n(&thread->cpu, __ATOMIC_RELAXED);
}

u32 thread_priority(const struct thread *thread)
{
    return thread->priority;
}

s64 thread_slot(void)
{
    u32 slot = __atomic_fetch_add(&last_slot, 1, __ATOMIC_RELAXED);
    return slot < THREAD_SLOTS ? (s64)slot : E_LIMIT;
}

void *thread_get(u32 slot)
{
    return thread_current()->slots[slot];
}

void thread_set(u32 slot, void *value)
{
    thread_current()->slots[slot] = value;
}

s64 thread_list(u64 *cursor, struct thread_info *threads, u64 bytes)
{
    u64 room = bytes / sizeof *threads, count = 0;
    u32 before = user_disable();
    user_spin_lock(&all_lock);
    // From the newest to the oldest; the cursor is the last id told.
    for (const struct thread *thread = all_threads; thread && count < room;
         thread = thread->all_next) {
        if (*cursor && thread->id >= *cursor)
            continue;
        threads[count] = (struct thread_info){.id = thread->id,
                                              .state = thread->run,
                                              .cpu = thread->cpu,
                                              .priority = thread->priority,
                                              .switches = thread->switches};
        memcpy(threads[count].name, thread->name, sizeof thread->name);
        *cursor = threads[count++].id;
    }
    user_spin_unlock(&all_lock);
    user_enable(before);
    return (s64)(count * sizeof *threads);
}

void thread_stat(u32 cpu, struct thread_stat *stat)
{
    *stat = user_dispatchers() >> cpu & 1 ? scheduler_of(cpu)->stat : (struct thread_stat){0};
}

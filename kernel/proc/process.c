// SPDX-License-Identifier: MIT
// Processes: from creation to end.
#include "process.h"

#include <co/manager.h>
#include <kernel/address_space.h>
#include <kernel/capability.h>
#include <kernel/console.h>
#include <kernel/memory.h>
#include <kernel/model_unit.h>
#include <kernel/name.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/pmu.h>
#include <kernel/points.h>
#include <kernel/softmask.h>
#include <kernel/timer.h>
#include <orrery/errors.h>
#include <string.h>
#include <trace/events.h>

#include "annex.h"
#include "dispatcher.h"
#include "domain.h"
#include "end_watch.h"
#include "family.h"
#include "mem/failing.h"
#include "thread.h"

extern const process_end_hook process_end_hooks_start[], process_end_hooks_end[];

// ---- creation -----------------------------------------------------------------------------------

void process_free(struct process *process)
{
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++) {
        if (process->dispatchers[cpu] != NULL)
            dispatcher_free(process->dispatchers[cpu]);
    }
    if (process->capabilities != NULL)
        capability_table_destroy(process->capabilities);
    if (process->space != NULL)
        space_destroy(process->space);
    family_leave(process);
    kfree(process);
}

static enum memory_class memory_class_of(const struct sys_process_new *new, u32 parent)
{
    if (parent == 0)
        return MEMORY_FIRST;
    if (new->rights == 0)
        return MEMORY_PLAIN;
    return new->priority >= PROCESS_SERVER ? MEMORY_SERVER : MEMORY_RIGHTS;
}

static struct process *allocate(const struct sys_process_new *new, const struct process *creator,
                                s64 *error)
{
    struct process *process = kzalloc(sizeof(*process));
    u32 parent = creator != NULL ? creator->pid : 0;

    *error = E_NOMEM;
    if (process == NULL)
        return NULL;
    name_copy(process->name, new->name, sizeof(process->name));
    process->rights = new->rights;
    process->priority = new->priority;
    process->parent = parent;
    refs_init(&process->refs, KIND_PROCESS);
    refs_get(&process->refs, KIND_PROCESS); // the table of processes has one, the creator the other
    process->start_time = timebase();
    spin_init(&process->lock, "process", RANK_OBJECT);
    inspection_init(&process->monitor);
    ipc_process_init(&process->ipc);
    process->capabilities = capability_table_create();
    process->space = space_create(process, new->memory_limit, memory_class_of(new, parent));
    if (process->capabilities != NULL && process->space != NULL)
        *error = family_join(process, creator);
    if (*error == 0) {
        capability_table_begin(process->capabilities, process->space);
        return process;
    }
    process_free(process);
    return NULL;
}

struct process *process_create(const struct sys_process_new *new, const struct process *creator,
                               s64 *error)
{
    struct process *process = allocate(new, creator, error);

    if (process == NULL)
        return NULL;
    *error = process_object_create(process, new->priority >= PROCESS_SERVER);
    if (*error == 0) {
        u32 cleared = domain_inherit(process);
        *error = annex_add(process);
        if (*error == 0) {
            domain_inherited(process, cleared);
            space_set_owner(process->space, MODEL_TAG_OF_PID(process->pid));
            trace_process_create(process->pid, process->parent, process->root.coid);
            trace_process_name(process->pid, process->name);
            return process;
        }
        co_destroy(process->root.coid); // which frees it
        return NULL;
    }
    process_free(process);
    return NULL;
}

bool process_begin_loading(struct process *process)
{
    spin_lock(&process->lock);
    bool new = process->state == PROCESS_NEW;
    if (new)
        process->loaders++;
    spin_unlock(&process->lock);
    return new;
}

void process_end_loading(struct process *process)
{
    spin_lock(&process->lock);
    process->loaders--;
    spin_unlock(&process->lock);
}

// Makes a dispatcher, unless there is one on that CPU or somebody is making it: two must not set up
// one page.
static s64 make_dispatcher(struct process *process, u32 cpu, struct dispatcher **made)
{
    spin_lock(&process->lock);
    bool free = process->dispatchers[cpu] == NULL && !(process->making >> cpu & 1);
    if (free)
        process->making |= 1u << cpu;
    spin_unlock(&process->lock);
    if (!free)
        return E_EXIST;
    s64 error = dispatcher_create(process, cpu, made);
    if (error != 0) {
        spin_lock(&process->lock);
        process->making &= ~(1u << cpu);
        spin_unlock(&process->lock);
    }
    return error;
}

// Enters a dispatcher in state `from` or fails as the process has gone on. Takes it over.
static s64 install(struct process *process, struct dispatcher *dispatcher, u32 from)
{
    u32 cpu = dispatcher->cpu;

    spin_lock(&process->lock);
    s64 result = process->state != from || process->loaders != 0 ? E_BUSY
                 : !placement_allows(process, cpu)               ? E_PERM
                                                                 : 0;
    process->making &= ~(1u << cpu);
    if (result == 0) {
        dispatcher->tag = space_tag(process->space); // it may have been excluded meanwhile
        dispatcher->untraced = process->untraced;
        dispatcher->page->heap_counted = memory_heap_counted(process->pid);
        dispatcher->overflow.session = process->overflow_session;
        dispatcher_set_domain(dispatcher, process->domain);
        placement_begin(dispatcher);
        process->state = PROCESS_LIVE;
        process->running++;
        __atomic_store_n(&process->dispatchers[cpu], dispatcher, __ATOMIC_RELEASE);
    }
    spin_unlock(&process->lock);
    if (result != 0) {
        dispatcher_discard(dispatcher);
        return result;
    }
    TELL(thread_made, dispatcher->thread, process);
    trace_dispatcher_create(process->pid, dispatcher->thread->id, cpu);
    dispatcher_start(dispatcher);
    return 0;
}

s64 process_start(struct process *process, const struct sys_process_start *start)
{
    struct dispatcher *dispatcher;

    if (start->cpu >= cpu_count)
        return E_INVAL;
    if (process->state != PROCESS_NEW)
        return E_BUSY;
    s64 error = make_dispatcher(process, start->cpu, &dispatcher);
    if (error != 0)
        return error;
    dispatcher->start_pc = start->pc;
    dispatcher->start_toc = start->toc;
    dispatcher->start_sp = start->sp;
    dispatcher->start_argument = start->argument;
    error = install(process, dispatcher, PROCESS_NEW);
    if (error == 0)
        placement_started(process);
    return error;
}

s64 process_add_dispatcher(struct process *process, u32 cpu, u64 upcall_stack)
{
    struct dispatcher *dispatcher;

    if (cpu >= cpu_count || process->image.upcall_entry == 0)
        return E_INVAL;
    if (!placement_allows(process, cpu))
        return E_PERM;
    if (!memory_for_caller())
        return E_NOMEM;
    s64 error = make_dispatcher(process, cpu, &dispatcher);
    if (error != 0)
        return error;
    dispatcher->page->upcall_stack = upcall_stack;
    dispatcher->start_event = true;
    dispatcher->start_pc = process->image.upcall_entry;
    dispatcher->start_toc = process->image.upcall_toc;
    dispatcher->start_sp = upcall_stack;
    return install(process, dispatcher, PROCESS_LIVE);
}

// ---- end ----------------------------------------------------------------------------------------

bool process_ending(const struct process *process)
{
    return *(volatile const u32 *)&process->state == PROCESS_ENDING;
}

// Begins the end of a process. Returns false if somebody else was first. It is in one piece as far
// as this CPU goes. A more urgent dispatcher that ran in between would find its memory ended but
// not itself, and fault for ever before the caller went on.
static bool begin_end(struct process *process, s32 status, bool *never_ran)
{
    u8 masked = soft_mask();

    spin_lock(&process->lock);
    bool first = process->state != PROCESS_ENDING;
    *never_ran = process->running == 0;
    if (first) {
        process->status = status;
        process->state = PROCESS_ENDING;
    }
    spin_unlock(&process->lock);
    for (u32 cpu = 0; first && cpu < cpu_count; cpu++) {
        if (process->dispatchers[cpu] != NULL)
            dispatcher_stop(process->dispatchers[cpu]);
    }
    soft_mask_restore(masked);
    return first;
}

void process_kill(struct process *process, s32 status)
{
    bool never_ran;

    if (!begin_end(process, status, &never_ran))
        return;
    space_end(process->space);
    if (never_ran)
        process_finish(process);
}

void process_dispatcher_ended(struct process *process, struct dispatcher *dispatcher)
{
    spin_lock(&process->lock);
    dispatcher->ended = true;
    dispatcher->overflow.session = 0; // its page may go at any moment
    u32 left = --process->running;
    spin_unlock(&process->lock);
    if (left == 0)
        process_finish(process);
}

static void parent_notified(struct posted_event *event, bool delivered)
{
    (void)delivered;
    process_put(container_of(event, struct process, ended));
}

static void tell_parent(struct process *process)
{
    struct process *parent = process_get(process->parent);
    struct dispatcher *to = parent != NULL ? process_any_dispatcher(parent) : NULL;

    process->ended = (struct posted_event){
        .taken = parent_notified,
        .event = {.type = EVENT_CHILD, .id = process->pid, .badge = (u64)(s64)process->status}};
    process_hold(process);
    if (to == NULL || !dispatcher_post(to, &process->ended))
        process_put(process);
    if (parent != NULL)
        process_put(parent);
}

// Leaves the children: those that have not started go with their parent, the others become the
// first process's.
static void leave_children(struct process *process)
{
    struct process *child;

    while ((child = annex_next_child(process->pid, FIRST_PID)) != NULL) {
        if (child->state == PROCESS_NEW)
            process_kill(child, STATUS_ORPHANED);
        process_put(child);
    }
}

// Ends must go on when memory is out: they are what gives it back.
void process_finish(struct process *process)
{
    bool before = thread_set_essential(true);

    ipc_process_ends(process);
    memory_process_ended(process->pid);
    inspection_end(process);
    for (const process_end_hook *hook = process_end_hooks_start; hook < process_end_hooks_end;
         hook++)
        (*hook)(process);
    if (process->pid == FIRST_PID) {
        kprintf("process 1 (%s) has ended with status %d\n", process->name, process->status);
        power_off(process->status == 0 ? 0 : 1);
    }
    leave_children(process);
    capability_table_end(process->capabilities);
    space_clear(process->space);
    trace_process_end(process->pid, (u64)(s64)process->status);
    annex_remove(process);
    end_watch_process_ended(process);
    tell_parent(process);
    thread_set_essential(before);
    process_put(process);
}

// ---- references ---------------------------------------------------------------------------------

void process_hold(struct process *process)
{
    refs_get(&process->refs, KIND_PROCESS);
}

// The last reference lets the object go. A process that was never started, and that nobody can
// start any more, goes too.
void process_put(struct process *process)
{
    u64 left = refs_put(&process->refs, KIND_PROCESS);

    if (left == 1 && process->state == PROCESS_NEW)
        process_kill(process, STATUS_ORPHANED);
    else if (left == 0)
        co_destroy(process->root.coid);
}

// ---- what others may ask ------------------------------------------------------------------------

struct process *process_current(void)
{
    struct dispatcher *dispatcher = percpu()->dispatcher;

    return dispatcher != NULL ? dispatcher->process : NULL;
}

u32 process_pid(const struct process *process)
{
    return process->pid;
}

coid_t process_coid(const struct process *process)
{
    return process->root.coid;
}

const struct sys_process_image *process_image(const struct process *process)
{
    return &process->image;
}

u32 process_rights(const struct process *process)
{
    return process->rights;
}

struct address_space *process_space(struct process *process)
{
    return process->space;
}

struct capability_table *process_capabilities(struct process *process)
{
    return process->capabilities;
}

struct ipc_process *process_ipc(struct process *process)
{
    return &process->ipc;
}

struct dispatcher *process_dispatcher(struct process *process, u32 cpu)
{
    return __atomic_load_n(&process->dispatchers[cpu], __ATOMIC_ACQUIRE);
}

struct dispatcher *process_any_dispatcher(struct process *process)
{
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        struct dispatcher *dispatcher = process_dispatcher(process, cpu);
        if (dispatcher != NULL && !dispatcher->ending)
            return dispatcher;
    }
    return NULL;
}

static u64 min_room(u64 used, u64 max)
{
    return used < max ? max - used : 0;
}

u32 process_coids(struct process *process, coid_t *out, u32 max)
{
    u32 count = 0;

    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        const struct dispatcher *dispatcher = process_dispatcher(process, cpu);
        if (dispatcher == NULL || dispatcher->ended)
            continue;
        if (out != NULL && count < max)
            out[count] = dispatcher->thread->root.coid;
        count++;
    }
    u32 room = (u32)min_room(count, max);
    count += space_coids(process->space, out != NULL ? out + count : NULL, room);
    room = (u32)min_room(count, max);
    count += ipc_endpoint_coids(process, out != NULL ? out + count : NULL, room);
    return out != NULL && count > max ? max : count;
}

static void add_dispatcher(const struct dispatcher *dispatcher, struct sys_process_info *info)
{
    if (!dispatcher->ended) {
        info->dispatchers |= 1u << dispatcher->cpu;
        info->cpu_ticks += dispatcher->thread->run_ticks;
    } else {
        info->cpu_ticks += dispatcher->run_ticks;
    }
    info->calls += ipc_calls(&dispatcher->ipc);
    info->events += dispatcher->events;
}

void process_info(struct process *process, struct sys_process_info *info)
{
    *info = (struct sys_process_info){
        .pid = process->pid,
        .parent = process->parent,
        .state = process->state,
        .rights = process->rights,
        .priority = placement_priority(process),
        .object = process->root.coid,
        .start_time = process->start_time,
        .memory_pages = space_resident_pages(process->space),
        .faults = space_faults(process->space),
    };
    memcpy(info->name, process->name, sizeof(info->name));
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        const struct dispatcher *dispatcher = process_dispatcher(process, cpu);
        if (dispatcher != NULL)
            add_dispatcher(dispatcher, info);
    }
}

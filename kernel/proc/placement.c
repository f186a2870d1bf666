// SPDX-License-Identifier: MIT
// Places processes (S004 §4.2.1, §4.4). The kernel moves nothing: it tells the library of the
// process, which moves its threads. What stays on a CPU that the process should leave runs at the
// lowest priority after a while, so who ignores its place gains nothing. All that changes a
// dispatcher's turn is done by its own CPU, as the fast path of calls takes no lock.
#include "placement.h"

#include <kernel/ipc.h>
#include <kernel/irq.h>
#include <kernel/percpu.h>
#include <kernel/timer.h>
#include <orrery/errors.h>
#include <orrery/place.h>

#include "dispatcher.h"
#include "process.h"
#include "thread.h"

#define LEAVE_MICROSECONDS 100000
#define TICK_MS 10 // of the scheduler, in which slices are counted

bool placement_allows(const struct process *process, u32 cpu)
{
    u64 cpus = __atomic_load_n(&process->place.cpus, __ATOMIC_RELAXED);

    return cpus == 0 || (cpus >> cpu & 1) != 0;
}

u32 placement_priority(const struct process *process)
{
    u32 placed = __atomic_load_n(&process->place.priority, __ATOMIC_RELAXED);

    return placed != 0 ? placed : process->priority;
}

static u8 ticks_of_slice(const struct process *process)
{
    u32 ms = __atomic_load_n(&process->place.slice_ms, __ATOMIC_RELAXED);

    return ms != 0 ? (u8)((ms + TICK_MS - 1) / TICK_MS) : 1;
}

static void set_turn(struct dispatcher *dispatcher, u32 priority)
{
    scheduler_set_turn(dispatcher->thread, (u8)priority, ticks_of_slice(dispatcher->process));
}

// ---- dispatchers --------------------------------------------------------------------------------

static void stayed_too_long(struct timer *timer)
{
    struct dispatcher *dispatcher = container_of(timer, struct dispatcher, place_timer);

    dispatcher->lowered = true;
    set_turn(dispatcher, PRIORITY_LOW);
}

void placement_begin(struct dispatcher *dispatcher)
{
    const struct process *process = dispatcher->process;
    u32 priority = placement_priority(process);

    dispatcher->place_timer.fire = stayed_too_long;
    dispatcher->thread->priority = (u8)priority;
    dispatcher->thread->slice_ticks = ticks_of_slice(process);
    dispatcher->urgency = 2u << priority;
}

void placement_end(struct dispatcher *dispatcher)
{
    timer_cancel(&dispatcher->place_timer);
}

// Acts by the process's place on this CPU. Soft-masked.
static void place_here(void *argument)
{
    struct process *process = argument;
    struct dispatcher *dispatcher = process_dispatcher(process, cpu_id());

    if (dispatcher == NULL || dispatcher->ending)
        return;
    if (placement_allows(process, dispatcher->cpu)) {
        timer_cancel(&dispatcher->place_timer);
        dispatcher->lowered = false;
    } else if (!dispatcher->lowered && dispatcher->place_timer.deadline == 0) {
        timer_start(&dispatcher->place_timer,
                    timebase() + microseconds_to_ticks(LEAVE_MICROSECONDS));
    }
    ipc_invalidate_servers(process);
    set_turn(dispatcher, dispatcher->lowered ? PRIORITY_LOW : placement_priority(process));
}

static u64 cpus_with_dispatchers(struct process *process)
{
    u64 mask = 0;

    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        mask |= process_dispatcher(process, cpu) != NULL ? 1UL << cpu : 0;
    return mask;
}

// ---- the library --------------------------------------------------------------------------------

static void event_taken(struct posted_event *event, bool delivered)
{
    struct process *process = container_of(event, struct process, place.event);

    (void)delivered;
    __atomic_store_n(&process->place.posted, false, __ATOMIC_RELEASE);
    process_put(process);
}

// Has the library ask for its place. An event that is on its way already is enough.
static void tell_library(struct process *process)
{
    struct dispatcher *to = process_any_dispatcher(process);

    if (to == NULL || __atomic_exchange_n(&process->place.posted, true, __ATOMIC_ACQ_REL))
        return;
    process->place.event =
        (struct posted_event){.taken = event_taken, .event = {.type = EVENT_PLACE}};
    process_hold(process);
    scheduler_favour(to->thread); // it may be on the CPU that has too much to do
    if (!dispatcher_post(to, &process->place.event))
        event_taken(&process->place.event, false);
}

void placement_started(struct process *process)
{
    if (process->place.cpus != 0)
        tell_library(process);
}

// ---- system calls -------------------------------------------------------------------------------

static bool acceptable_place(const struct sys_placement *wanted)
{
    const u32 pins = PLACE_PINNED | PLACE_UNPINNED;

    return (wanted->cpus & ~((2UL << (cpu_count - 1)) - 1)) == 0 &&
           (wanted->priority == 0 ||
            (wanted->priority >= PROCESS_LOW && wanted->priority <= PROCESS_HIGH)) &&
           (wanted->slice_ms == 0 ||
            (wanted->slice_ms >= PLACE_SLICE_MIN && wanted->slice_ms <= PLACE_SLICE_MAX)) &&
           (wanted->flags & ~pins) == 0 && wanted->flags != pins &&
           (wanted->spread & ~wanted->cpus) == 0 &&
           (wanted->spread == 0 || wanted->spread != wanted->cpus);
}

// Takes over what is not 0. The process's lock held.
static void merge_place(struct placement *place, const struct sys_placement *wanted)
{
    if (wanted->cpus != 0) {
        __atomic_store_n(&place->cpus, wanted->cpus, __ATOMIC_RELAXED);
        place->spread = wanted->spread;
    }
    if (wanted->priority != 0)
        __atomic_store_n(&place->priority, wanted->priority, __ATOMIC_RELAXED);
    if (wanted->slice_ms != 0)
        __atomic_store_n(&place->slice_ms, wanted->slice_ms, __ATOMIC_RELAXED);
    if (wanted->flags != 0)
        place->flags = wanted->flags & PLACE_PINNED;
}

s64 sys_place(u32 pid, const struct sys_placement *wanted)
{
    HELD(process) struct process *process = process_get(pid);

    if (process == NULL)
        return E_NOENT;
    if (!acceptable_place(wanted))
        return E_INVAL;
    if (wanted->priority != 0 && process->priority >= PROCESS_SERVER)
        return E_INVAL; // it could not be given back
    spin_lock(&process->lock);
    bool ending = process->state == PROCESS_ENDING;
    if (!ending)
        merge_place(&process->place, wanted);
    spin_unlock(&process->lock);
    if (ending)
        return E_PEER;
    cpus_call(cpus_with_dispatchers(process), place_here, process);
    if (wanted->cpus != 0)
        tell_library(process);
    return 0;
}

s64 sys_place_get(u32 pid, struct sys_placement *place)
{
    struct process *self = process_current();
    HELD(process) struct process *process = process_get(pid != 0 ? pid : process_pid(self));

    if (process != self && !(process_rights(self) & RIGHT_PLACE))
        return E_PERM;
    if (process == NULL)
        return E_NOENT;
    spin_lock(&process->lock);
    bool ending = process->state == PROCESS_ENDING;
    *place = (struct sys_placement){.cpus = process->place.cpus,
                                    .priority = process->place.priority,
                                    .slice_ms = process->place.slice_ms,
                                    .flags = process->place.flags,
                                    .spread = process->place.spread};
    spin_unlock(&process->lock);
    if (ipc_endpoint_coids(process, NULL, 0) != 0)
        place->flags |= PLACE_SERVES;
    return ending ? E_PEER : 0;
}

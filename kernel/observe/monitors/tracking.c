// SPDX-License-Identifier: MIT
// Tracks threads, and patches the points that are needed for it.
#include "tracking.h"

#include <kernel/irq.h>
#include <kernel/memory.h>
#include <kernel/patch.h>
#include <kernel/percpu.h>
#include <kernel/points.h>
#include <kernel/process.h>
#include <kernel/timer.h>
#include <kernel/wait.h>
#include <orrery/process.h>

#include "library.h"
#include "monitor.h"
#include "proc/dispatcher.h"
#include "proc/process.h"
#include "proc/thread.h"
#include "sensor.h"
#include "syscalls/syscalls.h"
#include "tracks.h"

static struct mutex mutex = MUTEX_INIT("monitors", MUTEX_MONITORS); // of what follows
// of processes, and kernel_tracks
static struct monitor_tracks *owners;
static struct monitor_tracks *kernel_tracks;
static u32 recorded;                         // kinds that any monitor records,
static u32 recording[SYS_MONITOR_KINDS_MAX]; // … by how many monitors each

static bool changing; // a process is being given tracks; written with the mutex held
static struct monitor_tracks *tracked[ORRERY_MAX_CPUS]; // threads, each CPU's its own: soft-masked

static struct monitor_tracks **owner_place(struct process *process)
{
    return process != NULL ? &process->tracks : &kernel_tracks;
}

// ---- whether anybody records --------------------------------------------------------------------

static u32 kinds_of(const struct monitor *monitor)
{
    return monitor->running && !monitor->ended ? monitor->kinds : 0;
}

// Patches the points whose use has changed. A wake-up may be recorded at a switch, and a thread's
// own records are taken before the next one runs.
#define OF_SWITCHES (1u << SYS_MONITOR_SWITCH | 1u << SYS_MONITOR_WAKE | SYS_MONITOR_LIBRARY)
#define OF_EVENTS ((u32)SYS_MONITOR_KINDS_MASK & ~(1u << SYS_MONITOR_SWITCH | SYS_MONITOR_LIBRARY))

static void set_users(u32 before)
{
    u64 wants = ((recorded & OF_SWITCHES) != 0 ? MONITORS_SWITCHES : 0) |
                ((recorded & OF_EVENTS) != 0 ? MONITORS_EVENTS : 0) |
                ((recorded >> SYS_MONITOR_CALL & 1) != 0 ? MONITORS_CALLS : 0);

    if (wants != monitors_observer.wants)
        observer_wants(&monitors_observer, wants);
    if (((recorded ^ before) >> SYS_MONITOR_SYSCALL & 1) != 0) {
        patch_begin();
        syscalls_surround((recorded >> SYS_MONITOR_SYSCALL & 1) != 0 ? syscall_monitored : NULL);
        patch_end();
    }
}

// Updates the points after a change of a monitor. before: the kinds that it recorded.
static void set_points(const struct monitor *monitor, u32 before)
{
    u32 now = kinds_of(monitor), all = recorded;

    for (u32 kind = 0; kind < SYS_MONITOR_KINDS_MAX; kind++) {
        recording[kind] += (now >> kind & 1) - (before >> kind & 1);
        recorded = (recorded & ~(1u << kind)) | (recording[kind] != 0 ? 1u : 0) << kind;
    }
    set_users(all);
}

// Changes this CPU's ring. Earlier records first go to the monitors that ran then.
static void run_here(void *argument)
{
    struct monitor *monitor = argument;
    struct monitor_ring *ring = &monitor->reps[cpu_id()].ring;

    monitors_library_take_here(NULL);
    ring->running = monitor->running;
    if (!ring->running)
        monitor_ring_halt(ring);
    for (struct monitor_tracks *at = tracked[cpu_id()]; at != NULL; at = at->next)
        monitors_library_learns(at);
}

// Points at each switch take what threads tell, so they are patched in first and out last.
static void run_tracks(struct monitor *monitor, bool on)
{
    u32 before = kinds_of(monitor);

    if (monitor->running == on)
        return;
    monitor->running = on;
    if (on)
        set_points(monitor, before);
    cpus_call(UINT64_MAX, run_here, monitor);
    if (!on)
        set_points(monitor, before);
}

s64 monitors_run(struct monitor *monitor, bool on)
{
    mutex_lock(&mutex);
    bool ended = monitor->ended;
    if (!ended)
        run_tracks(monitor, on);
    mutex_unlock(&mutex);
    return ended ? E_INVAL : 0;
}

// ---- tracking -----------------------------------------------------------------------------------

// A request to track. The sets are for threads that have none.
struct tracking {
    struct monitor *monitor;
    struct process *process; // NULL: the kernel
    u32 thread;              // 0: all
    struct monitor_track track;
    struct monitor_tracks *spares;
    struct monitor_tracks *owner; // … and for the process
};

static u32 pid_of(const struct process *process)
{
    return process != NULL ? process_pid(process) : 0;
}

static s64 add_spare(struct tracking *tracking, u32 thread, u32 cpu)
{
    struct monitor_tracks *spare = kzalloc(sizeof(*spare));

    if (spare == NULL)
        return E_NOMEM;
    spare->thread_id = thread;
    spare->pid = pid_of(tracking->process);
    spare->cpu = cpu;
    monitor_tracks_link(spare, &tracking->spares);
    return 0;
}

static void free_tracks(struct monitor_tracks *tracks)
{
    monitor_tracks_unlink(tracks);
    kfree(tracks);
}

static bool is_wanted(const struct tracking *tracking, u32 thread)
{
    return tracking->thread == 0 || tracking->thread == thread;
}

static s64 gather_dispatcher(struct tracking *tracking, u32 cpu)
{
    const struct dispatcher *dispatcher = process_dispatcher(tracking->process, cpu);

    if (dispatcher == NULL || dispatcher->ended || !is_wanted(tracking, dispatcher->thread_id))
        return 0;
    return add_spare(tracking, dispatcher->thread_id, cpu);
}

static s64 gather_kernel(struct tracking *tracking, u32 cpu)
{
    struct thread_summary summary;
    u32 cursor = 0;
    s64 error = 0;

    while (error == 0 && thread_table_next(&cursor, cpu, &summary)) {
        if (summary.kernel && summary.state != THREAD_ENDED && is_wanted(tracking, summary.id))
            error = add_spare(tracking, summary.id, cpu);
    }
    return error;
}

static s64 gather(struct tracking *tracking)
{
    s64 error = 0;

    for (u32 cpu = 0; cpu < cpu_count && error == 0; cpu++)
        error = tracking->process != NULL ? gather_dispatcher(tracking, cpu)
                                          : gather_kernel(tracking, cpu);
    if (error == 0 && tracking->thread != 0 && tracking->spares == NULL)
        error = E_NOENT;
    if (error == 0 && tracking->thread == 0 && *owner_place(tracking->process) == NULL) {
        tracking->owner = kzalloc(sizeof(*tracking->owner));
        error = tracking->owner != NULL ? 0 : E_NOMEM;
    }
    return error;
}

struct check {
    const struct monitor *monitor;
    bool tracks_all; // the caller may
    bool fits;
};

static void check_thread(struct thread *thread, void *argument)
{
    struct check *check = argument;

    if (thread->tracks != NULL &&
        !monitor_tracks_fit(thread->tracks, check->monitor, check->tracks_all))
        check->fits = false;
}

// Checks for room everywhere. Nobody adds anything meanwhile.
static s64 check_limits(const struct tracking *tracking)
{
    struct check check = {
        .monitor = tracking->monitor,
        .tracks_all = (process_rights(process_current()) & RIGHT_MONITOR) != 0,
        .fits = true,
    };
    const struct monitor_tracks *owner = *owner_place(tracking->process);
    bool found = tracking->thread == 0;

    for (const struct monitor_tracks *at = tracking->spares; at != NULL; at = at->next)
        found |= thread_table_visit(at->thread_id, check_thread, &check);
    if (tracking->thread == 0 && owner != NULL &&
        !monitor_tracks_fit(owner, tracking->monitor, check.tracks_all))
        check.fits = false;
    return !found ? E_NOENT : check.fits ? 0 : E_LIMIT;
}

struct change {
    struct monitor_tracks *spare; // NULL: in use
    struct monitor_track track;
};

static void set_thread(struct thread *thread, void *argument)
{
    struct change *change = argument;

    if (thread->tracks == NULL) {
        change->spare->thread = thread;
        monitor_tracks_unlink(change->spare);
        monitor_tracks_link(change->spare, &tracked[thread->cpu]);
        thread->tracks = change->spare;
    }
    monitors_library_take(thread->tracks, timebase());
    monitor_tracks_set(thread->tracks, &change->track);
    monitors_library_learns(thread->tracks);
}

static void track_here(void *argument)
{
    struct change *change = argument;

    thread_table_visit(change->spare->thread_id, set_thread, change);
}

static void set_threads(const struct tracking *tracking)
{
    struct monitor_tracks *next;

    for (struct monitor_tracks *at = tracking->spares; at != NULL; at = next) {
        struct change change = {.spare = at, .track = tracking->track};
        next = at->next;
        change.track.ring = &tracking->monitor->reps[at->cpu].ring;
        cpus_call(1UL << at->cpu, track_here, &change);
    }
}

static void set_owner(struct tracking *tracking)
{
    struct monitor_tracks **place = owner_place(tracking->process);

    if (tracking->thread != 0)
        return;
    if (*place == NULL) {
        tracking->owner->pid = pid_of(tracking->process);
        tracking->owner->place = place;
        monitor_tracks_link(tracking->owner, &owners);
        __atomic_store_n(place, tracking->owner, __ATOMIC_SEQ_CST);
        tracking->owner = NULL;
    }
    monitor_tracks_set(*place, &tracking->track);
}

// A dispatcher that is made meanwhile is either among those gathered, or its maker waits for the
// mutex in thread_made. A process that ends meanwhile waits for it in process_gone.
static s64 track_locked(struct tracking *tracking)
{
    struct monitor *monitor = tracking->monitor;

    if (monitor->ended)
        return E_INVAL;
    if (tracking->process != NULL && process_ending(tracking->process))
        return E_NOENT;
    s64 error = gather(tracking);
    if (error == 0)
        error = check_limits(tracking);
    if (error != 0)
        return error;
    u32 before = kinds_of(monitor);
    monitor->kinds |= tracking->track.kinds;
    set_points(monitor, before);
    set_owner(tracking);
    set_threads(tracking);
    return 0;
}

s64 monitors_track(struct monitor *monitor, struct process *process, u32 thread, u32 id, u64 kinds)
{
    struct tracking tracking = {
        .monitor = monitor,
        .process = process,
        .thread = thread,
        .track = {.monitor = monitor, .id = id, .kinds = (u32)kinds},
    };

    if (kinds == 0 || (kinds & ~SYS_MONITOR_KINDS_MASK) != 0)
        return E_INVAL;
    if (!memory_for_caller())
        return E_NOMEM;
    mutex_lock(&mutex);
    __atomic_store_n(&changing, true, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    s64 error = track_locked(&tracking);
    __atomic_store_n(&changing, false, __ATOMIC_RELEASE);
    while (tracking.spares != NULL)
        free_tracks(tracking.spares);
    kfree(tracking.owner);
    mutex_unlock(&mutex);
    return error;
}

// ---- threads come and go ------------------------------------------------------------------------

// Returns whether a process may have tracks, without the mutex. What the caller has done before, to
// the table of threads or to the process's state, is seen by who is about to give it some, or else
// this sees that one. The flag is read first: once it is off again the tracks are there.
static bool may_have_tracks(struct process *process)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return __atomic_load_n(&changing, __ATOMIC_ACQUIRE) ||
           __atomic_load_n(owner_place(process), __ATOMIC_RELAXED) != NULL;
}

static void track_new(const struct thread *thread, struct process *process)
{
    const struct monitor_tracks *owner = *owner_place(process);

    for (u32 i = 0; owner != NULL && i < owner->count; i++) {
        struct tracking tracking = {.monitor = owner->list[i].monitor,
                                    .process = process,
                                    .thread = thread->id,
                                    .track = owner->list[i]};
        if (add_spare(&tracking, thread->id, thread->cpu) == 0)
            set_threads(&tracking);
        while (tracking.spares != NULL)
            free_tracks(tracking.spares);
    }
}

// Adds a thread that has not run yet to the tracks of its process.
static void thread_made(const struct thread *thread, struct process *process)
{
    if (!may_have_tracks(process))
        return;
    mutex_lock(&mutex);
    track_new(thread, process);
    mutex_unlock(&mutex);
}
HANDLES_ALWAYS(thread_made, 1, thread_made);

static void gone_here(void *argument)
{
    struct thread *thread = argument;

    if (thread->tracks != NULL)
        free_tracks(thread->tracks);
    thread->tracks = NULL;
}

// Removes the tracks of a thread that has ended and has left the table of threads.
static void thread_gone(struct thread *thread)
{
    if (__atomic_load_n(&thread->tracks, __ATOMIC_RELAXED) != NULL)
        cpus_call(1UL << thread->cpu, gone_here, thread);
}
HANDLES_ALWAYS(thread_gone, 1, thread_gone);

static void process_gone(struct process *process)
{
    if (!may_have_tracks(process))
        return;
    mutex_lock(&mutex);
    if (process->tracks != NULL)
        free_tracks(process->tracks);
    process->tracks = NULL;
    mutex_unlock(&mutex);
}
PROCESS_END_HOOK(process_gone);

// ---- no longer ----------------------------------------------------------------------------------

// The tracks to remove.
struct removal {
    const struct monitor *monitor;
    bool all;
    u32 pid, thread; // else these; thread 0: all of that process
    u64 removed;
};

static bool is_meant(const struct removal *removal, const struct monitor_tracks *tracks)
{
    return removal->all || (tracks->pid == removal->pid &&
                            (removal->thread == 0 || removal->thread == tracks->thread_id));
}

static bool remove_from(struct removal *removal, struct monitor_tracks *tracks)
{
    if (!is_meant(removal, tracks) || !monitor_tracks_remove(tracks, removal->monitor))
        return false;
    atomic_add(&removal->removed, 1);
    return tracks->count == 0;
}

static void remove_here(void *argument)
{
    struct monitor_tracks *next;

    for (struct monitor_tracks *at = tracked[cpu_id()]; at != NULL; at = next) {
        next = at->next;
        monitors_library_take(at, timebase());
        bool empty = remove_from(argument, at);
        monitors_library_learns(at);
        if (!empty)
            continue;
        ((struct thread *)at->thread)->tracks = NULL;
        free_tracks(at);
    }
}

// One that is in the list has its place: the end of its process removes it (process_gone). No
// reference is taken, as giving the last one back ends a process, which takes other mutexes.
static void remove_owners(struct removal *removal)
{
    struct monitor_tracks *next;

    for (struct monitor_tracks *at = owners; at != NULL; at = next) {
        next = at->next;
        if (!remove_from(removal, at))
            continue;
        *at->place = NULL;
        free_tracks(at);
    }
}

static u64 remove_tracks(struct removal *removal)
{
    if (removal->thread == 0)
        remove_owners(removal);
    cpus_call(UINT64_MAX, remove_here, removal);
    return removal->removed;
}

s64 monitors_untrack(struct monitor *monitor, u32 pid, u32 thread)
{
    struct removal removal = {.monitor = monitor, .pid = pid, .thread = thread};

    mutex_lock(&mutex);
    s64 error = monitor->ended ? E_INVAL : remove_tracks(&removal) != 0 ? 0 : E_NOENT;
    mutex_unlock(&mutex);
    return error;
}

bool monitors_end(struct monitor *monitor)
{
    struct removal removal = {.monitor = monitor, .all = true};

    mutex_lock(&mutex);
    bool first = !monitor->ended;
    if (first) {
        run_tracks(monitor, false);
        monitor->ended = true;
        remove_tracks(&removal);
    }
    mutex_unlock(&mutex);
    return first;
}

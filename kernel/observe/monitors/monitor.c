// SPDX-License-Identifier: MIT
// Monitors: their memory, their life, and their methods.
#include "monitor.h"

#include <kernel/address_space.h>
#include <kernel/capability.h>
#include <kernel/irq.h>
#include <kernel/memory.h>
#include <kernel/percpu.h>
#include <kernel/process.h>
#include <kernel/softmask.h>
#include <kernel/timer.h>

#include "library.h"
#include "monitors.h"
#include "sensor.h"
#include "tracking.h"
#include "tracks.h"

#define COST_RECORDS 64
#define READ_MAX 65536 // bytes: limits the time of a call

// ---- memory -------------------------------------------------------------------------------------

// Returns a reference to its memory, which keeps it, or NULL if the monitor has ended.
static struct fcm *hold_memory(struct monitor *monitor)
{
    spin_lock(&monitor->lock);
    struct fcm *memory = monitor->memory;
    if (memory != NULL)
        fcm_hold(memory);
    spin_unlock(&monitor->lock);
    return memory;
}

// Frees the memory; no CPU writes into it any more.
static void drop_memory(struct monitor *monitor)
{
    spin_lock(&monitor->lock);
    struct fcm *memory = monitor->memory;
    monitor->memory = NULL;
    spin_unlock(&monitor->lock);
    if (memory != NULL)
        fcm_put(memory);
}

static bool make_memory(struct monitor *monitor, u64 bytes)
{
    u64 each = bytes / PAGE_SIZE, count = 1 + each * cpu_count;

    _Static_assert(sizeof(struct sys_monitor_position) * ORRERY_MAX_CPUS <= PAGE_SIZE, "one page");
    monitor->pages = kzalloc(count * sizeof(void *));
    if (monitor->pages == NULL)
        return false;
    monitor->memory = fcm_create_published("monitor", count, monitor->pages);
    if (monitor->memory == NULL)
        return false;
    struct sys_monitor_position *positions = monitor->pages[0];
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        monitor->reps[cpu].ring = (struct monitor_ring){
            .position = &positions[cpu],
            .pages = (struct sys_monitor_record **)&monitor->pages[1 + cpu * each],
            .records = bytes / sizeof(struct sys_monitor_record),
        };
    }
    return true;
}

// ---- life ---------------------------------------------------------------------------------------

static CO_METHOD s64 monitor_run(struct monitor_rep *self, bool on)
{
    CO_HOME(self);
    return monitors_run(monitor_of(self), on);
}

static CO_METHOD s64 monitor_track(struct monitor_rep *self, struct process *process, u32 thread,
                                   u32 id, u64 kinds)
{
    CO_HOME(self);
    return monitors_track(monitor_of(self), process, thread, id, kinds);
}

static CO_METHOD s64 monitor_untrack(struct monitor_rep *self, u32 pid, u32 thread)
{
    CO_HOME(self);
    return monitors_untrack(monitor_of(self), pid, thread);
}

static void end(struct monitor *monitor)
{
    monitors_end(monitor);
    drop_memory(monitor);
    monitors_dismiss(monitor);
}

static CO_METHOD s64 monitor_terminate(struct monitor_rep *self)
{
    CO_HOME(self);
    struct monitor *monitor = monitor_of(self);

    if (!monitors_end(monitor))
        return E_INVAL;
    end(monitor);
    return 0;
}

static void monitor_destroy(struct co_root *root)
{
    struct monitor *monitor = (struct monitor *)root;

    end(monitor);
    kfree(monitor->pages);
    kfree(monitor);
}

static s64 monitor_handle_miss(struct co_root *root, u32 cpu, struct co_rep **rep)
{
    *rep = &((struct monitor *)root)->reps[cpu].co;
    return 0;
}

void monitor_hold(struct monitor *monitor)
{
    refs_get(&monitor->refs, KIND_MONITOR);
}

// The reaper's thread lets go of the tracks: nobody may wait here.
void monitor_put(struct monitor *monitor)
{
    if (refs_put(&monitor->refs, KIND_MONITOR) != 0)
        return;
    monitors_dismiss(monitor);
    monitors_remove(monitor);
    co_destroy(monitor->root.coid);
}

// ---- reading ------------------------------------------------------------------------------------

// Does as hold_memory, for a CPU's ring; also NULL if there is no such CPU. First puts what the
// running thread there has told into the ring.
static struct fcm *hold_ring(struct monitor *monitor, u32 cpu)
{
    struct fcm *memory = cpu < cpu_count ? hold_memory(monitor) : NULL;

    if (memory != NULL && monitor->running && (monitor->kinds & SYS_MONITOR_LIBRARY) != 0)
        cpus_call(1UL << cpu, monitors_library_take_here, NULL);
    return memory;
}

// Copies one page of records to the caller, then takes them, so that none gets lost on the way.
// Returns bytes, or E_FAULT.
static s64 read_some(struct monitor_ring *ring, struct sys_monitor_record *records, u64 address,
                     u64 most)
{
    u64 count, first;

    do {
        count = monitor_ring_peek(ring, records, most, &first);
        s64 error = copy_to_user(address, records, count * sizeof(*records));
        if (error != 0)
            return error;
    } while (!monitor_ring_take(ring, first, count));
    return (s64)(count * sizeof(*records));
}

static s64 read_all(struct monitor_ring *ring, struct sys_monitor_record *records, u64 address,
                    u64 bytes)
{
    u64 done = 0;
    s64 got = 0;

    do {
        u64 room = (bytes - done) / sizeof(*records);
        u64 most = room < RING_PAGE_RECORDS ? room : RING_PAGE_RECORDS;
        got = read_some(ring, records, address + done, most);
        done += got > 0 ? (u64)got : 0;
    } while (got == PAGE_SIZE && done < READ_MAX);
    return done > 0 ? (s64)done : got;
}

static CO_METHOD s64 monitor_read(struct monitor_rep *self, u32 cpu, u64 address, u64 bytes)
{
    CO_HOME(self);
    struct monitor *monitor = monitor_of(self);
    struct fcm *memory = hold_ring(monitor, cpu);

    if (memory == NULL)
        return E_INVAL;
    void *records = kmalloc(PAGE_SIZE);
    s64 result =
        records != NULL ? read_all(&monitor->reps[cpu].ring, records, address, bytes) : E_NOMEM;
    kfree(records);
    fcm_put(memory);
    return result;
}

static CO_METHOD s64 monitor_take(struct monitor_rep *self, u32 cpu, u64 records)
{
    CO_HOME(self);
    struct monitor *monitor = monitor_of(self);
    struct fcm *memory = hold_ring(monitor, cpu);
    u64 first, unread;

    if (memory == NULL)
        return E_INVAL;
    do {
        first = monitor_ring_first(&monitor->reps[cpu].ring, &unread);
    } while (records <= unread && !monitor_ring_take(&monitor->reps[cpu].ring, first, records));
    fcm_put(memory);
    return records <= unread ? 0 : E_INVAL;
}

static CO_METHOD s64 monitor_stat(struct monitor_rep *self, u32 cpu, struct sys_monitor_stat *stat)
{
    CO_HOME(self);
    struct monitor *monitor = monitor_of(self);
    struct fcm *memory = hold_ring(monitor, cpu);

    if (memory == NULL)
        return E_INVAL;
    *stat = (struct sys_monitor_stat){
        .cpu = cpu, .cost = monitor->cost, .cost_fast = monitor->cost_fast};
    monitor_ring_stat(&monitor->reps[cpu].ring, stat);
    fcm_put(memory);
    return 0;
}

static CO_METHOD s64 monitor_map(struct monitor_rep *self)
{
    CO_HOME(self);
    struct fcm *memory = hold_memory(monitor_of(self));

    return memory != NULL ? fcm_hand_out(memory) : E_INVAL;
}

// ---- the object ---------------------------------------------------------------------------------

static CO_METHOD s64 monitor_get_num_children(struct co_rep *self)
{
    CO_HOME(self);
    return ((struct monitor *)self->root)->memory != NULL;
}

static CO_METHOD s64 monitor_get_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    struct monitor *monitor = (struct monitor *)self->root;
    u32 count = 0;

    spin_lock(&monitor->lock);
    if (monitor->memory != NULL && max > 0)
        out[count++] = fcm_coid(monitor->memory);
    spin_unlock(&monitor->lock);
    return count;
}

static const struct monitor_ops ops = {
    .base = {monitor_get_num_children, monitor_get_children},
    .run = monitor_run,
    .read = monitor_read,
    .stat = monitor_stat,
    .map = monitor_map,
    .take = monitor_take,
    .track = monitor_track,
    .untrack = monitor_untrack,
    .terminate = monitor_terminate,
};
CO_CHECK_INTERFACE(struct monitor_ops);

static struct co_class class = {
    .name = "Monitor",
    .implementation = "DistributedMonitor",
    .size = sizeof(struct monitor),
    .root_size = sizeof(struct monitor),
    .distributed = true,
    .ops = &ops.base,
    .handle_miss = monitor_handle_miss,
    .destroy = monitor_destroy,
};

// Measures the cost of records: writes some, as for a thread that only this monitor tracks, and
// drops them.
static void measure_cost(struct monitor *monitor)
{
    u8 masked = soft_mask();
    struct monitor_ring *ring = &monitor->reps[cpu_id()].ring;
    const struct monitor_track track = {.ring = ring, .kinds = 1u << SYS_MONITOR_SWITCH};
    struct monitor_tracks tracks = {.count = 0};

    monitor_tracks_set(&tracks, &track);
    for (u32 round = 0; round < 2; round++) { // the first round warms up
        ring->running = true;
        monitor->cost = monitors_measure(&tracks, COST_RECORDS);
        monitor->cost_fast = monitors_measure_fast(&tracks, COST_RECORDS);
        ring->running = false;
        monitor_ring_reset(ring);
    }
    soft_mask_restore(masked);
}

static s64 begin(struct monitor *monitor, u64 bytes)
{
    if (!make_memory(monitor, bytes))
        return E_NOMEM;
    s64 error = monitors_admit(monitor);
    if (error != 0)
        return error;
    measure_cost(monitor);
    s64 coid = co_create(&class, &monitor->root);
    return coid < 0 ? coid : 0;
}

struct monitor *monitor_create(u64 bytes, s64 *error)
{
    struct monitor *monitor = kzalloc(sizeof(*monitor));

    *error = E_NOMEM;
    if (monitor == NULL)
        return NULL;
    refs_init(&monitor->refs, KIND_MONITOR);
    spin_init(&monitor->lock, "monitor", RANK_OBJECT);
    *error = begin(monitor, bytes);
    if (*error != 0) {
        monitor_destroy(&monitor->root);
        return NULL;
    }
    monitors_add(monitor);
    return monitor;
}

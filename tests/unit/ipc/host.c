// SPDX-License-Identifier: MIT
// The kernel around kernel/ipc, for host tests;
// its locks and panics are in tests/unit/kernel/host.c.
#include "host.h"

#include <kernel/options.h>
#include <kernel/address_space.h>
#include <kernel/capability.h>
#include <kernel/irq.h>
#include <kernel/memory.h>
#include <kernel/percpu.h>
#include <kernel/points.h>
#include <kernel/process.h>
#include <kernel/spinlock.h>

#include <stdlib.h>

struct boot_options boot_options;
u32 host_cpu;
u32 cpu_count = 4;
u64 host_allocations;
u64 host_allocations_left = UINT64_MAX;
bool host_account_is_full;

void spin_init(struct spinlock *lock, const char *name, enum lock_rank rank)
{
    *lock = (struct spinlock)SPINLOCK_INIT(name, rank);
}

void happens_answer_taken(struct dispatcher *client, u32 server)
{
    (void)client;
    (void)server;
}

u32 process_pid(const struct process *process)
{
    (void)process;
    return 0;
}

u32 dispatcher_thread_id(const struct dispatcher *dispatcher)
{
    (void)dispatcher;
    return 0;
}

void *kzalloc(u64 bytes)
{
    if (host_allocations_left == 0)
        return NULL;
    host_allocations_left--;
    host_allocations++;
    return calloc(1, bytes);
}

void kfree(void *object)
{
    host_allocations -= object != NULL;
    free(object);
}

static void hold(void *object)
{
    ((struct host_object *)object)->references++;
}

static void put(void *object)
{
    ((struct host_object *)object)->references--;
}

void endpoint_hold(struct endpoint *endpoint)
{
    hold(endpoint);
}

void endpoint_put(struct endpoint *endpoint)
{
    put(endpoint);
}

void process_hold(struct process *process)
{
    hold(process);
}

void process_put(struct process *process)
{
    put(process);
}

void fcm_hold(struct fcm *fcm)
{
    hold(fcm);
}

void fcm_put(struct fcm *fcm)
{
    put(fcm);
}

s64 space_hold(struct address_space *space, struct fcm *memory)
{
    (void)space;
    if (host_account_is_full)
        return E_LIMIT;
    ((struct host_object *)memory)->accounted++;
    return 0;
}

void space_let_go(struct address_space *space, struct fcm *memory)
{
    (void)space;
    ((struct host_object *)memory)->accounted--;
}

void monitor_hold(struct monitor *monitor)
{
    hold(monitor);
}

void monitor_put(struct monitor *monitor)
{
    put(monitor);
}

struct process *dispatcher_process(struct dispatcher *dispatcher)
{
    return dispatcher->process;
}

u32 dispatcher_cpu(const struct dispatcher *dispatcher)
{
    return dispatcher->cpu;
}

struct dispatcher *dispatcher_current(void)
{
    return NULL; // nobody asks while no point is on
}

u32 dispatcher_domain(const struct dispatcher *dispatcher)
{
    (void)dispatcher;
    return 0;
}

struct ipc_dispatcher *dispatcher_ipc(struct dispatcher *dispatcher)
{
    return &dispatcher->ipc;
}

bool dispatcher_post(struct dispatcher *dispatcher, struct posted_event *event)
{
    if (dispatcher->gone)
        return false;
    dispatcher->posted = event;
    dispatcher->posted_count++;
    return true;
}

void cpus_call(u64 mask, void (*function)(void *), void *argument)
{
    u32 before = host_cpu;

    for (host_cpu = 0; host_cpu < cpu_count; host_cpu++) {
        if (mask >> host_cpu & 1)
            function(argument);
    }
    host_cpu = before;
}

// SPDX-License-Identifier: MIT
// Life of endpoints: creation, references, destruction by their process or with it.
#include "endpoint.h"

#include "call_record.h"
#include "capability_table.h"

#include <kernel/memory.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <syscalls/objects.h>
#include <trace/events.h>

#include "proc/dispatcher.h"
#include "proc/process.h"

_Static_assert(sizeof(struct endpoint_cpu) == 64, "fast_path.S");
_Static_assert(CAPABILITY_MAX == 4096 && CAPABILITY_CHUNK == 64 && CAPABILITY_TAG_ENDPOINT == 0 &&
                   sizeof(struct capability_slot) == 16,
               "fast_path.S");

// Stands where a CPU's server is not known, or dead: it never sleeps.
static struct dispatcher no_server;

static void endpoint_destroy(struct co_root *root)
{
    struct endpoint *endpoint = (struct endpoint *)root;

    KASSERT(endpoint->refs.count == 0);
    kfree(endpoint);
}

const struct endpoint_ops endpoint_ops = {CO_LEAF, endpoint_call, endpoint_send};
static struct co_class class = {
    .name = "Endpoint",
    .implementation = "EndpointShared",
    .size = sizeof(struct endpoint),
    .ops = &endpoint_ops.base,
    .destroy = endpoint_destroy,
};

void endpoint_hold(struct endpoint *endpoint)
{
    refs_get(&endpoint->refs, KIND_ENDPOINT);
}

static void unlink(struct endpoint *endpoint)
{
    *endpoint->link = endpoint->next;
    if (endpoint->next != NULL)
        endpoint->next->link = endpoint->link;
    endpoint->dead = true;
    __atomic_thread_fence(__ATOMIC_SEQ_CST); // pairs with remember_server
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        __atomic_store_n(&endpoint->cpus[cpu].server, &no_server, __ATOMIC_RELAXED);
}

// Takes an endpoint from its process. Returns false if somebody else did before.
static bool bury(struct endpoint *endpoint)
{
    if (__atomic_load_n(&endpoint->dead, __ATOMIC_ACQUIRE))
        return false;
    struct ipc_process *ipc = process_ipc(endpoint->process);
    spin_lock(&ipc->lock);
    bool alive = !endpoint->dead;
    if (alive) {
        unlink(endpoint);
        ipc->endpoint_count--;
    }
    spin_unlock(&ipc->lock);
    return alive;
}

void endpoint_put(struct endpoint *endpoint)
{
    if (refs_put(&endpoint->refs, KIND_ENDPOINT) != 0)
        return;
    bury(endpoint);
    co_destroy(endpoint->root.coid);
}

// Inserts an endpoint into its process's list. E_LIMIT; E_PEER: the process ends.
static s64 insert(struct ipc_process *ipc, struct endpoint *endpoint)
{
    spin_lock(&ipc->lock);
    s64 error = ipc->ended ? E_PEER : ipc->endpoint_count >= ENDPOINT_MAX ? E_LIMIT : 0;
    if (error == 0) {
        endpoint->next = ipc->endpoints;
        endpoint->link = &ipc->endpoints;
        if (endpoint->next != NULL)
            endpoint->next->link = &endpoint->next;
        ipc->endpoints = endpoint;
        ipc->endpoint_count++;
        ipc->served = true;
    }
    spin_unlock(&ipc->lock);
    return error;
}

// Makes an endpoint with one reference, not yet in any list.
static struct endpoint *endpoint_make(struct process *process, u64 badge)
{
    struct endpoint *endpoint = kzalloc(sizeof(*endpoint));

    if (endpoint == NULL)
        return NULL;
    endpoint->cpu = cpu_id();
    endpoint->process = process;
    endpoint->badge = badge;
    refs_init(&endpoint->refs, KIND_ENDPOINT);
    endpoint->dead = true;
    s64 coid = co_create_shared(&class, &endpoint->root, &endpoint->rep.co);
    if (coid < 0) {
        kfree(endpoint);
        return NULL;
    }
    trace_ipc_endpoint((u64)coid, process_pid(process));
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        endpoint->cpus[cpu] =
            (struct endpoint_cpu){.server = &no_server, .badge = badge, .coid = (coid_t)coid};
    return endpoint;
}

s64 sys_endpoint_create(u64 badge)
{
    struct process *process = process_current();
    struct endpoint *endpoint = memory_for_caller() ? endpoint_make(process, badge) : NULL;

    if (endpoint == NULL)
        return E_NOMEM;
    HELD(capability)
    struct capability capability = {.type = CAPABILITY_ENDPOINT, .object = endpoint};
    endpoint->dead = false;
    s64 error = insert(process_ipc(process), endpoint);
    if (error == 0)
        return capability_add(process_capabilities(process), &capability);
    endpoint->dead = true;
    return error;
}

// What a dead endpoint says of its process must not be believed.
bool endpoint_is_of(const struct endpoint *endpoint, const struct process *process)
{
    return !__atomic_load_n(&endpoint->dead, __ATOMIC_ACQUIRE) && endpoint->process == process;
}

s64 call_endpoint_destroy(struct endpoint *endpoint)
{
    if (!bury(endpoint))
        return E_PEER; // another thread was first
    calls_end(&(struct calls_ending){.endpoint = endpoint->root.coid}, ALL_CPUS);
    return 0;
}

s64 sys_cap_drop(cap_t cap)
{
    return capability_remove(process_capabilities(process_current()), cap);
}

s64 sys_cap_copy(cap_t cap)
{
    struct capability_table *table = process_capabilities(process_current());
    s64 error;
    HELD(capability) struct capability capability = capability_get(table, cap, &error);

    return error != 0 ? error : capability_add(table, &capability);
}

// Remembers a server for the fast path, which does not look whether the endpoint is dead. So an
// endpoint that dies meanwhile must forget it.
static void remember_server(struct endpoint *endpoint, struct dispatcher *dispatcher)
{
    struct dispatcher **server = &endpoint->cpus[cpu_id()].server;

    __atomic_store_n(server, dispatcher, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&endpoint->dead, __ATOMIC_RELAXED))
        __atomic_store_n(server, &no_server, __ATOMIC_RELAXED);
}

// Returns the process's dispatcher on a CPU, if its place has that; else NULL.
static struct dispatcher *allowed_dispatcher(struct process *process, u32 cpu)
{
    return placement_allows(process, cpu) ? process_dispatcher(process, cpu) : NULL;
}

struct dispatcher *endpoint_dispatcher(struct endpoint *endpoint)
{
    struct endpoint_cpu *here = &endpoint->cpus[cpu_id()];
    struct process *process = endpoint->process;
    struct dispatcher *dispatcher = here->server;

    if (dispatcher != &no_server)
        return dispatcher;
    dispatcher = allowed_dispatcher(process, cpu_id());
    if (dispatcher != NULL)
        remember_server(endpoint, dispatcher);
    else
        dispatcher = allowed_dispatcher(process, endpoint->cpu);
    for (u32 cpu = 0; dispatcher == NULL && cpu < cpu_count; cpu++)
        dispatcher = allowed_dispatcher(process, cpu);
    return dispatcher != NULL ? dispatcher : process_any_dispatcher(process);
}

// Under the lock no endpoint of the list dies. What this CPU remembers, it alone stores, but for an
// endpoint's end.
void ipc_invalidate_servers(struct process *process)
{
    struct ipc_process *ipc = process_ipc(process);

    spin_lock(&ipc->lock);
    for (struct endpoint *endpoint = ipc->endpoints; endpoint != NULL; endpoint = endpoint->next)
        __atomic_store_n(&endpoint->cpus[cpu_id()].server, &no_server, __ATOMIC_RELAXED);
    spin_unlock(&ipc->lock);
}

void ipc_process_init(struct ipc_process *ipc)
{
    *ipc = (struct ipc_process){.endpoints = NULL};
    spin_init(&ipc->lock, "process ipc", RANK_OBJECT);
}

u32 ipc_endpoint_coids(struct process *process, coid_t *out, u32 max)
{
    struct ipc_process *ipc = process_ipc(process);
    u32 count = 0;

    spin_lock(&ipc->lock);
    if (out == NULL)
        count = ipc->endpoint_count;
    for (struct endpoint *e = ipc->endpoints; out != NULL && e != NULL && count < max; e = e->next)
        out[count++] = e->root.coid;
    spin_unlock(&ipc->lock);
    return count;
}

// Returns the CPUs that may have calls that concern the process.
static u64 cpus_of(struct process *process, bool served)
{
    u64 mask = served ? ALL_CPUS : 0;

    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        struct dispatcher *dispatcher = process_dispatcher(process, cpu);
        if (dispatcher != NULL && ipc_calls(dispatcher_ipc(dispatcher)) != 0)
            mask |= 1UL << cpu;
    }
    return mask;
}

void ipc_process_ends(struct process *process)
{
    struct ipc_process *ipc = process_ipc(process);

    spin_lock(&ipc->lock);
    ipc->ended = true;
    while (ipc->endpoints != NULL)
        unlink(ipc->endpoints);
    ipc->endpoint_count = 0;
    bool served = ipc->served;
    spin_unlock(&ipc->lock);
    calls_end(&(struct calls_ending){.process = process}, cpus_of(process, served));
}

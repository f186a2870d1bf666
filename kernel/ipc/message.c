// SPDX-License-Identifier: MIT
// Asynchronous messages: six words into the queue of a dispatcher of the endpoint's process.
#include "capability_table.h"
#include "endpoint.h"

#include <kernel/memory.h>
#include <kernel/percpu.h>
#include <kernel/points.h>
#include <kernel/softmask.h>
#include <orrery/errors.h>
#include <string.h>
#include <trace/events.h>

#include "proc/dispatcher.h"

struct queued_message {
    struct posted_event posted;
    struct endpoint *endpoint; // with a reference
    u32 domain;                // the sender's
};

static void message_taken(struct posted_event *event, bool delivered)
{
    struct queued_message *queued = (struct queued_message *)event;

    u32 sender = queued->domain;

    atomic_add(&queued->endpoint->queued, -1UL);
    endpoint_put(queued->endpoint);
    kfree(queued);
    HAPPENS_IF(delivered, message_taken, sender);
}

// Returns where a message goes: cpu's dispatcher, or with -1 the endpoint's. NULL and an error.
static struct dispatcher *receiver(struct endpoint *endpoint, u64 cpu, s64 *error)
{
    if (cpu == UINT64_MAX)
        cpu = endpoint->cpu;
    *error = E_INVAL;
    if (cpu >= cpu_count)
        return NULL;
    struct dispatcher *dispatcher = process_dispatcher(endpoint->process, (u32)cpu);
    *error = E_PEER;
    return dispatcher != NULL ? dispatcher : endpoint_dispatcher(endpoint);
}

static s64 post(struct endpoint *endpoint, struct dispatcher *to, const struct event *event,
                u32 domain)
{
    struct queued_message *queued = kmalloc(sizeof(*queued));

    if (queued == NULL)
        return E_NOMEM;
    queued->posted = (struct posted_event){.taken = message_taken, .event = *event};
    queued->endpoint = endpoint;
    queued->domain = domain;
    endpoint_hold(endpoint);
    if (dispatcher_post(to, &queued->posted))
        return 0;
    endpoint_put(endpoint);
    kfree(queued);
    return E_PEER;
}

CO_METHOD s64 endpoint_send(struct endpoint_rep *self, u64 pid, u64 badge, u64 cpu,
                            const u64 *words)
{
    CO_HOME(self);
    struct endpoint *endpoint = endpoint_of(self);
    struct event event = {.type = EVENT_MESSAGE, .id = pid, .badge = badge};
    s64 error;

    if (endpoint->dead || process_ending(endpoint->process))
        return E_PEER;
    struct dispatcher *to = receiver(endpoint, cpu, &error);
    if (to == NULL)
        return error;
    if (atomic_add(&endpoint->queued, 1) >= ENDPOINT_MESSAGE_MAX) {
        atomic_add(&endpoint->queued, -1UL);
        return E_AGAIN;
    }
    memcpy(event.words, words, sizeof(event.words));
    // 0 is the kernel, whoever runs.
    u32 sender = pid != 0 ? dispatcher_domain(dispatcher_current()) : 0;
    error = post(endpoint, to, &event, sender);
    if (error != 0)
        atomic_add(&endpoint->queued, -1UL);
    else
        endpoint->cpus[cpu_id()].messages++;
    trace_ipc_send(endpoint->root.coid, pid, to->cpu, error);
    HAPPENS_IF(error == 0, message_sent, sender, to);
    return error;
}

// Sends a message. Soft-masked.
static s64 send(struct endpoint *endpoint, u64 pid, u64 badge, u64 cpu, const u64 *words)
{
    s64 result = CO_CALL(struct endpoint_rep, endpoint->root.coid, send, pid, badge, cpu, words);

    return result == E_STALE ? E_PEER : result;
}

s64 ipc_send(struct dispatcher *self, const struct event *registers)
{
    struct process *process = dispatcher_process(self);
    u8 masked = soft_mask();
    struct endpoint *endpoint = capability_endpoint(process_capabilities(process), registers->type);
    s64 result = E_NOENT;

    if (endpoint != NULL)
        result =
            send(endpoint, process_pid(process), endpoint->badge, registers->id, registers->words);
    soft_mask_restore(masked);
    return result;
}

s64 ipc_send_from_kernel(struct endpoint *endpoint, u64 badge, const u64 words[MESSAGE_WORDS])
{
    u8 masked = soft_mask();
    s64 result = send(endpoint, 0, badge, UINT64_MAX, words);

    soft_mask_restore(masked);
    return result;
}

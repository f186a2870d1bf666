// SPDX-License-Identifier: MIT
// Calls and replies, the complete path in C. In the common case the other side sleeps on this CPU:
// it gets the message directly, and the CPU with it. Everything else goes through the receiver's
// queue of events.
#include "call_record.h"
#include "capability_table.h"
#include "endpoint.h"
#include "message_info.h"

#include <kernel/irq.h>
#include <kernel/memory.h>
#include <kernel/percpu.h>
#include <kernel/points.h>
#include <kernel/softmask.h>
#include <orrery/errors.h>
#include <orrery/log.h>
#include <string.h>
#include <trace/events.h>
#include <trace/reasons.h>

#include "proc/dispatcher.h"

// ---- delivery of calls -------------------------------------------------------------------------

// A call in the queue of a server's dispatcher.
struct queued_call {
    struct posted_event posted;
    u32 domain; // the client's
    u8 bulk[];
};

static void call_taken(struct posted_event *event, bool delivered)
{
    struct queued_call *queued = (struct queued_call *)event;

    // Not delivered: the server ends, and with it the call (ipc_process_ends).
    if (delivered) {
        trace_ipc_take(event->event.id);
        HAPPENS(call_taken, dispatcher_current(), queued->domain, event->event.id);
    }
    kfree(queued);
}

// Queues a call for its server. Returns CALL_QUEUED, E_NOMEM or E_PEER.
static s64 queue_call(struct call_start *start, const struct event *event, u64 bytes)
{
    struct queued_call *queued = kmalloc(sizeof(*queued) + bytes);

    if (queued == NULL)
        return E_NOMEM;
    queued->posted = (struct posted_event){.taken = call_taken, .event = *event};
    queued->domain = dispatcher_domain(start->client);
    if (bytes != 0) {
        memcpy(queued->bulk, dispatcher_message(start->client), bytes);
        queued->posted.bulk = queued->bulk;
    }
    if (dispatcher_post(start->target, &queued->posted))
        return CALL_QUEUED;
    kfree(queued);
    return E_PEER;
}

static s64 deliver_call(struct call_start *start, struct call_record *record,
                        const struct event *event, u64 bytes)
{
    if (start->target == start->client && !start->client->has_events) {
        *start->registers = *event; // its bulk is where it has to be
        return CALL_TO_SELF;
    }
    // A server that is in a call itself still owes a client the CPU (ipc_before_sleep): one at a
    // time.
    if (dispatcher_cpu(start->target) != cpu_id() || start->target->waiting == DISPATCHER_CALLS ||
        !dispatcher_hand(start->target, event, false))
        return queue_call(start, event, bytes);
    memcpy(dispatcher_message(start->target), dispatcher_message(start->client), bytes);
    struct ipc_dispatcher *server = dispatcher_ipc(start->target);
    bool own = (record->word & CALL_OWN) != 0;
    server->handed = own ? record : &no_call;
    server->handed_other = own ? &no_call : record;
    return CALL_HANDED;
}

static s64 send_call(struct endpoint *endpoint, struct call_start *start,
                     struct call_record *record)
{
    s64 info = message_give(endpoint->process, &start->message);

    if (info < 0)
        return info;
    u64 type = EVENT_CALL_OF(start->client->pid);
    struct event event = {
        .type = type, .id = start->call, .badge = endpoint->badge, .info = (u64)info};
    memcpy(event.words, start->registers->words, sizeof(event.words));
    s64 result = deliver_call(start, record, &event, start->message.bytes);
    if (result < 0) {
        message_take_back(endpoint->process, (u64)info);
    } else {
        trace_ipc_call(endpoint->root.coid, start->call, process_pid(endpoint->process),
                       start->message.bytes, result == CALL_HANDED, event.words[0]);
        HAPPENS(call_made, start->client, start->target, start->call);
        // The server takes a handed one at once.
        HAPPENS_IF(result == CALL_HANDED, call_taken, start->target,
                   dispatcher_domain(start->client), start->call);
    }
    return result;
}

CO_METHOD s64 endpoint_call(struct endpoint_rep *self, struct call_start *start)
{
    CO_HOME(self);
    struct endpoint *endpoint = endpoint_of(self);

    if (endpoint->dead || process_ending(endpoint->process))
        return E_PEER;
    start->target = endpoint_dispatcher(endpoint);
    if (start->target == NULL)
        return E_PEER;
    if (dispatcher_ipc(start->client)->outstanding >= CALL_OUTSTANDING)
        return E_LIMIT;
    struct call_record *record =
        call_new(start->client, start->target, endpoint->root.coid, start->token, &start->call);
    if (record == NULL)
        return E_NOMEM;
    endpoint->cpus[cpu_id()].calls++;
    s64 result = send_call(endpoint, start, record);
    if (result < 0)
        call_cancel(record);
    return result;
}

// ---- SYS_CALL ----------------------------------------------------------------------------------

static struct event reply_event(u64 token, s64 status)
{
    return (struct event){.type = EVENT_REPLY, .id = token, .badge = (u64)status};
}

// Decodes the endpoint and the message that registers speak of. E_NOENT, E_INVAL. Soft-masked.
static s64 decode_call(struct dispatcher *self, struct event *registers, struct endpoint **endpoint,
                       struct call_start *start)
{
    struct process *process = dispatcher_process(self);

    *start = (struct call_start){.client = self, .token = registers->id, .registers = registers};
    *endpoint = capability_endpoint(process_capabilities(process), registers->type);
    if (*endpoint == NULL)
        return E_NOENT;
    if ((registers->badge & ~(u64)CALL_ALONE) != 0)
        return E_INVAL;
    return message_decode(process, registers->info, &start->message);
}

// Gets the event that SYS_CALL returns, once the call is under way. Soft-masked.
static void after_call(const struct call_start *start, s64 how, bool alone, struct event *event)
{
    struct dispatcher *self = start->client;

    if (how == CALL_HANDED)
        dispatcher_switch(self, start->target, true, event);
    else if (how == CALL_QUEUED && alone)
        dispatcher_wait(self, event, REASON_ANSWER);
    else if (how == CALL_QUEUED && !dispatcher_poll(self, event))
        *event = (struct event){.type = EVENT_NONE};
}

void ipc_call(struct dispatcher *self, struct event *registers)
{
    struct endpoint *endpoint;
    struct call_start start;
    bool alone = (registers->badge & CALL_ALONE) != 0;
    u8 masked = soft_mask();
    s64 result = decode_call(self, registers, &endpoint, &start);

    dispatcher_ipc(self)->alone = registers->badge;
    if (result == 0) {
        result = CO_CALL(struct endpoint_rep, endpoint->root.coid, call, &start);
        message_drop(&start.message);
    }
    if (result < 0)
        *registers = reply_event(start.token, result == E_STALE ? E_PEER : result);
    else
        after_call(&start, result, alone, registers);
    soft_mask_restore(masked);
}

// ---- replies -----------------------------------------------------------------------------------

// Puts the answer to a call into the queue of its client.
static s64 queue_reply(struct dispatcher *self, struct call_record *record, struct event *event,
                       u64 bytes)
{
    record->bulk = bytes != 0 ? kmalloc(bytes) : NULL;
    record->domain = dispatcher_domain(self);
    if (bytes != 0 && record->bulk == NULL) {
        message_take_back(dispatcher_process(record->client), event->info);
        *event = reply_event(record->token, E_NOMEM);
    } else if (bytes != 0)
        memcpy(record->bulk, dispatcher_message(self), bytes);
    record->reply.event = *event;
    return call_post_reply(record);
}

// Sends the answer to its client. *resumed, if set: the client that got the answer directly and is
// to run next (only with hand_over), or self, if the answer is to be the next event of self.
static s64 deliver_reply(struct dispatcher *self, struct call_record *record, struct event *event,
                         u64 bytes, bool hand_over, struct dispatcher **resumed)
{
    struct dispatcher *client = record->client;

    if (client == self && hand_over && !self->has_events) {
        call_answered(record);
        *resumed = self;
        return 0;
    }
    if (call_cpu(record->word) != cpu_id() || !dispatcher_hand(client, event, !hand_over))
        return queue_reply(self, record, event, bytes);
    memcpy(dispatcher_message(client), dispatcher_message(self), bytes);
    call_answered(record);
    if (hand_over)
        *resumed = client;
    HAPPENS(answer_taken, client, dispatcher_domain(self));
    return 0;
}

// Tells that self has answered a call. On the CPU of self.
static void tell_answer(struct dispatcher *self, u64 call)
{
    HAPPENS(answered, self, dispatcher_ipc(self)->answered, call);
}

// Sends the answer, once the record belongs to us. Takes the message over.
static s64 answer(struct dispatcher *self, struct call_record *record, struct event *registers,
                  struct message *message, bool hand_over, struct dispatcher **resumed)
{
    struct event event = *registers;
    s64 info = message_give(dispatcher_process(record->client), message);

    event.type = EVENT_REPLY;
    event.id = record->token;
    event.info = (u64)info;
    if (info < 0)
        event = reply_event(record->token, info);
    trace_ipc_reply(registers->id, (s64)registers->badge, message->bytes);
    dispatcher_ipc(self)->answered = dispatcher_domain(record->client);
    if (dispatcher_cpu(self) == cpu_id())
        tell_answer(self, registers->id);
    if (dispatcher_ipc(self)->handed_other == record)
        dispatcher_ipc(self)->handed_other = &no_call;
    s64 error =
        deliver_reply(self, record, &event, info < 0 ? 0 : message->bytes, hand_over, resumed);
    if (*resumed == self)
        *registers = event;
    return error;
}

// Answers a call. Soft-masked; the id's record can be claimed on this CPU.
static s64 reply(struct dispatcher *self, struct event *registers, bool hand_over,
                 struct dispatcher **resumed)
{
    struct process *process = dispatcher_process(self);
    struct message message;

    *resumed = NULL;
    s64 error = message_decode(process, registers->info, &message);

    if (error != 0)
        return error;
    struct call_record *record = call_claim(registers->id, process, &error);
    if (record != NULL)
        error = answer(self, record, registers, &message, hand_over, resumed);
    message_drop(&message);
    return error;
}

// A dispatcher's own record is changed on its CPU alone, so the answer is carried there.
struct carried_reply {
    struct dispatcher *self;
    struct event *registers;
    s64 result;
};

static void reply_there(void *argument)
{
    struct carried_reply *carried = argument;
    struct dispatcher *resumed;

    carried->result = reply(carried->self, carried->registers, false, &resumed);
}

static s64 carry_reply(struct dispatcher *self, struct event *registers)
{
    u64 call = registers->id;
    u32 cpu = call_cpu(call);
    struct carried_reply carried = {.self = self, .registers = registers, .result = E_NOENT};

    dispatcher_ipc(self)->answered = LOG_DOMAINS; // none
    if (cpu < cpu_count)
        cpus_call(1UL << cpu, reply_there, &carried);
    if (dispatcher_ipc(self)->answered < LOG_DOMAINS)
        tell_answer(self, call);
    return carried.result;
}

s64 ipc_reply(struct dispatcher *self, struct event *registers)
{
    struct dispatcher *resumed;

    if (call_needs_cpu(registers->id, cpu_id()))
        return carry_reply(self, registers);
    u8 masked = soft_mask();
    s64 result = reply(self, registers, false, &resumed);
    soft_mask_restore(masked);
    return result;
}

void ipc_reply_wait(struct dispatcher *self, struct event *registers)
{
    struct dispatcher *resumed = NULL;
    bool carry = call_needs_cpu(registers->id, cpu_id());

    if (carry)
        carry_reply(self, registers);
    u8 masked = soft_mask();
    if (!carry)
        reply(self, registers, true, &resumed);
    if (resumed == self) {
        // The answer was for another thread of its own, and is in the registers.
    } else if (resumed != NULL) {
        ipc_before_sleep(self);
        dispatcher_switch(self, resumed, false, registers);
    } else {
        dispatcher_wait(self, registers, REASON_EVENT);
    }
    soft_mask_restore(masked);
}

// ---- borrowed CPUs -----------------------------------------------------------------------------

// Returns the pending call with which self got the CPU last, or no_call. It is no longer noted.
static const struct call_record *take_handed(struct dispatcher *self)
{
    struct ipc_dispatcher *ipc = dispatcher_ipc(self);
    const struct call_record *record =
        call_is_pending(ipc->handed) ? ipc->handed : ipc->handed_other;

    ipc->handed = ipc->handed_other = &no_call;
    return call_is_pending(record) && record->server == self ? record : &no_call;
}

// Gives a borrowed CPU back. A client that handed its CPU over gets it for its other threads, with
// EVENT_NONE. A client that has no other threads (CALL_ALONE) sleeps on; then the CPU goes to
// whoever had handed it to that client.
void ipc_before_sleep(struct dispatcher *self)
{
    const struct event none = {.type = EVENT_NONE};

    for (;;) {
        const struct call_record *record = take_handed(self);
        if (record == &no_call)
            return;
        if ((dispatcher_ipc(record->client)->alone & CALL_ALONE) == 0) {
            dispatcher_hand(record->client, &none, true);
            return;
        }
        self = record->client;
    }
}

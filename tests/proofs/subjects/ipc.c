// SPDX-License-Identifier: MIT
// Calls, replies and messages between processes: what registers say is decoded, what goes along is
// given or comes back, and each call is answered once, or ends with its client, its server or its
// endpoint.
//
// bounds: one call and its reply or end; of the ways through tables, queues and hand-over each
//   two with each other; any registers; any call id; one message
// proves: references and memory balanced, calls that wait counted, records free again, their ids
//   gone, nothing stays masked
// seconds: 20
// quick: yes
// eva: -eva-slevel 100000 -eva-split-return full -eva-min-loop-unroll 64
#include "model/machine.h"
#include "model/locks.h"
#include "model/panic.h"
#include "model/proof.h"

#include <kernel/options.h>
#include <co/object.h>

// Methods are called straight, their objects found or gone.
#undef CO_HOME
#undef CO_METHOD
#undef CO_CALL
#define CO_HOME(self) ((void)(self))
#define CO_METHOD
#define CO_CALL(type, coid, method, ...)                                                           \
    (way.stale ? E_STALE : endpoint_##method(&the_endpoint.rep, __VA_ARGS__))

// What other CPUs write is what a way says.
#define volatile
#include "proc/dispatcher.h"
#undef volatile

// What goes which way, chosen before: each two are tried with each other.
static struct {
    bool stale, dead, no_server, no_memory, no_place, gone, hands, to_self, slow, with_capability;
    u32 bytes; // of messages
} way;

struct endpoint;
static struct endpoint the_endpoint;

#include "ipc/call_record.c"
#include "ipc/message_info.c"
#include "ipc/call.c"
#include "ipc/message.c"

struct boot_options boot_options;

// ---- processes, their dispatchers and tables ---------------------------------------------------

#define CLIENT ((struct process *)0x200000UL)
#define SERVER ((struct process *)0x200100UL)

static struct dispatcher the_client, the_server;
static struct capability_table the_table; // of both
static struct capability_slot the_slots[CAPABILITY_CHUNK], free_slots[CAPABILITY_CHUNK];
static u8 client_message[MESSAGE_BYTES], server_message[MESSAGE_BYTES];

struct process *dispatcher_process(struct dispatcher *dispatcher)
{
    return dispatcher->process;
}

struct ipc_dispatcher *dispatcher_ipc(struct dispatcher *dispatcher)
{
    return &dispatcher->ipc;
}

u32 dispatcher_cpu(const struct dispatcher *dispatcher)
{
    return dispatcher->cpu;
}

void *dispatcher_message(struct dispatcher *dispatcher)
{
    return dispatcher->message;
}

u32 process_pid(const struct process *process)
{
    return process == CLIENT ? 1 : 2;
}

bool process_ending(const struct process *process)
{
    (void)process;
    return way.dead;
}

struct capability_table *process_capabilities(struct process *process)
{
    (void)process;
    return &the_table;
}

static struct dispatcher *server_dispatcher(void)
{
    return way.no_server ? NULL : way.to_self ? &the_client : &the_server;
}

struct dispatcher *endpoint_dispatcher(struct endpoint *endpoint)
{
    (void)endpoint;
    return server_dispatcher();
}

struct dispatcher *process_dispatcher(struct process *process, u32 cpu)
{
    (void)process;
    //@ check is_a_cpu: cpu < 2;
    return cpu == 0 ? server_dispatcher() : NULL;
}

// ---- what is held: what goes along, and the endpoint -------------------------------------------

#define CARRIED ((void *)0x100000UL) // it is never looked into
static s64 carried_held, endpoint_held;
static s64 slots_given; // to receivers

void endpoint_hold(struct endpoint *endpoint)
{
    //@ check is_held: endpoint == &the_endpoint && endpoint_held > 0;
    endpoint_held++;
}

void endpoint_put(struct endpoint *endpoint)
{
    //@ check is_held: endpoint == &the_endpoint && endpoint_held > 1;
    endpoint_held--;
}

// As subjects/capability.c has proved of the table.

struct capability capability_get(struct capability_table *table, cap_t cap, s64 *error)
{
    (void)table;
    *error = way.with_capability ? 0 : E_NOENT;
    if (*error != 0)
        return (struct capability){.type = CAPABILITY_NONE};
    carried_held++;
    return (struct capability){.type = CAPABILITY_MEMORY, .object = CARRIED};
}

s64 capability_add(struct capability_table *table, struct capability *capability)
{
    (void)table;
    //@ check has_a_reference: capability->object == (void *)0x100000 && carried_held > 1;
    if (way.no_place)
        return E_LIMIT;
    *capability = (struct capability){.type = CAPABILITY_NONE};
    slots_given++;
    return ANY_S64(CAP_FIRST_FREE, CAPABILITY_MAX - 1);
}

s64 capability_remove(struct capability_table *table, cap_t cap)
{
    (void)table;
    //@ check was_given: slots_given > 0 && cap >= 1;
    slots_given--;
    carried_held--;
    return 0;
}

void capability_release(struct capability *capability)
{
    if (capability->type != CAPABILITY_NONE) {
        //@ check is_held: capability->object == (void *)0x100000 && carried_held > 1;
        carried_held--;
    }
    *capability = (struct capability){.type = CAPABILITY_NONE};
}

// ---- memory ------------------------------------------------------------------------------------

static struct call_record the_records[CALL_CHUNK];
static u8 block[2][sizeof(struct queued_call) + MESSAGE_BYTES];
static bool block_used[2];
static u64 block_at[2]; // where it begins: it ends where its memory does

void *kzalloc(u64 bytes)
{
    //@ check of_known_size: bytes == sizeof(the_records);
    if (way.no_memory)
        return NULL;
    memset(the_records, 0, sizeof(the_records));
    return the_records;
}

void *kmalloc(u64 bytes)
{
    u32 i = block_used[0] ? 1 : 0;

    //@ check enough: bytes <= sizeof(block[0]) && !block_used[i];
    if (way.no_memory)
        return NULL;
    block_used[i] = true;
    block_at[i] = sizeof(block[0]) - bytes;
    return &block[i][block_at[i]];
}

void kfree(void *memory)
{
    if (memory == NULL)
        return;
    u32 i = memory == &block[0][block_at[0]] ? 0 : 1;
    //@ check freed_once: memory == &block[i][block_at[i]] && block_used[i] == 1;
    block_used[i] = false;
}

// ---- queues ------------------------------------------------------------------------------------

static struct posted_event *queued;
static struct dispatcher *queued_at;
static u64 waits; // of dispatchers for events
static struct dispatcher *handed_to;

struct dispatcher *dispatcher_current(void)
{
    return percpu_r13->dispatcher;
}

// Only the logs, which are off, look at it.
u32 dispatcher_domain(const struct dispatcher *dispatcher)
{
    (void)dispatcher;
    return 0;
}

bool dispatcher_post(struct dispatcher *dispatcher, struct posted_event *event)
{
    //@ check one_at_a_time: queued == \null;
    if (way.gone)
        return false;
    queued = event;
    queued_at = dispatcher;
    return true;
}

bool dispatcher_hand(struct dispatcher *to, const struct event *event, bool ready)
{
    (void)event;
    (void)ready;
    if (!way.hands || way.to_self) // nobody who runs sleeps
        return false;
    handed_to = to;
    return true;
}

void dispatcher_wait(struct dispatcher *self, struct event *event, u32 reason)
{
    (void)self;
    (void)reason;
    waits++;
    *event = (struct event){.type = EVENT_NONE};
}

bool dispatcher_poll(struct dispatcher *self, struct event *event)
{
    (void)self;
    (void)event;
    return false;
}

void dispatcher_switch(struct dispatcher *self, struct dispatcher *to, bool in_call,
                       struct event *event)
{
    (void)in_call;
    //@ check only_who_was_handed_it: to == handed_to;
    dispatcher_wait(self, event, REASON_ANSWER);
}

// What waits in a queue is delivered, or given back: its bytes are there.
static void take_queued(bool delivered)
{
    struct posted_event *event = queued;

    if (event == NULL)
        return;
    queued = NULL;
    u64 bytes = event->event.info & 0xffff;
    const u8 *bulk = event->bulk;
    if (delivered && bulk != NULL) {
        //@ check bytes_are_there: bytes == 0 || \valid_read(bulk + (0 .. bytes - 1));
    }
    event->taken(event, delivered);
}

// ---- each way from the beginning ---------------------------------------------------------------

static void begin_dispatcher(struct dispatcher *dispatcher, struct process *process, void *message)
{
    dispatcher->process = process;
    dispatcher->message = message;
    dispatcher->cpu = 0;
    dispatcher->pid = process == CLIENT ? 1 : 2;
    dispatcher->state = 0;
    dispatcher->has_events = way.to_self && way.hands;
    dispatcher->ipc = (struct ipc_dispatcher){0};
    ipc_dispatcher_init(&dispatcher->ipc);
}

static void begin(void)
{
    run_on(0);
    begin_dispatcher(&the_client, CLIENT, client_message);
    begin_dispatcher(&the_server, way.to_self ? CLIENT : SERVER, server_message);
    memset(&tables[0], 0, sizeof(tables[0].free) + sizeof(tables[0].count));
    tables[0].chunks[0] = NULL;
    tables[0].returned = NULL;
    memset(the_records, 0, sizeof(the_records));
    the_slots[1].word = (u64)&the_endpoint;
    the_slots[2].word = CAPABILITY_FREE;
    the_endpoint.root.coid = 0x4000;
    the_endpoint.rep.co.root = &the_endpoint.root;
    the_endpoint.process = way.to_self ? CLIENT : SERVER;
    the_endpoint.dead = way.dead;
    the_endpoint.queued = 0;
    the_endpoint.cpu = 0;
    the_endpoint.cpus[0].calls = the_endpoint.cpus[0].messages = 0;
    carried_held = endpoint_held = 1;
    slots_given = 0;
    block_used[0] = block_used[1] = false;
    block_at[0] = block_at[1] = sizeof(block[0]);
    queued = NULL;
    handed_to = NULL;
    waits = 0;
    boot_options.ipc_slow = way.slow;
    no_call =
        (struct call_record){.word = CALL_ANSWERED, .client = (struct dispatcher *)never_asleep};
}

static void check_balance(void)
{
    //@ check references_balanced: carried_held == 1 + slots_given && endpoint_held == 1;
    //@ check memory_balanced: block_used[0] == 0 && block_used[1] == 0;
    nothing_is_masked();
    no_lock_is_held();
}

// ---- calls -------------------------------------------------------------------------------------

static struct event registers_of_call(cap_t cap)
{
    return (struct event){.type = cap,
                          .id = ANY_U64(0, UINT64_MAX),
                          .info = MESSAGE_INFO(way.bytes, way.with_capability ? 3 : 0)};
}

// The call that waits, or NULL.
static struct call_record *pending(void)
{
    if (the_client.ipc.own != &no_call && call_is_pending(the_client.ipc.own))
        return the_client.ipc.own;
    if (the_records[CALL_CHUNK - 1].client == &the_client &&
        call_is_pending(&the_records[CALL_CHUNK - 1]))
        return &the_records[CALL_CHUNK - 1];
    return NULL;
}

static struct call_record *call(void)
{
    struct event registers = registers_of_call(1);

    ipc_call(&the_client, &registers);
    take_queued(true);
    check_balance();
    struct call_record *record = pending();
    if (record == NULL) {
        //@ check reached_refused_call: \false;
        //@ check nothing_is_left_with_the_receiver: slots_given == 0;
        //@ check nothing_waits: the_client.ipc.outstanding == 0;
    } else {
        //@ check reached_pending_call: \false;
        /*@ check calls_that_wait: the_client.ipc.outstanding ==
            (record->word / 0x1000000000000000 % 2 == 1 ? 0 : 1); */
    }
    return record;
}

// By reply, or reply and wait. The record is free afterwards, and its id gone.
static void reply_to(struct call_record *record, bool wait, bool delivered)
{
    u64 id = record->word;
    struct event registers = {.id = id,
                              .info = MESSAGE_INFO(way.bytes, way.with_capability ? 3 : 0)};
    struct dispatcher *server = way.to_self ? &the_client : &the_server;

    if (wait)
        ipc_reply_wait(server, &registers);
    else
        ipc_reply(server, &registers);
    take_queued(delivered);
    check_balance();
    u64 word = record->word;
    //@ check free_again: word % 4 == 0 && word != id;
    if (delivered && !way.gone) { // else the client has ended, and its count with it
        //@ check nothing_waits: the_client.ipc.outstanding == 0;
    }
    registers = (struct event){.id = id};
    s64 again = ipc_reply(server, &registers);
    //@ check answered_once: again == -3;
    //@ check reached_answered: \false;
}

// The end of the client or of the server, or of an endpoint, while a call waits.
static void end(struct call_record *record, struct process *process, bool delivered)
{
    struct calls_ending ending = {.process = process, .endpoint = the_endpoint.root.coid};
    u64 id = record->word;

    calls_end(&ending, ALL_CPUS);
    take_queued(delivered);
    check_balance();
    u64 word = record->word;
    //@ check pending_no_more: word % 4 != 1;
    struct event registers = {.id = id};
    s64 answered = ipc_reply(way.to_self ? &the_client : &the_server, &registers);
    //@ check cannot_be_answered: answered == -3 || answered == -15;
    word = record->word;
    //@ check free_at_last: word % 4 == 0 && word != id;
    check_balance();
    //@ check reached_ended: \false;
}

#define ENDS 8
static void call_and(u32 how)
{
    begin();
    struct call_record *record = call();
    if (record == NULL)
        return;
    way.no_place = how & 1;
    if (how < 4)
        reply_to(record, how & 2, true);
    else if (how == 4)
        reply_to(record, false, false);
    else
        end(record, how == 5 ? CLIENT : how == 6 ? the_server.process : NULL, how != 6);
}

// ---- ids of calls that are none ----------------------------------------------------------------

static void claim_none(u64 id)
{
    s64 error;
    struct call_record *found = call_claim(id, the_server.process, &error);
    //@ check not_found: found == \null && error == -3;
}

// All generations but the right one.
static void wrong_generations(u64 first, u64 generation, u64 right)
{
    const u64 end = (1UL << CALL_INDEX_SHIFT) / CALL_GENERATION;

    claim_none(first + CALL_GENERATION * ANY_U64(0, generation - 1));
    claim_none(first + CALL_GENERATION * ANY_U64(generation + 1, end - 1));
    if (first + CALL_GENERATION * generation != right)
        claim_none(first + CALL_GENERATION * generation);
}

// Each bit of a right id turned round, and all ids of calls but the right one.
static void wrong_ids(void)
{
    begin();
    struct call_record *record = call();
    if (record == NULL)
        return;
    u64 id = record->word;
    for (u32 bit = 0; bit < 64; bit++) {
        s64 error;
        u64 wrong = id ^ 1UL << bit;
        struct call_record *found = call_claim(wrong, the_server.process, &error);
        u64 word = record->word;
        //@ check not_found: found == \null && error == -3;
        //@ check still_waits: word == id;
    }
    s64 error;
    struct call_record *found = call_claim(id, (struct process *)0x300000UL, &error);
    //@ check not_found_by_others: found == \null && error == -3;
    for (u64 own = 0; own <= CALL_OWN; own += CALL_OWN) {
        for (u64 index = 0; index < CALL_CHUNK; index++)
            wrong_generations(own + (index << CALL_INDEX_SHIFT) + CALL_PENDING,
                              generation_of(the_records[index].word), id);
    }
    // Records and CPUs that are not there.
    claim_none(ANY_U64((u64)CALL_CHUNK << CALL_INDEX_SHIFT, CALL_OWN - 1));
    claim_none(CALL_OWN + ANY_U64((u64)CALL_CHUNK << CALL_INDEX_SHIFT, CALL_OWN - 1));
    for (u64 cpu = 1; cpu < 8; cpu++)
        claim_none((cpu << CALL_CPU_SHIFT) + ANY_U64(0, (1UL << CALL_CPU_SHIFT) - 1));
}

// ---- what cannot be decoded --------------------------------------------------------------------

static void wrong_registers(void)
{
    struct message message;

    begin();
    for (u64 cap = 0; cap <= 1; cap++) {
        u64 info = (cap << 32) + ANY_U64(MESSAGE_BYTES + 1, UINT32_MAX);
        s64 error = message_decode(CLIENT, info, &message);
        //@ check too_long: error == -1;
        message_drop(&message);
    }
    const u64 low[] = {2, CAPABILITY_CHUNK, CAPABILITY_MAX},
              high[] = {CAPABILITY_CHUNK - 1, CAPABILITY_MAX - 1, UINT64_MAX};
    for (u32 i = 0; i < ARRAY_SIZE(low); i++) {
        struct event registers = {.type = ANY_U64(low[i], high[i])};
        ipc_call(&the_client, &registers);
        struct call_record *record = pending();
        //@ check no_call: record == \null && registers.type == 3;
    }
    check_balance();
}

// ---- messages without a call -------------------------------------------------------------------

static void send_one(bool delivered)
{
    struct event registers = {.type = 1, .id = EITHER() ? UINT64_MAX : ANY_U64(0, UINT64_MAX - 1)};

    begin();
    s64 result = ipc_send(&the_client, &registers);
    if (result == 0) {
        //@ check counted: the_endpoint.queued == 1 && endpoint_held == 2;
        //@ check reached_sent: \false;
    }
    take_queued(delivered);
    //@ check counted: the_endpoint.queued == 0;
    check_balance();
}

// ---- all ways ----------------------------------------------------------------------------------

// Of the six bits, each two are here as 00, 01, 10 and 11.
static const u32 ways[] = {0, 13, 26, 39, 54, 57};

static void choose(u32 bits)
{
    way.no_place = false;
    way.with_capability = bits & 1;
    way.bytes = bits & 2 ? MESSAGE_BYTES : 0;
    way.hands = bits & 4;
    way.gone = bits & 8;
    way.to_self = bits & 16;
    way.slow = bits & 32;
    way.no_memory = way.stale = way.dead = way.no_server = false;
}

// By the queue only: refused when what goes along has been given already.
static void queue_only(void)
{
    way.hands = way.to_self = way.slow = false;
}

static void refused(u32 bits)
{
    for (u32 why = 0; why < 7; why++) {
        choose(bits);
        if (why >= 5)
            queue_only();
        way.no_place = why == 0;
        way.no_memory = why == 1 || why == 5;
        way.gone = way.gone || why == 6;
        way.stale = why == 2;
        way.dead = why == 3;
        way.no_server = why == 4;
        begin();
        call();
        send_one(bits & 1);
    }
}

int main(void)
{
    spin_init(&tables[0].lock, "returned calls", RANK_OBJECT);
    spin_init(&tables[1].lock, "returned calls", RANK_OBJECT);
    for (u32 i = 0; i < ARRAY_SIZE(the_table.chunks); i++)
        the_table.chunks[i] = i == 0 ? the_slots : free_slots;
    for (u32 i = 0; i < CAPABILITY_CHUNK; i++)
        the_slots[i].word = free_slots[i].word = CAPABILITY_FREE;
    for (u32 i = 0; i < ARRAY_SIZE(ways); i++) {
        u32 bits = ways[i];
        for (u32 how = 0; how < ENDS; how++) {
            choose(bits);
            call_and(how);
        }
        refused(bits);
        choose(bits);
        send_one(bits & 1);
    }
    choose(0);
    wrong_ids();
    wrong_registers();
    //@ check reached_end: \false;
    return 0;
}

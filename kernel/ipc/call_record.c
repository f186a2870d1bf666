// SPDX-License-Identifier: MIT
// Records of calls: one table a CPU, filled and searched by that CPU with interrupts masked. Other
// CPUs come to a record by its id alone, and own it if their exchange of its word succeeds.
#include "call_record.h"

#include <kernel/irq.h>
#include <kernel/memory.h>
#include <kernel/options.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/points.h>
#include <kernel/softmask.h>
#include <orrery/errors.h>
#include <trace/events.h>

_Static_assert(CALL_MAX - 1 <= CALL_INDEX_MASK && ORRERY_MAX_CPUS <= 8, "a word holds them");

struct call_table {
    struct call_record *free;
    u32 count; // records that exist
    struct call_record *chunks[CALL_MAX / CALL_CHUNK];
    struct spinlock lock;         // of returned
    struct call_record *returned; // given back by other CPUs
};

static struct call_table tables[ORRERY_MAX_CPUS] = {
    [0 ... ORRERY_MAX_CPUS - 1] = {.lock = SPINLOCK_INIT("returned calls", RANK_OBJECT)},
};

static u64 never_asleep[2]; // as a dispatcher's state
struct call_record no_call = {.word = CALL_ANSWERED, .client = (struct dispatcher *)never_asleep};

void ipc_dispatcher_init(struct ipc_dispatcher *ipc)
{
    ipc->own = ipc->handed = ipc->handed_other = ipc->none = &no_call;
}

static u64 with_state(u64 word, u64 state)
{
    return (word & ~CALL_STATE_MASK) | state;
}

static u64 state_of(u64 word)
{
    return word & CALL_STATE_MASK;
}

static u64 generation_of(u64 word)
{
    return (word & ((1UL << CALL_INDEX_SHIFT) - 1)) / CALL_GENERATION;
}

u64 ipc_calls(const struct ipc_dispatcher *ipc)
{
    if (ipc->own == &no_call)
        return ipc->calls;
    return ipc->calls + generation_of(ipc->own->word) - ipc->own_since +
           (state_of(ipc->own->word) == CALL_PENDING);
}

static bool exchange(struct call_record *record, u64 from, u64 to)
{
    return __atomic_compare_exchange_n(&record->word, &from, to, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

static struct call_record *record_at(const struct call_table *table, u32 index)
{
    const struct call_record *chunk =
        __atomic_load_n(&table->chunks[index / CALL_CHUNK], __ATOMIC_ACQUIRE);

    return chunk != NULL ? (struct call_record *)&chunk[index % CALL_CHUNK] : NULL;
}

// Returns the record that an id speaks of, whatever its state, or NULL.
static struct call_record *call_find(u64 id)
{
    u32 index = (u32)(id >> CALL_INDEX_SHIFT & CALL_INDEX_MASK);

    return call_cpu(id) < cpu_count && index < CALL_MAX ? record_at(&tables[call_cpu(id)], index)
                                                        : NULL;
}

void *call_chunks(u32 cpu)
{
    return tables[cpu].chunks;
}

// ---- free records ------------------------------------------------------------------------------

static void add_chunk(struct call_table *table)
{
    struct call_record *chunk;

    if (table->count == CALL_MAX || (chunk = kzalloc(CALL_CHUNK * sizeof(*chunk))) == NULL)
        return;
    for (u32 i = 0; i < CALL_CHUNK; i++) {
        chunk[i] = (struct call_record){
            .word = (u64)cpu_id() << CALL_CPU_SHIFT | (u64)(table->count + i) << CALL_INDEX_SHIFT |
                    CALL_GENERATION,
            .next = table->free,
        };
        table->free = &chunk[i];
    }
    __atomic_store_n(&table->chunks[table->count / CALL_CHUNK], chunk, __ATOMIC_RELEASE);
    table->count += CALL_CHUNK;
}

// Frees calls of clients that have ended: the first that can be forgotten, when everything is
// taken.
static void drop_orphans(struct call_table *table)
{
    for (u32 index = 0; index < table->count; index++) {
        struct call_record *record = record_at(table, index);
        u64 word = record->word;
        if (state_of(word) == CALL_ORPHAN &&
            exchange(record, word, with_state(word, CALL_ANSWERED)))
            call_free(record);
    }
}

static struct call_record *take_free(struct call_table *table)
{
    if (table->free == NULL && table->returned != NULL) {
        spin_lock(&table->lock);
        table->free = table->returned;
        table->returned = NULL;
        spin_unlock(&table->lock);
    }
    if (table->free == NULL)
        add_chunk(table);
    if (table->free == NULL)
        drop_orphans(table);
    struct call_record *record = table->free;
    if (record != NULL)
        table->free = record->next;
    return record;
}

static void give_free(struct call_record *record)
{
    u32 cpu = call_cpu(record->word);
    struct call_table *table = &tables[cpu];

    if (cpu == cpu_id()) {
        record->next = table->free;
        table->free = record;
    } else {
        spin_lock(&table->lock);
        record->next = table->returned;
        table->returned = record;
        spin_unlock(&table->lock);
    }
}

void call_free(struct call_record *record)
{
    u64 word = record->word;
    u8 masked = soft_mask();

    KASSERT(state_of(word) == CALL_ANSWERED);
    kfree(record->bulk);
    record->bulk = NULL;
    __atomic_store_n(&record->word, with_state(word + CALL_GENERATION, CALL_FREE),
                     __ATOMIC_RELEASE);
    if ((word & CALL_OWN) == 0)
        give_free(record);
    soft_mask_restore(masked);
}

// Frees a record whose client has ended. If it was the client's own, that use has ended too.
static void retire(struct call_record *record)
{
    record->word &= ~CALL_OWN;
    call_free(record);
}

// Makes sure that the server no longer answers an own record by the fast path.
static void forget_handed(const struct call_record *record, u64 word)
{
    struct ipc_dispatcher *server = dispatcher_ipc(record->server);

    if ((word & CALL_OWN) != 0 && server->handed == record)
        server->handed = &no_call;
}

// Makes a new record the client's own. The call of the former one may wait for long, or for ever,
// and would leave the client without the fast path. So the former becomes one of the others, and
// goes back with its answer.
static bool make_own(struct dispatcher *client)
{
    struct ipc_dispatcher *ipc = dispatcher_ipc(client);
    struct call_record *former = ipc->own, *record = take_free(&tables[cpu_id()]);

    if (record == NULL)
        return false;
    if (former != &no_call) {
        forget_handed(former, former->word);
        ipc->calls = ipc_calls(ipc);
        ipc->outstanding++;
    }
    record->word |= CALL_OWN;
    record->client = client;
    ipc->own = record;
    ipc->own_since = generation_of(record->word);
    return true;
}

// Returns the client's own record, unless its answer is on its way.
static struct call_record *take_own(struct dispatcher *client)
{
    struct ipc_dispatcher *ipc = dispatcher_ipc(client);

    if (boot_options.ipc_slow)
        return NULL;
    if ((ipc->own == &no_call || call_is_pending(ipc->own)) && !make_own(client))
        return NULL;
    return state_of(ipc->own->word) == CALL_FREE ? ipc->own : NULL;
}

struct call_record *call_new(struct dispatcher *client, struct dispatcher *server, coid_t endpoint,
                             u64 token, u64 *id)
{
    struct call_record *record = NULL;

    if (dispatcher_cpu(server) == cpu_id())
        record = take_own(client);
    if (record == NULL) {
        record = take_free(&tables[cpu_id()]);
        if (record == NULL)
            return NULL;
        dispatcher_ipc(client)->outstanding++;
        dispatcher_ipc(client)->calls++;
    }
    record->client = client;
    record->server = server;
    record->endpoint = endpoint;
    record->token = token;
    *id = with_state(record->word, CALL_PENDING);
    __atomic_store_n(&record->word, *id, __ATOMIC_RELEASE);
    return record;
}

void call_answered(struct call_record *record)
{
    if (record != dispatcher_ipc(record->client)->own) {
        record->word &= ~CALL_OWN; // if it was its own once
        dispatcher_ipc(record->client)->outstanding--;
    }
    call_free(record);
}

// Ends the PENDING state. Returns true to the one to whom the record then belongs.
static bool end_call(struct call_record *record, u64 word, u64 to)
{
    forget_handed(record, word);
    return exchange(record, word, to);
}

void call_cancel(struct call_record *record)
{
    u64 word = record->word;

    if (end_call(record, word, with_state(word, CALL_ANSWERED)))
        call_answered(record);
}

// ---- look-up -----------------------------------------------------------------------------------

struct call_record *call_claim(u64 id, const struct process *server, s64 *error)
{
    struct call_record *record = call_find(id);
    u64 orphan = with_state(id & ~CALL_OWN, CALL_ORPHAN);

    *error = E_NOENT;
    if (record == NULL || state_of(id) != CALL_PENDING)
        return NULL;
    u64 word = __atomic_load_n(&record->word, __ATOMIC_ACQUIRE);
    if ((word != id && word != orphan) || dispatcher_process(record->server) != server)
        return NULL;
    if (word == id && end_call(record, id, with_state(id, CALL_ANSWERED)))
        return record;
    if (exchange(record, orphan, with_state(orphan, CALL_ANSWERED))) {
        *error = E_PEER;
        call_free(record);
    }
    return NULL;
}

// ---- answers through the client's queue --------------------------------------------------------

static void reply_taken(struct posted_event *event, bool delivered)
{
    struct call_record *record = container_of(event, struct call_record, reply);

    if (!delivered) {
        retire(record);
        return;
    }
    u32 server = record->domain;
    trace_ipc_take_reply(with_state(record->word, CALL_PENDING));
    call_answered(record);
    HAPPENS(answer_taken, dispatcher_current(), server);
}

s64 call_post_reply(struct call_record *record)
{
    record->reply.taken = reply_taken;
    record->reply.bulk = record->bulk;
    if (dispatcher_post(record->client, &record->reply))
        return 0;
    retire(record);
    return E_PEER;
}

void call_fail(struct call_record *record, s64 status)
{
    record->domain = 0;
    record->reply.event =
        (struct event){.type = EVENT_REPLY, .id = record->token, .badge = (u64)status};
    call_post_reply(record);
}

// ---- ends --------------------------------------------------------------------------------------

// Is the record one of those that end with their server?
static bool of_server(const struct call_record *record, const struct calls_ending *ending)
{
    return ending->process == NULL ? record->endpoint == ending->endpoint
                                   : dispatcher_process(record->server) == ending->process;
}

static void end_pending(struct call_record *record, u64 word, const struct calls_ending *ending)
{
    bool of_client = dispatcher_process(record->client) == ending->process;
    bool served = of_server(record, ending);

    if (of_client && !served)
        end_call(record, word, with_state(word & ~CALL_OWN, CALL_ORPHAN));
    else if (served && end_call(record, word, with_state(word, CALL_ANSWERED)))
        of_client ? retire(record) : call_fail(record, E_PEER);
}

static void end_one(struct call_record *record, const struct calls_ending *ending)
{
    u64 word = record->word;

    if (state_of(word) == CALL_PENDING)
        end_pending(record, word, ending);
    else if (state_of(word) == CALL_FREE && (word & CALL_OWN) != 0) {
        if (dispatcher_process(record->client) == ending->process) {
            record->word &= ~CALL_OWN; // a dispatcher's own record goes back with it
            give_free(record);
        }
    } else if (state_of(word) == CALL_ORPHAN && of_server(record, ending) &&
               exchange(record, word, with_state(word, CALL_ANSWERED)))
        call_free(record);
}

static void call_end_here(void *argument)
{
    const struct call_table *table = &tables[cpu_id()];

    for (u32 index = 0; index < table->count; index++)
        end_one(record_at(table, index), argument);
}

void calls_end(struct calls_ending *ending, u64 mask)
{
    if (mask != 0)
        cpus_call(mask & ((1UL << cpu_count) - 1), call_end_here, ending);
}

// ---- list --------------------------------------------------------------------------------------

struct call_listing {
    struct open_call *calls;
    u32 max, count;
};

// The client and its dispatcher are of this CPU, and stay while this interrupts it.
static void list_calls_here(void *argument)
{
    const struct call_table *table = &tables[cpu_id()];
    struct call_listing *listing = argument;

    for (u32 index = 0; index < table->count; index++) {
        const struct call_record *record = record_at(table, index);
        u64 word = __atomic_load_n(&record->word, __ATOMIC_ACQUIRE);
        if (state_of(word) != CALL_PENDING)
            continue;
        u32 place = __atomic_fetch_add(&listing->count, 1, __ATOMIC_RELAXED);
        if (place < listing->max)
            listing->calls[place] =
                (struct open_call){.id = word,
                                   .token = record->token,
                                   .client = process_pid(dispatcher_process(record->client)),
                                   .thread = dispatcher_thread_id(record->client),
                                   .server = process_pid(dispatcher_process(record->server))};
    }
}

u32 calls_list(struct open_call *calls, u32 max)
{
    struct call_listing listing = {.calls = calls, .max = max};

    cpus_call((1UL << cpu_count) - 1, list_calls_here, &listing);
    return listing.count;
}

// SPDX-License-Identifier: MIT
// Capability tables: no invalid access, and references balanced. From any table within the bounds,
// whatever one operation does and answers, it leaves a table of the same kind (so do all sequences
// of operations), and each object has as many references as there are slots that name it, and its
// owner's.
//
// bounds: any numbers of slots asked for; used slots among 1, 16 and 17, or 16 to 63, or 4095;
//   three objects, one a type
// proves: references, memory and locks balanced
// seconds: 40
// quick: yes
// eva: -eva-slevel 100000 -eva-split-return full -eva-min-loop-unroll 64
#include "model/bits.h"
#include "model/locks.h"
#include "model/objects.h"
#include "model/panic.h"
#include "model/proof.h"

#include "ipc/capability.c"

// ---- memory: a table and two chunks ------------------------------------------------------------

static struct capability_table the_table;
static struct capability_slot the_chunks[2][CAPABILITY_CHUNK];
static bool table_used, chunk_used[2];

void *kzalloc(u64 bytes)
{
    if (EITHER())
        return NULL;
    if (bytes == sizeof(the_table) && !table_used) {
        table_used = true;
        memset(&the_table, 0, sizeof(the_table));
        return &the_table;
    }
    //@ check of_known_size: bytes == sizeof(the_chunks[0]);
    u32 i = chunk_used[0] ? 1 : 0;
    //@ check enough: !chunk_used[i];
    chunk_used[i] = true;
    memset(the_chunks[i], 0, sizeof(the_chunks[i]));
    return the_chunks[i];
}

void kfree(void *memory)
{
    if (memory == &the_table) {
        //@ check freed_once: table_used == 1;
        table_used = false;
        return;
    }
    u32 i = memory == the_chunks[0] ? 0 : 1;
    //@ check freed_once: memory == &the_chunks[i][0] && chunk_used[i] == 1;
    chunk_used[i] = false;
}

// ---- tables ------------------------------------------------------------------------------------

static const cap_t places[] = {1, 16, 17}; // of capabilities that come and go
static s64 filled;                         // slots besides those; they name object 0
static struct capability_table empty;

static u64 word_at(cap_t cap)
{
    return the_table.chunks[cap / CAPABILITY_CHUNK][cap % CAPABILITY_CHUNK].word;
}

static u64 word_of(u32 object)
{
    return (u64)OBJECT_AT(object) | tag_of_type[object_kind[object]];
}

// As many references as slots that name it, and its owner's.
static void check_balance(void)
{
    for (u32 i = 0; i < OBJECTS; i++) {
        s64 named = i == 0 ? filled : 0;
        for (u32 j = 0; j < ARRAY_SIZE(places); j++)
            named += word_at(places[j]) == word_of(i);
        //@ check references_balanced: object_held[i] == 1 + named;
        s64 accounted = object_kind[i] == CAPABILITY_MEMORY ? named : 0;
        //@ check accounts_balanced: object_accounted[i] == accounted;
    }
}

// The bits of the chunk that has been filled, and of the next one, say which slots are free.
static void check_free(void)
{
    u64 free_0 = 0;

    for (u32 i = CAP_FIRST_FREE; i < CAPABILITY_CHUNK; i++)
        free_0 |= (u64)(word_at(i) == CAPABILITY_FREE) << i;
    //@ check bits_of_slots: the_table.free[0] == free_0;
    //@ check bit_of_chunk: (the_table.free_chunks & 1) == (free_0 != 0);
    u64 free_1 = the_table.free[1], word_64 = word_at(64);
    //@ check bits_of_slots: (free_1 & 1) == (word_64 == 7);
    //@ check bit_of_chunk: (the_table.free_chunks & 2) == (free_1 != 0 ? 2 : 0);
}

static void mark_taken(cap_t cap)
{
    if (cap >= CAP_FIRST_FREE)
        mark(&the_table, cap, false);
}

static void put_there(cap_t cap, u32 object)
{
    if (object == OBJECTS)
        return;
    the_chunks[0][cap % CAPABILITY_CHUNK].word = word_of(object);
    object_held[object]++;
    object_accounted[object] += object_kind[object] == CAPABILITY_MEMORY;
    mark_taken(cap);
}

// A table with one chunk, in that place, or with none.
#define NO_CHUNK UINT32_MAX
static void begin(u32 chunk)
{
    table_used = true;
    the_table = empty;
    chunk_used[0] = chunk != NO_CHUNK;
    chunk_used[1] = false;
    if (chunk != NO_CHUNK)
        the_table.chunks[chunk] = the_chunks[0];
    memcpy(the_chunks[0], no_slots, sizeof(no_slots));
    filled = 0;
    for (u32 i = 0; i < OBJECTS; i++) {
        object_held[i] = 1;
        object_accounted[i] = 0;
    }
}

// With these contents in its places: an object, or OBJECTS for nothing.
static void begin_with(u32 in_1, u32 in_16, u32 in_17)
{
    begin(0);
    put_there(1, in_1);
    put_there(16, in_16);
    put_there(17, in_17);
}

// ---- operations --------------------------------------------------------------------------------

#define ADD 0
#define PUT_AT 1
#define GET_ENDPOINT 2
#define GET_PROCESS 3
#define GET_MEMORY 4
#define GET 5
#define REMOVE 6
#define OPERATIONS 7

static void store(u32 operation, u32 object, cap_t cap)
{
    struct capability given = {.type = object_kind[object], .object = OBJECT_AT(object)};

    object_held[object]++;
    s64 result = operation == ADD ? capability_add(&the_table, &given)
                                  : capability_put_at(&the_table, cap, &given);
    //@ check given_or_kept: result >= 0 ? given.type == 0 : given.object != \null;
    if (operation == ADD && result >= 0) {
        //@ check slot_in_range: 16 <= result < 4096;
        //@ check object_0_without_place: result <= 17 || object == 0;
        filled += result > 17;
    }
    if (result == E_NOMEM) {
        //@ check reached_out_of_memory: \false;
    }
    if (result == E_PEER) {
        //@ check reached_ended_table: \false;
    }
    if (result == E_LIMIT) {
        //@ check reached_full_table: \false;
    }
    capability_release(&given);
}

static void look_up(u32 operation, cap_t cap)
{
    s64 error;

    if (operation == GET_ENDPOINT) {
        HELD(endpoint) struct endpoint *found = capability_get_endpoint(&the_table, cap, &error);
        //@ check found_or_error: (found != \null) == (error == 0);
    } else if (operation == GET_PROCESS) {
        struct process *found = capability_get_process(&the_table, cap, &error);
        //@ check found_or_error: (found != \null) == (error == 0);
        if (found != NULL)
            process_put(found);
    } else if (operation == GET_MEMORY) {
        struct fcm *found = capability_get_memory(&the_table, cap, &error);
        //@ check found_or_error: (found != \null) == (error == 0);
        if (found != NULL)
            fcm_put(found);
    } else {
        HELD(capability) struct capability found = capability_get(&the_table, cap, &error);
        //@ check found_or_error: (found.type != 0) == (error == 0);
    }
    if (error == E_INVAL) {
        //@ check reached_wrong_type: \false;
    } else if (error == E_NOENT) {
        //@ check reached_nothing_there: \false;
    } else {
        //@ check reached_found: \false;
    }
}

static void operate(u32 operation, u32 object, cap_t cap)
{
    if (operation == ADD || operation == PUT_AT)
        store(operation, object, cap);
    else if (operation == REMOVE)
        capability_remove(&the_table, cap);
    else
        look_up(operation, cap);
    no_lock_is_held();
    check_balance();
    check_free();
}

// Numbers of slots: each place, and all that lie between and beyond, at once. put_at may not fill a
// slot that check_balance does not look at.
#define NUMBERS 8
static const cap_t number_low[NUMBERS] = {0, 1, 16, 17, 18, 64, 4096, 2};
static const cap_t number_high[NUMBERS] = {0, 1, 16, 17, 63, 4095, UINT32_MAX, 15};

static u32 numbers_of(u32 operation)
{
    return operation == ADD ? 1 : operation == PUT_AT ? NUMBERS - 1 : NUMBERS;
}

static void operate_on_any(u32 operation, u32 object, u32 which)
{
    operate(operation, object, ANY_U32(number_low[which], number_high[which]));
}

// ---- what is proved ----------------------------------------------------------------------------

static void any_operation_on(u32 in_1, u32 in_16, u32 in_17, bool ended)
{
    for (u32 operation = 0; operation < OPERATIONS; operation++) {
        // beyond 17, slot_add puts object 0 only
        u32 objects = operation == PUT_AT                    ? OBJECTS
                      : operation == ADD && in_17 == OBJECTS ? OBJECTS
                                                             : 1;
        for (u32 object = 0; object < objects; object++) {
            for (u32 which = 0; which < numbers_of(operation); which++) {
                begin_with(in_1, in_16, in_17);
                the_table.ended = ended;
                operate_on_any(operation, object, which);
            }
        }
    }
}

static void any_contents(void)
{
    for (u32 in_1 = 0; in_1 <= OBJECTS; in_1++) {
        for (u32 in_16 = 0; in_16 <= OBJECTS; in_16++)
            any_operation_on(in_1, in_16, OBJECTS, false);
    }
    any_operation_on(1, OBJECTS, 0, false);
    any_operation_on(2, 2, 1, false);
    any_operation_on(0, OBJECTS, OBJECTS, true);
}

// Slots that no chunk has yet.
static void any_operation_on_nothing(void)
{
    for (u32 operation = 0; operation < OPERATIONS; operation++) {
        for (u32 which = 0; which < numbers_of(operation); which++) {
            begin(NO_CHUNK);
            operate_on_any(operation, 0, which);
        }
    }
}

// A chunk of which every slot is taken: the next one is made, or there is no memory.
static void add_behind_full_chunk(void)
{
    begin(0);
    for (u32 cap = 16; cap < CAPABILITY_CHUNK; cap++)
        put_there(cap, 0);
    filled = CAPABILITY_CHUNK - 18;
    operate(ADD, 0, 0);
    if (the_table.chunks[1] != no_slots) {
        //@ check reached_next_chunk: \false;
    }
}

// The last slot of all, free or taken.
static void add_at_the_end(bool taken)
{
    begin(CAPABILITY_MAX / CAPABILITY_CHUNK - 1);
    for (cap_t cap = CAP_FIRST_FREE; cap < CAPABILITY_MAX - 1; cap++)
        mark(&the_table, cap, false);
    if (taken)
        put_there(CAPABILITY_MAX - 1, 0);
    filled = taken;
    store(ADD, 0, 0);
    store(ADD, 0, 0);
    store(ADD, 0, 0);
    //@ check references_balanced: object_held[0] == 2;
}

static void whole_life(void)
{
    begin(NO_CHUNK);
    table_used = false;
    struct capability_table *table = capability_table_create();
    if (table != NULL) {
        store(PUT_AT, 1, 1);
        store(ADD, 2, 0);
        store(ADD, 0, 0);
        capability_table_end(table);
        store(ADD, 0, 0);
        capability_table_destroy(table);
    }
    no_lock_is_held();
    /*@ check references_balanced: object_held[0] == 1 && object_held[1] == 1 &&
            object_held[2] == 1; */
    //@ check memory_balanced: table_used == 0 && chunk_used[0] == 0 && chunk_used[1] == 0;
}

int main(void)
{
    spin_init(&empty.lock, "capabilities", RANK_OBJECT);
    empty.magic = CAPABILITY_TABLE_MAGIC;
    for (u32 i = 0; i < CAPABILITY_CHUNKS; i++) {
        empty.chunks[i] = (struct capability_slot *)no_slots;
        empty.free[i] = UINT64_MAX;
    }
    empty.free[0] = UINT64_MAX << CAP_FIRST_FREE;
    empty.free_chunks = UINT64_MAX;
    any_contents();
    any_operation_on_nothing();
    add_behind_full_chunk();
    add_at_the_end(false);
    add_at_the_end(true);
    whole_life();
    //@ check reached_end: \false;
    return 0;
}

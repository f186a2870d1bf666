// SPDX-License-Identifier: MIT
// Open calls and waiting threads of a machine's memory that was made by hand, and of one that lies:
// wild pointers, cycles, tables that refer to themselves. Every address leads somewhere.
#include "trace/memory_waits.h"

#include <string.h>
#include <trace/dump.h>

#include "unit.h"

#define BYTES 0x10000
#define BASE 0xc000000000000000UL
#define VALID 0x8000000000000000UL
#define LEAF 0x4000000000000000UL
// Where things lie. The program sees physical memory at its own addresses.
enum {
    PLACES = 0x800,
    PROCESSES = 0x1000,
    PROCESS = 0x2000, // pid, layout, space, name
    SPACE = 0x2100,
    TABLES = 0x3000, // the first of three levels; the last one has a large page
    LAYOUT = 0x4000,
    FIRST = 0x4100,
    THREADS = 0x5000, // 2, 0x100 apart
    MUTEX = 0x6000,
    WORKER = 0x6100,
    CHUNKS = 0x7000,
    CHUNK = 0x7100, // a record: word, token, client, server
    CLIENT = 0x8000 // pid, thread
};

static u8 memory[BYTES], whole[BYTES];

static bool read_memory(const void *context, u64 physical, void *into, u64 bytes)
{
    (void)context;
    for (u64 i = 0; i < bytes; i++)
        ((u8 *)into)[i] = memory[(physical + i) % BYTES];
    return true;
}

static void put(u64 at, u64 value)
{
    value = TRACE_BE64(value);
    memcpy(memory + at, &value, sizeof(value));
}

static void put_half(u64 at, u32 value)
{
    value = TRACE_BE32(value);
    memcpy(memory + at, &value, sizeof(value));
}

static void put_places(void)
{
    struct trace_dump_places places = {
        .processes = BASE + PROCESSES,
        .process_count = 3,
        .process_threads = 8,
        .process_space = 16,
        .process_name = 24,
        .call_chunks = 2,
        .chunk_records = 2,
        .record_bytes = 0x40,
        .record_token = 8,
        .record_client = 16,
        .record_server = 24,
        .dispatcher_thread = 4,
        .state_mask = 0xff,
        .state_pending = 1,
    };
    places.calls[1] = BASE + CHUNKS;
    for (u64 i = 0; i < sizeof(places) / 8; i++)
        put(PLACES + i * 8, ((u64 *)&places)[i]);
}

static void put_thread(u64 thread, u32 id, u64 next)
{
    put(thread, 0x1234);
    put(thread + 8, next);
    put_half(thread + 16, id);
    put(thread + 24, 100 + id);
}

static int start(void **state)
{
    (void)state;
    memset(memory, 0, sizeof(memory));
    put_places();
    put(PROCESSES + 8, BASE + PROCESS); // the first place is free
    put_half(PROCESS, 7);
    put(PROCESS + 8, LAYOUT);
    put(PROCESS + 16, BASE + SPACE);
    memcpy(memory + PROCESS + 24, "worker\033", 8);
    put(SPACE, BASE + SPACE + 8); // its HAT
    put(SPACE + 8, BASE + TABLES);
    put(TABLES, VALID | 0x9000);
    put(0x9000, VALID | 0xa000);
    put(0xa000, VALID | LEAF);
    put(LAYOUT, THREAD_LAYOUT_MAGIC);
    put(LAYOUT + 8, FIRST);
    put(LAYOUT + 16, 0x1234);
    const u32 offsets[] = {0, 8, 16, 24, 32, 40, 48}; // magic_at to call
    for (u32 i = 0; i < 7; i++)
        put_half(LAYOUT + 24 + i * 4, offsets[i]);
    put(FIRST, THREADS);
    put_thread(THREADS, 1, THREADS + 0x100);
    put_thread(THREADS + 0x100, 2, 0);
    put(THREADS + 32, MUTEX | 1);
    put(MUTEX, (THREADS + 0x100) | 1);
    put(THREADS + 0x100 + 40, WORKER);
    put(WORKER + 48, 0x501);
    put(CHUNKS, BASE + CHUNK);
    const u64 record[] = {0x501, THREADS, BASE + CLIENT, BASE + CLIENT + 0x10};
    for (u32 i = 0; i < 4; i++)
        put(CHUNK + i * 8, record[i]);
    put(CHUNK + 0x40, 0x602); // it has its answer
    put_half(CLIENT, 7);
    put_half(CLIENT + 4, 21);
    put_half(CLIENT + 0x10, 8);
    memcpy(whole, memory, sizeof(memory));
    return 0;
}

static void calls_and_threads_are_found(void **state)
{
    (void)state;
    struct memory_waits waits = {0};
    memory_waits_read(&waits, PLACES, BASE, read_memory, NULL);
    assert_true(waits.known);
    assert_int_equal(waits.call_count, 1);
    const struct memory_call *call = waits.calls;
    assert_int_equal(call->id, 0x501);
    assert_int_equal(call->token, THREADS);
    assert_int_equal(call->client, 7);
    assert_int_equal(call->thread, 21);
    assert_int_equal(call->server, 8);
    assert_int_equal(waits.thread_count, 2);
    const struct trace_waits_thread *one = &waits.threads[0].thread,
                                    *other = &waits.threads[1].thread;
    assert_int_equal(waits.threads[0].pid, 7);
    assert_int_equal(one->id, 1);
    assert_int_equal(one->mutex, MUTEX | 1);
    assert_int_equal(one->owner, 2);
    assert_int_equal(other->id, 2);
    assert_int_equal(other->works_on, 0x501);
    assert_int_equal(other->switches, 102);
    assert_int_equal(waits.process_count, 1);
    assert_int_equal(waits.processes[0].pid, 7);
    assert_string_equal(waits.processes[0].name, "worker?");
    memory_waits_free(&waits);
}

// What thread 1 waits for, and whose it is.
static u32 owner_of(u64 mutex)
{
    struct memory_waits waits = {0};
    put(THREADS + 32, mutex);
    memory_waits_read(&waits, PLACES, BASE, read_memory, NULL);
    assert_int_equal(waits.thread_count, 2);
    assert_int_equal(waits.threads[0].thread.mutex, mutex);
    u32 owner = waits.threads[0].thread.owner;
    memory_waits_free(&waits);
    return owner;
}

static void only_mutexes_and_joins_have_somebody(void **state)
{
    (void)state;
    assert_int_equal(owner_of(MUTEX), 2);
    assert_int_equal(owner_of((THREADS + 0x100) | THREAD_WAITS_JOIN), 2);
    assert_int_equal(owner_of(THREADS | THREAD_WAITS_JOIN), 1);       // the worst lie
    assert_int_equal(owner_of((THREADS + 8) | THREAD_WAITS_JOIN), 0); // no thread is there
    assert_int_equal(owner_of((THREADS + 0x104) | THREAD_WAITS_JOIN), 0);
    assert_int_equal(owner_of(MUTEX | THREAD_WAITS_SEMAPHORE), 0);
    assert_int_equal(owner_of(MUTEX | THREAD_WAITS_CONDITION | THREAD_WAITS_LIMITED), 0);
    assert_int_equal(owner_of(UINT64_MAX), 0);
    assert_int_equal(owner_of(0), 0);
}

static void threads_in_a_circle_come_to_an_end(void **state)
{
    (void)state;
    struct memory_waits waits = {0};
    put(THREADS + 0x108, THREADS);
    memory_waits_read(&waits, PLACES, BASE, read_memory, NULL);
    assert_int_equal(waits.thread_count, TRACE_WAITS_THREADS);
    memory_waits_free(&waits);
}

static void the_most_that_memory_can_tell_is_bounded(void **state)
{
    (void)state;
    struct memory_waits waits = {0};
    struct trace_dump_places *places = (void *)(memory + PLACES);
    put(THREADS + 0x108, THREADS);
    places->process_count = TRACE_BE64(65536);
    places->call_chunks = places->chunk_records = TRACE_BE64(1024);
    places->record_bytes = 0;                 // all are the same one
    for (u32 i = 0; i < BYTES / 2 / 8; i++) { // what lies there is read as a process, or a chunk
        put(BYTES / 2 + i * 8, i % 2 == 0 ? BASE + PROCESS : BASE + CHUNK);
    }
    put(0x9000, VALID | 0xa000);
    put(0xa000, VALID | LEAF);
    places->processes = TRACE_BE64(BASE + BYTES / 2);
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        places->calls[cpu] = TRACE_BE64(BASE + 0xb000);
    memory_waits_read(&waits, PLACES, BASE, read_memory, NULL);
    assert_true(waits.known);
    assert_in_range(waits.thread_count, TRACE_WAITS_THREADS + 1, 1 << 17);
    assert_in_range(waits.call_count, 1, 1 << 20);
    memory_waits_free(&waits);
}

// Changes a byte, or replaces a word by another one that lies in memory.
static void spoil(u64 *seed)
{
    u64 at = unit_random(seed) % (BYTES / 8) * 8, from = unit_random(seed) % (BYTES / 8) * 8;
    while (whole[at + 7] == 0 && unit_random(seed) % 16 != 0)
        at = (at + 8) % BYTES;
    if (unit_random(seed) % 2 == 0)
        memory[at + unit_random(seed) % 8] = (u8)unit_random(seed);
    else
        memcpy(memory + at, whole + from, 8);
}

static void memory_that_lies_gives_something_in_bounded_time(void **state)
{
    (void)state;
    u64 seed = 29, told = 0;
    for (u64 round = 0; round < unit_fuzz_rounds(3000); round++) {
        struct memory_waits waits = {0};
        memcpy(memory, whole, sizeof(memory));
        for (u64 i = 1 + unit_random(&seed) % 6; i > 0; i--)
            spoil(&seed);
        memory_waits_read(&waits, PLACES, BASE, read_memory, NULL);
        told += waits.thread_count != 2 || waits.call_count != 1;
        memory_waits_free(&waits);
    }
    assert_true(told > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(calls_and_threads_are_found, start),
        cmocka_unit_test_setup(only_mutexes_and_joins_have_somebody, start),
        cmocka_unit_test_setup(threads_in_a_circle_come_to_an_end, start),
        cmocka_unit_test_setup(the_most_that_memory_can_tell_is_bounded, start),
        cmocka_unit_test_setup(memory_that_lies_gives_something_in_bounded_time, start),
    };
    return cmocka_run_group_tests_name("kov_memory_waits", tests, NULL, NULL);
}

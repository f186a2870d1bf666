// SPDX-License-Identifier: MIT
// Follows the kernel's tables in a dump to open calls and to the memory of programs. Trusts
// nothing: a damaged dump gives less, in bounded time.
#include "trace/memory_waits.h"

#include "tools/memory.h"
#include "tools/text.h"

#include <stdlib.h>
#include <trace/dump.h>

#define MAX_PROCESSES 65536
#define MAX_RECORDS (1UL << 20) // of all CPUs
#define MAX_THREADS (1UL << 17) // of all programs
// Page tables (kernel/mem/radix.h): levels of 13, 9, 9 and 9 bits over pages of 4 KB.
#define LEVELS 4
#define PAGE_BITS 12
#define LEVEL_BITS 9
#define FIRST_LEVEL_BITS 13
#define ENTRY_VALID 0x8000000000000000UL
#define ENTRY_LEAF 0x4000000000000000UL
#define ENTRY_ADDRESS 0x01fffffffffff000UL

struct walk {
    memory_read read;
    const void *context;
    u64 linear_base;
    struct trace_dump_places places;
    u64 records_left;
};

// A program's memory.
struct program {
    const struct walk *walk;
    u64 tables; // physical address of its first page table
};

// ---- the kernel's memory -----------------------------------------------------------------------

// Read at the kernel's address; 0: it is not there.
static u64 word_at(const struct walk *walk, u64 address)
{
    u64 word;
    return walk->read(walk->context, address - walk->linear_base, &word, sizeof(word))
               ? TRACE_BE64(word)
               : 0;
}

static u32 half_at(const struct walk *walk, u64 address)
{
    u32 half;
    return walk->read(walk->context, address - walk->linear_base, &half, sizeof(half))
               ? TRACE_BE32(half)
               : 0;
}

// ---- a program's memory ------------------------------------------------------------------------

// Stores where a program's address is. Returns false if it is nowhere.
static bool translate(const struct program *program, u64 address, u64 *physical)
{
    u64 table = program->tables;
    for (u32 level = LEVELS; level-- > 0;) {
        u32 shift = PAGE_BITS + level * LEVEL_BITS;
        u32 bits = level == LEVELS - 1 ? FIRST_LEVEL_BITS : LEVEL_BITS;
        u64 index = address >> shift & ((1UL << bits) - 1), entry;
        const struct walk *walk = program->walk;
        if (!walk->read(walk->context, table + index * sizeof(entry), &entry, sizeof(entry)))
            return false;
        entry = TRACE_BE64(entry);
        if ((entry & ENTRY_VALID) == 0)
            return false;
        table = entry & ENTRY_ADDRESS;
        *physical = table | (address & ((1UL << shift) - 1));
        if ((entry & ENTRY_LEAF) != 0)
            return true;
    }
    return false;
}

static bool read_program(void *context, void *to, u64 from, u64 bytes)
{
    const struct program *program = context;
    u64 physical;
    return translate(program, from, &physical) &&
           program->walk->read(program->walk->context, physical, to, bytes);
}

// ---- calls and threads -------------------------------------------------------------------------

static void add_call(struct memory_waits *waits, const struct walk *walk, u64 record)
{
    const struct trace_dump_places *at = &walk->places;
    u64 word = word_at(walk, record + at->record_word);
    if (word == 0 || (word & at->state_mask) != at->state_pending)
        return;
    u64 client = word_at(walk, record + at->record_client);
    u64 server = word_at(walk, record + at->record_server);
    waits->calls =
        memory_grow(waits->calls, waits->call_count, &waits->call_capacity, sizeof(*waits->calls));
    waits->calls[waits->call_count++] =
        (struct memory_call){.id = word,
                             .token = word_at(walk, record + at->record_token),
                             .client = half_at(walk, client + at->dispatcher_pid),
                             .thread = half_at(walk, client + at->dispatcher_thread),
                             .server = half_at(walk, server + at->dispatcher_pid)};
}

static void add_calls(struct memory_waits *waits, struct walk *walk, u64 chunks)
{
    const struct trace_dump_places *at = &walk->places;
    for (u64 i = 0; i < at->call_chunks; i++) {
        u64 chunk = word_at(walk, chunks + i * sizeof(chunk));
        if (chunk == 0)
            return;
        for (u64 j = 0; j < at->chunk_records && walk->records_left > 0; j++, walk->records_left--)
            add_call(waits, walk, chunk + j * at->record_bytes);
    }
}

static void add_process(struct memory_waits *waits, const struct walk *walk, u64 process)
{
    const struct trace_dump_places *at = &walk->places;
    struct memory_process found = {.pid = half_at(walk, process + at->process_pid)};
    if (!walk->read(walk->context, process + at->process_name - walk->linear_base, found.name,
                    sizeof(found.name) - 1))
        return;
    text_make_printable(found.name, false);
    waits->processes = memory_grow(waits->processes, waits->process_count, &waits->process_capacity,
                                   sizeof(*waits->processes));
    waits->processes[waits->process_count++] = found;
}

static void add_threads(struct memory_waits *waits, const struct walk *walk, u64 process)
{
    const struct trace_dump_places *at = &walk->places;
    u64 space = word_at(walk, process + at->process_space);
    u64 hat = word_at(walk, space + at->space_hat);
    struct program program = {walk, word_at(walk, hat + at->hat_tables) - walk->linear_base};
    struct memory_thread found = {.pid = half_at(walk, process + at->process_pid)};
    struct trace_waits program_waits;
    if (!trace_waits_open(&program_waits, word_at(walk, process + at->process_threads),
                          read_program, &program))
        return;
    while (waits->thread_count < MAX_THREADS && trace_waits_next(&program_waits, &found.thread)) {
        waits->threads = memory_grow(waits->threads, waits->thread_count, &waits->thread_capacity,
                                     sizeof(*waits->threads));
        waits->threads[waits->thread_count++] = found;
    }
}

void memory_waits_read(struct memory_waits *waits, u64 places, u64 linear_base, memory_read read,
                       const void *context)
{
    struct walk walk = {
        .read = read, .context = context, .linear_base = linear_base, .records_left = MAX_RECORDS};
    struct trace_dump_places *at = &walk.places;
    if (places == 0 || !read(context, places, at, sizeof(*at)))
        return;
    for (u64 *word = (u64 *)at; word < (u64 *)(at + 1); word++)
        *word = TRACE_BE64(*word);
    if (at->process_count > MAX_PROCESSES || at->call_chunks > MAX_RECORDS ||
        at->chunk_records > MAX_RECORDS || at->call_chunks * at->chunk_records > MAX_RECORDS)
        return;
    waits->known = true;
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        if (at->calls[cpu] != 0)
            add_calls(waits, &walk, at->calls[cpu]);
    for (u64 i = 0; i < at->process_count; i++) {
        u64 process = word_at(&walk, at->processes + i * sizeof(process));
        if (process == 0)
            continue;
        add_process(waits, &walk, process);
        add_threads(waits, &walk, process);
    }
}

void memory_waits_free(struct memory_waits *waits)
{
    free(waits->processes);
    free(waits->calls);
    free(waits->threads);
    *waits = (struct memory_waits){0};
}

// SPDX-License-Identifier: MIT
// Dumps of memory: what the machine's own ring holds is found in them, the open packet too, and no
// mutation of a dump does more than fail.
#include "unit.h"

#include "tools/kov.h"
#include "tools/memory.h"
#include "trace/engine.h"

#include <elf.h>
#include <string.h>
#include <trace/control.h>
#include <trace/dump.h>
#include <trace/events.h>
#include <trace/metadata.h>
#include <trace/trace.h>
#include <unistd.h>

#include "host_platform.h"

#define SUBBUFFERS 4

extern struct trace_descriptor trace_descriptor;

static char path[64];
static struct bytes dump; // an ELF core whose physical addresses are those of this process
static u32 segments;

// The host's byte order is not the machine's.
static void swap(void *data, size_t bytes)
{
    u64 *words = data;
    for (size_t i = 0; i < bytes / sizeof(u64); i++)
        words[i] = TRACE_BE64(words[i]);
}

static void add_segment(u64 physical, const void *data, size_t bytes)
{
    Elf64_Phdr entry = {
        .p_type = TRACE_BE32(PT_LOAD),
        .p_offset = TRACE_BE64(dump.size),
        .p_paddr = TRACE_BE64(physical),
        .p_filesz = TRACE_BE64(bytes),
    };
    bytes_append(&dump, data, bytes);
    memcpy(dump.data + sizeof(Elf64_Ehdr) + segments++ * sizeof(entry), &entry, sizeof(entry));
}

static void add_cpu(u32 number)
{
    struct trace_cpu cpu = host_cpus[number];
    u64 table[SUBBUFFERS];
    memcpy(table, (void *)cpu.subbuffers, sizeof(table));
    for (u32 i = 0; i < SUBBUFFERS; i++)
        add_segment(table[i], (void *)table[i], TRACE_SUBBUFFER_SIZE);
    swap(table, sizeof(table));
    add_segment(cpu.subbuffers, table, sizeof(table));
    u32 count = cpu.subbuffer_count;
    swap(&cpu, sizeof(cpu));
    cpu.subbuffer_count = TRACE_BE32(count);
    add_segment((u64)&host_cpus[number], &cpu, sizeof(cpu));
}

static void add_descriptor(void)
{
    struct trace_descriptor descriptor = trace_descriptor;
    descriptor.self = TRACE_BE64(descriptor.self);
    descriptor.cpu_count = TRACE_BE32(descriptor.cpu_count);
    descriptor.subbuffer_size = TRACE_BE32(descriptor.subbuffer_size);
    swap(&descriptor.linear_base,
         sizeof(descriptor) - offsetof(struct trace_descriptor, linear_base));
    add_segment((u64)&trace_descriptor, &descriptor, sizeof(descriptor));
}

static void write_dump(const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    fclose(file);
}

static void take_dump(void)
{
    const size_t headers = sizeof(Elf64_Ehdr) + 32 * sizeof(Elf64_Phdr);
    bytes_free(&dump);
    memset(bytes_reserve(&dump, headers), 0, headers);
    dump.size = headers;
    segments = 0;
    add_segment((u64)trace_metadata_preamble(), trace_metadata_preamble(),
                strlen(trace_metadata_preamble()) + 1);
    add_segment((u64)trace_metadata_events, trace_metadata_events,
                strlen(trace_metadata_events) + 1);
    // A copy that has no address: it is passed over.
    struct trace_descriptor copy = {.magic = TRACE_DESCRIPTOR_MAGIC};
    add_segment(4096, &copy, sizeof(copy));
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++)
        add_cpu(cpu);
    add_descriptor();
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2MSB},
        .e_phoff = TRACE_BE64(sizeof(Elf64_Ehdr)),
        .e_phentsize = __builtin_bswap16(sizeof(Elf64_Phdr)),
        .e_phnum = __builtin_bswap16((u16)segments),
    };
    memcpy(dump.data, &header, sizeof(header));
    write_dump(dump.data, dump.size);
}

static int start(void **state)
{
    (void)state;
    strcpy(path, "/tmp/kov-dump-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    host_start(SUBBUFFERS, SYS_TRACE_OVERWRITE);
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++)
        trace_dump_add(cpu, &host_cpus[cpu]);
    trace_set_mask(1UL << TRACE_MAJOR_TEST);
    return 0;
}

static int end(void **state)
{
    (void)state;
    bytes_free(&dump);
    host_end();
    return unlink(path);
}

struct seen {
    u64 events, next, sum;
};

static int see(void *context, const struct trace_event *event)
{
    struct seen *seen = context;
    u64 values[TRACE_MAX_FIELDS] = {0};
    if (event->description != NULL)
        trace_event_fields(event, values);
    for (u32 i = 0; i < event->words * sizeof(u64); i++)
        seen->sum += event->data[i]; // all of it is there
    seen->events++;
    seen->next = values[0] + 1;
    return KOV_OK;
}

static int see_rising(void *context, const struct trace_event *event)
{
    struct seen *seen = context;
    u64 values[TRACE_MAX_FIELDS];
    assert_int_equal(event->description->info.field_count, 2);
    trace_event_fields(event, values);
    assert_int_equal(values[0], seen->next);
    assert_int_equal(values[1], event->cpu);
    return see(context, event);
}

static int look(struct seen *seen, int (*event)(void *, const struct trace_event *))
{
    struct engine engine;
    struct visitor visitor = {event, NULL, seen};
    *seen = (struct seen){0};
    int code = engine_open_dump(&engine, path);
    if (code == KOV_OK) {
        engine_seek(&engine, 0);
        code = engine_visit(&engine, UINT64_MAX, &visitor);
    }
    engine_close(&engine);
    return code;
}

static void log_events(u64 count)
{
    for (u64 i = 0; i < count; i++) {
        host_cpu = i % 2;
        trace_test2(i, host_cpu);
    }
    host_cpu = 0;
}

static void the_open_packet_is_read_to_its_last_event(void **state)
{
    (void)state;
    struct seen seen = {0};
    log_events(1001);
    take_dump();
    assert_int_equal(look(&seen, see_rising), KOV_OK);
    assert_int_equal(seen.events, 1001);
    assert_int_equal(seen.next, 1001);
}

static void the_last_events_of_an_overwritten_ring_are_there(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct sys_trace_stat stat[HOST_CPUS] = {0};
    log_events(60001);
    take_dump();
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++)
        trace_stat(cpu, &stat[cpu]);
    assert_int_equal(look(&seen, see), KOV_OK);
    assert_int_equal(seen.next, 60001);
    assert_int_equal(seen.events, stat[0].unread + stat[1].unread);
    assert_true(seen.events < 60001);
}

// As `pmemsave 0x10000 …`: where it begins is told by the descriptor.
static void a_raw_dump_tells_its_own_place(void **state)
{
    (void)state;
    struct engine engine;
    struct bytes raw = {0};
    const u64 base = 0x10000;
    bytes_append(&raw, "some", 4);
    struct trace_descriptor descriptor = {
        .magic = TRACE_DESCRIPTOR_MAGIC,
        .self = TRACE_BE64(base + 64),
        .cpu_count = TRACE_BE32(1),
        .subbuffer_size = TRACE_BE32(4096),
        .preamble = TRACE_BE64(base + 512),
        .events = TRACE_BE64(base + 512 + 20),
        .cpus = {TRACE_BE64(base + 256)},
    };
    struct trace_cpu cpu = {.magic = TRACE_BE64(TRACE_CPU_MAGIC), .subbuffer_count = TRACE_BE32(2)};
    memset(bytes_reserve(&raw, 600), 0, 600);
    memcpy(raw.data + 64, &descriptor, sizeof(descriptor));
    memcpy(raw.data + 256, &cpu, sizeof(cpu));
    memcpy(raw.data + 512, "clock { freq = 5; }\0", 21);
    write_dump(raw.data, 604);
    assert_int_equal(engine_open_dump(&engine, path), KOV_OK);
    assert_int_equal(engine.descriptions.hz, 5);
    assert_int_equal(engine.count, 1);
    engine_close(&engine);
    bytes_free(&raw);
}

static void what_is_no_dump_is_refused(void **state)
{
    (void)state;
    struct seen seen = {0};
    message_quiet(true);
    write_dump("", 0);
    assert_int_equal(look(&seen, see), KOV_FAILED);
    write_dump("\177ELF\1\1", 6);
    assert_int_equal(look(&seen, see), KOV_FAILED);
    log_events(10);
    take_dump();
    write_dump(dump.data, dump.size - sizeof(struct trace_descriptor));
    assert_int_equal(look(&seen, see), KOV_FAILED);
    message_quiet(false);
}

// Headers, tables and states lie apart from the mass of events: most mutations go there.
static size_t telling_place(u64 *seed)
{
    const Elf64_Phdr *entries = (const Elf64_Phdr *)(dump.data + sizeof(Elf64_Ehdr));
    const Elf64_Phdr *entry = &entries[unit_random(seed) % segments];
    u64 offset = TRACE_BE64(entry->p_offset), bytes = TRACE_BE64(entry->p_filesz);
    if (unit_random(seed) % 5 == 0)
        return unit_random(seed) % (sizeof(Elf64_Ehdr) + segments * sizeof(Elf64_Phdr));
    return offset + unit_random(seed) % (bytes < 200 ? bytes : 200);
}

static void mutated_dumps_give_a_result_or_an_error(void **state)
{
    (void)state;
    u64 seed = 23, results = 0, errors = 0;
    log_events(9001);
    take_dump();
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    message_quiet(true);
    for (u64 round = 0; round < unit_fuzz_rounds(1000); round++) {
        size_t places[3];
        struct seen seen = {0};
        u32 changes = 1 + (u32)(unit_random(&seed) % 3);
        for (u32 i = 0; i < changes; i++) {
            places[i] = telling_place(&seed);
            fseek(file, (long)places[i], SEEK_SET);
            fputc((int)(unit_random(&seed) & 0xff), file);
        }
        fflush(file);
        int code = look(&seen, see);
        assert_true(code == KOV_OK || code == KOV_FAILED);
        results += code == KOV_OK;
        errors += code == KOV_FAILED;
        for (u32 i = 0; i < changes; i++) {
            fseek(file, (long)places[i], SEEK_SET);
            fputc(dump.data[places[i]], file);
        }
        fflush(file);
    }
    message_quiet(false);
    fclose(file);
    assert_true(results > 0 && errors > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_open_packet_is_read_to_its_last_event, start, end),
        cmocka_unit_test_setup_teardown(the_last_events_of_an_overwritten_ring_are_there, start,
                                        end),
        cmocka_unit_test_setup_teardown(a_raw_dump_tells_its_own_place, start, end),
        cmocka_unit_test_setup_teardown(what_is_no_dump_is_refused, start, end),
        cmocka_unit_test_setup_teardown(mutated_dumps_give_a_result_or_an_error, start, end),
    };
    return cmocka_run_group_tests_name("kov_dump", tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
// Folders of traces for tests of the tools: events as they are listed, one packet a stream unless
// one is begun anew.
#ifndef KOV_TRACE_MADE_H
#define KOV_TRACE_MADE_H

#include "unit.h"

#include "tools/kov.h"
#include "analyses/trace_tool.h"

#include <string.h>

struct settings settings = {.kernel = "/nowhere", .programs = "/nowhere"};

#define MADE_HZ 1000000000UL // so that ticks are nanoseconds
#define MADE_PACKET 65536
#define MADE_CPUS 2

static char made_folder[64];
static u8 made_packets[MADE_CPUS][4 * MADE_PACKET] __attribute__((aligned(8)));
static size_t made_counts[MADE_CPUS];

struct made_event {
    const char *id, *name, *fields;
};
// An older trace has no reasons.
static bool made_reasons;
static const struct made_event made_old_switch[] = {
    {"0x1030000", "switch", "uint64 from; uint64 to; uint32 from_priority; uint32 to_priority;"},
    {"0xc30001", "wake", "uint64 thread; uint64 cpu;"},
    {0},
};
static const struct made_event made_switch[] = {
    {"0x1030000", "switch",
     "uint64 from; uint64 to; uint16 from_priority; uint16 to_priority; uint32 reason;"},
    {"0xc30001", "wake", "uint32 thread; uint32 cpu; uint32 by; uint32 reason;"},
    {0},
};
static const struct made_event made_events[] = {
    {"0x800000", "heartbeat", "uint64 timebase;"},
    {"0x1010000", "test0", "uint64 a; uint64 b; uint64 c;"},
    {"0x1430002", "thread_create", "uint64 thread; hex64 coid; uint64 cpu; uint64 priority;"},
    {"0x830003", "thread_exit", "uint64 thread;"},
    {"0x1030006", "dispatcher_create", "uint64 pid; uint64 thread; uint64 cpu;"},
    {"0x1020000", "exc_enter", "hex64 vector; hex64 pc; hex64 dar;"},
    {"0x820001", "exc_exit", "hex64 vector;"},
    {"0x1c60000", "lock_contended",
     "hex64 lock; uint64 spins; uint64 ticks; hex64 caller0; hex64 caller1; hex64 caller2;"},
    {"0x10b0000", "sample", "hex64 coid; hex64 pc; uint32 thread; uint32 flags;"},
    {"0x8b0001", "sample_lost", "uint64 count;"},
    {"0x1900000", "lock_take",
     "hex64 lock; uint64 sleeping; hex64 caller0; hex64 caller1; hex64 caller2;"},
    {"0xd00001", "lock_release", "hex64 lock; uint64 sleeping;"},
    {"0x1100002", "lock_wait", "hex64 lock; uint64 sleeping; uint64 owner;"},
    {"0x1cc0000", "ipc_call",
     "hex64 endpoint; hex64 call; uint64 server; uint64 bytes; uint64 handed; uint64 method;"},
    {"0x10c0001", "ipc_reply", "hex64 call; int64 status; uint64 bytes;"},
    {"0x8c0003", "ipc_take", "hex64 call;"},
    {"0xc30005", "process_end", "uint64 pid; hex64 status;"},
    {"0x870000", "timer_fire", "uint64 deadline;"},
    {"0x111000a", "state_waits", "uint64 calls; uint64 threads; uint64 left_out;"},
    {"0x111000b", "state_call", "hex64 call; uint64 thread; uint64 server;"},
    {"0x191000c", "state_user_thread",
     "uint32 pid; uint32 thread; hex64 works_on; hex64 calls; hex64 mutex; uint64 owner;"},
    {0},
};

// "TYPE NAME; …" becomes "TYPE _NAME; …", as the machine writes it.
static int made_describe(char *text, size_t bytes, const struct made_event *event)
{
    char fields[512];
    size_t at = 0;
    for (const char *from = event->fields; *from != '\0'; from++) {
        fields[at++] = *from;
        if (*from == ' ' && from[-1] != ';')
            fields[at++] = '_';
    }
    fields[at] = '\0';
    return snprintf(text, bytes,
                    "event { name = \"%s\"; id = %s; stream_id = 0; fields := struct { %s }; };\n",
                    event->name, event->id, fields);
}

static struct trace_packet *made_last(u32 cpu)
{
    return (struct trace_packet *)(made_packets[cpu] + (made_counts[cpu] - 1) * MADE_PACKET);
}

// discarded: events, until the packet was closed.
static void made_packet(u32 cpu, u64 time, u32 sequence, u64 discarded)
{
    made_counts[cpu]++;
    *made_last(cpu) = (struct trace_packet){
        .magic = TRACE_BE32(TRACE_PACKET_MAGIC),
        .timestamp_begin = TRACE_BE64(time),
        .timestamp_end = TRACE_BE64(time),
        .content_bits = TRACE_BE64(8 * sizeof(struct trace_packet)),
        .packet_bits = TRACE_BE64(8 * MADE_PACKET),
        .events_discarded = TRACE_BE64(discarded),
        .cpu_id = TRACE_BE32(cpu),
        .packet_seq_num = TRACE_BE32(sequence),
    };
}

// Of so many words. Small fields are packed by the caller.
static void made_event(u32 cpu, u64 time, u32 major, u32 minor, u32 words, const u64 *values)
{
    if (made_counts[cpu] == 0)
        made_packet(cpu, time, 0, 0);
    struct trace_packet *packet = made_last(cpu);
    u64 bytes = TRACE_BE64(packet->content_bits) / 8, all[8];
    all[0] = TRACE_BE64(time << 32 | TRACE_HEADER(words, major, minor));
    for (u32 i = 0; i < words; i++)
        all[1 + i] = TRACE_BE64(values[i]);
    memcpy((u8 *)packet + bytes, all, (1 + words) * sizeof(u64));
    packet->content_bits = TRACE_BE64(8 * (bytes + (1 + words) * sizeof(u64)));
    packet->timestamp_end = TRACE_BE64(time);
    packet->event_count = TRACE_BE32(TRACE_BE32(packet->event_count) + 1);
}

#define MADE(cpu, time, major, minor, ...)                                                         \
    made_event(cpu, time, major, minor, sizeof((const u64[]){__VA_ARGS__}) / sizeof(u64),          \
               (const u64[]){__VA_ARGS__})
#define SWITCH(cpu, time, from, to, priority)                                                      \
    MADE(cpu, time, 3, 0, from, to, (u64)((from) == 1 ? 0 : 2) << 32 | (priority))
#define WAKE(cpu, time, thread) MADE(cpu, time, 3, 1, thread, cpu)
// With made_reasons.
#define LEFT(cpu, time, from, to, priority, reason)                                                \
    MADE(cpu, time, 3, 0, from, to,                                                                \
         (u64)((from) == 1 ? 0 : 2) << 48 | (u64)(priority) << 32 | (reason))
#define WOKEN(cpu, time, thread, by, reason)                                                       \
    MADE(cpu, time, 3, 1, (u64)(thread) << 32 | (cpu), (u64)(by) << 32 | (reason))
#define THREAD_CREATE(cpu, time, thread) MADE(cpu, time, 3, 2, thread, 0x1000, cpu, 2)
#define THREAD_EXIT(cpu, time, thread) MADE(cpu, time, 3, 3, thread)
#define DISPATCHER_CREATE(cpu, time, pid, thread) MADE(cpu, time, 3, 6, pid, thread, cpu)
#define ENTER(cpu, time, vector) MADE(cpu, time, 2, 0, vector, 0xc000000000001000, 0)
#define LEAVE(cpu, time, vector) MADE(cpu, time, 2, 1, vector)

static void made_write(const char *name, const void *data, size_t bytes)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", made_folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    fclose(file);
}

static int made_begin(void **state)
{
    (void)state;
    memset(made_packets, 0, sizeof(made_packets));
    memset(made_counts, 0, sizeof(made_counts));
    made_reasons = false;
    strcpy(made_folder, "/tmp/kov-trace-XXXXXX");
    assert_non_null(mkdtemp(made_folder));
    return 0;
}

static int made_end(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof(command), "rm -r %s", made_folder);
    return system(command);
}

// What a tool says of the events so far. Freed by the caller.
static json_t *made_answer(trace_tool *tool, struct trace_options options)
{
    struct engine engine = {0};
    struct trace_choice choice;
    u64 begin, end;
    char metadata[8192];
    const struct made_event *parts[] = {made_reasons ? made_switch : made_old_switch, made_events};
    int length = snprintf(metadata, sizeof(metadata),
                          "/* CTF 1.8 */\nclock { name = timebase; freq = 1000000000; };\n");
    for (size_t part = 0; part < ARRAY_SIZE(parts); part++)
        for (const struct made_event *event = parts[part]; event->name != NULL; event++)
            length += made_describe(metadata + length, sizeof(metadata) - (size_t)length, event);
    assert_in_range(length, 1, sizeof(metadata) - 1);
    made_write("metadata", metadata, (size_t)length);
    for (u32 cpu = 0; cpu < MADE_CPUS; cpu++) {
        char name[32];
        snprintf(name, sizeof(name), "stream_%u", cpu);
        if (made_counts[cpu] > 0)
            made_write(name, made_packets[cpu], made_counts[cpu] * MADE_PACKET);
    }
    assert_int_equal(engine_open_folder(&engine, made_folder), KOV_OK);
    assert_true(engine_range(&engine, &begin, &end));
    assert_int_equal(trace_choice_decide(&choice, &options, &engine.descriptions, begin), KOV_OK);
    json_t *document = json_object();
    assert_int_equal(tool(&engine, &choice, document), KOV_OK);
    trace_choice_free(&choice);
    engine_close(&engine);
    return document;
}

#define MADE_ALL ((struct trace_options){.cpu = TRACE_ANY, .pid = TRACE_ANY})

static json_int_t made_number(const json_t *row, const char *key)
{
    const json_t *value = json_object_get(row, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static const json_t *made_row(const json_t *document, const char *key, size_t index)
{
    const json_t *row = json_array_get(json_object_get(document, key), index);
    assert_non_null(row);
    return row;
}

static size_t made_rows(const json_t *document, const char *key)
{
    return json_array_size(json_object_get(document, key));
}

#endif

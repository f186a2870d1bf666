// SPDX-License-Identifier: MIT
// Writes the records of a monitor as a folder with a CTF trace.
#include "monitors/monitor_packets.h"
#include "symbols/sensor_names.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <trace/layout.h>

#define MAJOR 63
// Minors: the kinds of records, then the events that tell names.
enum { PROCESS_NAME = 0x100, THREAD_NAME, DISPATCHER, STATE_END, COST, SENSOR_NAME };
#define NAME_BYTES 32 // of a process
#define LABEL_BYTES 40
#define GAP_MAX 0x80000000UL // ticks between events of a packet, whose times have 32 bits

static const char *const kinds[SYS_MONITOR_KINDS_MAX] = SYS_MONITOR_KIND_NAMES;

// ---- metadata ----------------------------------------------------------------------------------

__attribute__((format(printf, 2, 3))) static void add_text(struct bytes *text, const char *format,
                                                           ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    bytes_append(text, line, (size_t)length);
}

static void add_events(struct bytes *text)
{
    for (u32 kind = 0; kind < SYS_MONITOR_KINDS_MAX; kind++) {
        if (kinds[kind] == NULL)
            continue;
        add_text(text,
                 "event { name = \"MONITOR:%s\"; id = %#x; stream_id = 0; fields := struct {\n"
                 "    uint32 _id;\n    uint16 _reason;\n    uint16 _lost;\n"
                 "    hex64 _word0;\n    hex64 _word1;\n}; };\n",
                 kinds[kind], TRACE_HEADER(3, MAJOR, kind));
    }
    add_text(text,
             "event { name = \"STATE:process_name\"; id = %#x; stream_id = 0; fields := struct {\n"
             "    uint64 _pid;\n    char8 _name[%d];\n}; };\n",
             TRACE_HEADER(1 + NAME_BYTES / 8, MAJOR, PROCESS_NAME), NAME_BYTES);
    add_text(text,
             "event { name = \"STATE:thread_name\"; id = %#x; stream_id = 0; fields := struct {\n"
             "    uint64 _thread;\n    char8 _name[%d];\n}; };\n",
             TRACE_HEADER(1 + LABEL_BYTES / 8, MAJOR, THREAD_NAME), LABEL_BYTES);
    add_text(
        text,
        "event { name = \"STATE:sensor_name\"; id = %#x; stream_id = 0;"
        " fields := struct {\n    uint64 _pid;\n    uint64 _sensor;\n    char8 _name[%d];\n}; };\n",
        TRACE_HEADER(2 + SENSOR_NAME_BYTES / 8, MAJOR, SENSOR_NAME), SENSOR_NAME_BYTES);
    add_text(text,
             "event { name = \"STATE:state_dispatcher\"; id = %#x; stream_id = 0;"
             " fields := struct {\n    uint64 _pid;\n    uint64 _thread;\n}; };\n",
             TRACE_HEADER(2, MAJOR, DISPATCHER));
    add_text(text, "event { name = \"STATE:state_end\"; id = %#x; stream_id = 0; };\n",
             TRACE_HEADER(0, MAJOR, STATE_END));
    add_text(text,
             "event { name = \"STATE:monitor_cost\"; id = %#x; stream_id = 0;"
             " fields := struct {\n    uint64 _ticks;\n    uint64 _records;\n"
             "    uint64 _fast_ticks;\n}; };\n",
             TRACE_HEADER(3, MAJOR, COST));
}

// Reads "uuid = "01234567-…"". Each packet has it, too.
static bool read_uuid(const char *text, u8 uuid[16])
{
    const char *at = strstr(text, "uuid = \"");
    at = at != NULL ? at + strlen("uuid = \"") : "";
    for (u32 i = 0; i < 16; i++) {
        at += *at == '-';
        if (!isxdigit((unsigned char)at[0]) || !isxdigit((unsigned char)at[1]))
            return false;
        uuid[i] = (u8)strtoul((const char[]){at[0], at[1], '\0'}, NULL, 16);
        at += 2;
    }
    return true;
}

// Makes the metadata. It keeps the machine's clock, types and streams, and replaces its events by
// those of a monitor.
static int make_metadata(struct monitor_packets *packets, struct bytes *text)
{
    bytes_append(text, "", 1);
    char *events = strstr((char *)text->data, "event {");
    if (events == NULL || !read_uuid((const char *)text->data, packets->uuid))
        return fail(KOV_CONNECTION, "the trace's metadata are not those of a machine");
    text->size = (size_t)(events - (char *)text->data);
    add_events(text);
    return capture_set_metadata(&packets->capture, text);
}

int monitor_packets_create(struct monitor_packets *packets, const char *folder)
{
    struct bytes text = {0};
    int code = capture_create(&packets->capture, folder);
    packets->capture.keep = true;
    packets->programs.quiet = true; // what they name is more than what is always there
    if (code == KOV_OK)
        code = trace_fetch_metadata(&text);
    if (code == KOV_OK)
        code = make_metadata(packets, &text);
    bytes_free(&text);
    return code;
}

// ---- packets -----------------------------------------------------------------------------------

static void open_packet(struct monitor_stream *stream, u64 time)
{
    stream->used = TRACE_PACKET_HEADER_SIZE;
    stream->events = 0;
    stream->begin = stream->last = time;
}

// Writes the packet, with what was lost before it.
static int close_packet(struct monitor_packets *packets, u32 cpu)
{
    struct monitor_stream *stream = &packets->streams[cpu];
    struct trace_packet header = {
        .magic = TRACE_BE32(TRACE_PACKET_MAGIC),
        .timestamp_begin = TRACE_BE64(stream->begin),
        .timestamp_end = TRACE_BE64(stream->last),
        .content_bits = TRACE_BE64(8 * stream->used),
        .packet_bits = TRACE_BE64(8 * stream->used),
        .events_discarded = TRACE_BE64(stream->lost),
        .packet_seq_num = TRACE_BE32(stream->sequence++),
        .event_count = TRACE_BE32(stream->events),
        .cpu_id = TRACE_BE32(cpu),
    };
    Orrery__Dci__TracePacket packet = ORRERY__DCI__TRACE_PACKET__INIT;
    memcpy(header.uuid, packets->uuid, sizeof(header.uuid));
    memcpy(stream->bytes, &header, sizeof(header));
    packet.cpu = cpu;
    packet.data.data = stream->bytes;
    packet.data.len = stream->used;
    return capture_packet(&packets->capture, &packet);
}

static void put_word(struct monitor_stream *stream, u64 word)
{
    word = TRACE_BE64(word);
    memcpy(stream->bytes + stream->used, &word, sizeof(word));
    stream->used += sizeof(word);
}

// Begins an event of so many data words, which the caller puts next. lost: records lost just before
// it.
static int begin_event(struct monitor_packets *packets, u32 cpu, u64 time, u32 minor, u32 words,
                       u64 lost)
{
    struct monitor_stream *stream = &packets->streams[cpu];
    bool full = stream->used + (1 + words) * sizeof(u64) > MONITOR_PACKET_BYTES;
    if (full || lost > 0 || time - stream->last > GAP_MAX) {
        int code = close_packet(packets, cpu);
        if (code != KOV_OK)
            return code;
        stream->lost += lost;
        open_packet(stream, time);
    }
    put_word(stream, time << 32 | TRACE_HEADER(words, MAJOR, minor));
    stream->events++;
    stream->last = time;
    return KOV_OK;
}

// ---- names -------------------------------------------------------------------------------------

static void put_name(struct monitor_stream *stream, const char *name, u32 bytes)
{
    memset(stream->bytes + stream->used, 0, bytes);
    snprintf((char *)stream->bytes + stream->used, bytes, "%s", name);
    stream->used += bytes;
}

static int add_name(struct monitor_packets *packets, u32 minor, u64 number, const char *name,
                    u32 bytes)
{
    struct monitor_stream *stream = &packets->streams[0];
    int code = begin_event(packets, 0, stream->last, minor, 1 + bytes / 8, 0);
    if (code != KOV_OK)
        return code;
    put_word(stream, number);
    put_name(stream, name, bytes);
    return KOV_OK;
}

// The program's file may not be at hand where the recording is read.
static int add_sensors(struct monitor_packets *packets, u32 pid)
{
    struct monitor_stream *stream = &packets->streams[0];
    const struct symbols *symbols = program_symbols(&packets->programs, packets->snapshot, pid);
    char name[SENSOR_NAME_BYTES];
    for (u64 number = 0; number < SENSOR_NUMBERS; number++) {
        if (!sensor_name_find(symbols, number, name))
            continue;
        int code = begin_event(packets, 0, stream->last, SENSOR_NAME, 2 + sizeof(name) / 8, 0);
        if (code != KOV_OK)
            return code;
        put_word(stream, pid);
        put_word(stream, number);
        put_name(stream, name, sizeof(name));
    }
    return KOV_OK;
}

// Writes "fs:2", "fs:2/17" for a thread, or "kernel/3" for a thread of the kernel.
static void label_of(const struct monitor_target *target, const struct process_info *process,
                     char label[LABEL_BYTES])
{
    char thread[12] = "", pid[12] = "";
    if (target->thread != 0)
        snprintf(thread, sizeof(thread), "/%" PRIu32, target->thread);
    if (target->pid != 0)
        snprintf(pid, sizeof(pid), ":%" PRIu32, target->pid);
    snprintf(label, LABEL_BYTES, "%.16s%s%s",
             target->pid == 0  ? "kernel"
             : process != NULL ? process->name
                               : "process",
             pid, thread);
}

static int add_target(struct monitor_packets *packets, const struct monitor_target *target)
{
    struct monitor_stream *stream = &packets->streams[0];
    const struct process_info *process = snapshot_process(packets->snapshot, target->pid);
    char label[LABEL_BYTES];
    label_of(target, process, label);
    int code = begin_event(packets, 0, stream->last, DISPATCHER, 2, 0);
    if (code != KOV_OK)
        return code;
    put_word(stream, target->pid);
    put_word(stream, target->id);
    code = add_name(packets, THREAD_NAME, target->id, label, LABEL_BYTES);
    if (code == KOV_OK && process != NULL && process->name[0] != '\0')
        code = add_name(packets, PROCESS_NAME, target->pid, process->name, NAME_BYTES);
    if (code == KOV_OK && process != NULL)
        code = add_sensors(packets, target->pid);
    return code;
}

static int add_cost(struct monitor_packets *packets, u32 cpu)
{
    struct monitor_stream *stream = &packets->streams[cpu];
    int code = begin_event(packets, cpu, stream->last, COST, 3, 0);
    if (code != KOV_OK)
        return code;
    put_word(stream, stream->cost);
    put_word(stream, MONITOR_COST_RECORDS);
    put_word(stream, stream->cost_fast);
    return KOV_OK;
}

static int begin_stream(struct monitor_packets *packets, u32 cpu, u64 time)
{
    struct monitor_stream *stream = &packets->streams[cpu];
    int code = KOV_OK;
    if (stream->begun)
        return KOV_OK;
    stream->begun = true;
    stream->bytes = memory_get(MONITOR_PACKET_BYTES);
    // A monitor that ran before has older records.
    open_packet(stream, time < packets->begin ? time : packets->begin);
    code = add_cost(packets, cpu);
    if (cpu != 0 || code != KOV_OK)
        return code;
    for (u32 i = 0; i < packets->targets->count && code == KOV_OK; i++)
        code = add_target(packets, &packets->targets->targets[i]);
    return code == KOV_OK ? begin_event(packets, 0, stream->last, STATE_END, 0, 0) : code;
}

// ---- records -----------------------------------------------------------------------------------

int monitor_packets_add(struct monitor_packets *packets, u32 cpu,
                        const Orrery__Dci__MonitorRecord *record)
{
    struct monitor_stream *stream = &packets->streams[cpu];
    int code = begin_stream(packets, cpu, record->time);
    if (code != KOV_OK)
        return code;
    if (record->time < stream->last)
        return fail(KOV_CONNECTION, "a record of CPU %" PRIu32 " comes out of order", cpu);
    if (record->kind >= SYS_MONITOR_KINDS_MAX || kinds[record->kind] == NULL)
        return fail(KOV_CONNECTION, "a record is of kind %" PRIu32 ", which is not known",
                    record->kind);
    code = begin_event(packets, cpu, record->time, record->kind, 3, record->lost);
    if (code != KOV_OK)
        return code;
    put_word(stream,
             (u64)record->id << 32 | (record->reason & 0xffff) << 16 | (record->lost & 0xffff));
    put_word(stream, record->word0);
    put_word(stream, record->word1);
    stream->records++;
    return KOV_OK;
}

int monitor_packets_flush(struct monitor_packets *packets)
{
    int code = KOV_OK;
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS && code == KOV_OK; cpu++) {
        struct monitor_stream *stream = &packets->streams[cpu];
        if (!stream->begun || stream->events == 0)
            continue;
        code = close_packet(packets, cpu);
        open_packet(stream, stream->last);
    }
    return code;
}

// Ends a stream. An empty packet tells what was lost after the last record.
static int end_stream(struct monitor_packets *packets, u32 cpu, u64 end, u64 lost)
{
    struct monitor_stream *stream = &packets->streams[cpu];
    int code = begin_stream(packets, cpu, packets->begin);
    if (code == KOV_OK)
        code = close_packet(packets, cpu);
    if (code != KOV_OK)
        return code;
    open_packet(stream, end > stream->last ? end : stream->last);
    stream->lost = lost > stream->lost ? lost : stream->lost;
    return close_packet(packets, cpu);
}

int monitor_packets_end(struct monitor_packets *packets, u32 cpu_count, u64 end,
                        const u64 lost[ORRERY_MAX_CPUS])
{
    int code = KOV_OK;
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS && code == KOV_OK; cpu++)
        if (cpu < cpu_count || packets->streams[cpu].begun)
            code = end_stream(packets, cpu, end, lost[cpu]);
    return code;
}

int monitor_packets_close(struct monitor_packets *packets, int code)
{
    if (code == KOV_CONNECTION)
        monitor_packets_flush(packets); // what has come before the connection was lost
    return capture_close(&packets->capture, code);
}

void monitor_packets_free(struct monitor_packets *packets)
{
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        free(packets->streams[cpu].bytes);
    programs_close(&packets->programs);
    capture_free(&packets->capture);
}

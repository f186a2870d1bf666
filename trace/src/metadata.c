// SPDX-License-Identifier: MIT
// CTF 1.8 metadata, supplied by the running image, so that it always fits the packets.
#include <stdio.h>
#include <string.h>
#include <trace/described.h>
#include <trace/layout.h>
#include <trace/metadata.h>
#include <trace/platform.h>
#include <trace/table.h>

u8 trace_uuid[16];

static char preamble[3072];
#define UUID_TEXT_SIZE 37
#define BUILD_ID_BYTES sizeof(((struct trace_identity *)0)->build_id)
#define NS 1000000000UL

// struct trace_packet and the event word for CTF. The event word's whole low half is the id:
// readers warn of header fields that they do not know, and each event has one length. Arguments:
// uuid, build id, CPUs, uuid, frequency, and the date at time base 0: seconds, and ticks behind
// them.
static const char template[] =
    "/* CTF 1.8 */\n"
    "typealias integer { size = 8; align = 8; signed = false; } := uint8;\n"
    "typealias integer { size = 16; align = 8; signed = false; } := uint16;\n"
    "typealias integer { size = 32; align = 8; signed = false; } := uint32;\n"
    "typealias integer { size = 64; align = 8; signed = false; } := uint64;\n"
    "typealias integer { size = 64; align = 8; signed = true; } := int64;\n"
    "typealias integer { size = 64; align = 8; signed = false; base = 16; } := hex64;\n"
    "typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := char8;\n"
    "trace {\n"
    "    major = 1; minor = 8; byte_order = be;\n"
    "    uuid = \"%s\";\n"
    "    packet.header := struct { uint32 magic; uint8 uuid[16]; uint32 stream_id; };\n"
    "};\n"
    "env { domain = \"orrery\"; tracer_name = \"orrery\"; tracer_major = 1;\n"
    "    kernel_build_id = \"%s\"; cpus = %u; };\n"
    "clock { name = timebase; uuid = \"%s\"; description = \"Time Base\"; freq = %lu;\n"
    "    offset_s = %lu; offset = %lu; };\n"
    "typealias integer { size = 32; align = 8; signed = false; map = clock.timebase.value; }"
    " := time32;\n"
    "typealias integer { size = 64; align = 8; signed = false; map = clock.timebase.value; }"
    " := time64;\n"
    "stream {\n"
    "    id = 0;\n"
    "    event.header := struct { time32 timestamp; uint32 id; };\n"
    "    packet.context := struct {\n"
    "        time64 timestamp_begin; time64 timestamp_end;\n"
    "        uint64 content_size; uint64 packet_size;\n"
    "        uint64 events_discarded; uint64 packet_seq_num;\n"
    "        uint64 events_overwritten; uint32 event_count; uint32 cpu_id;\n"
    "    };\n"
    "};\n"
    "stream {\n"
    "    id = 1;\n"
    "    event.header := struct { time32 timestamp; uint32 id; };\n"
    "    packet.context := struct {\n"
    "        time64 timestamp_begin; time64 timestamp_end;\n"
    "        uint64 content_size; uint64 packet_size;\n"
    "        uint64 events_discarded; uint32 pid; uint32 packet_seq_num;\n"
    "        uint64 events_overwritten; uint32 event_count; uint32 cpu_id;\n"
    "    };\n"
    "};\n";

static void format_uuid(char text[UUID_TEXT_SIZE])
{
    for (u32 i = 0; i < sizeof(trace_uuid); i++) {
        bool dash = i == 4 || i == 6 || i == 8 || i == 10;
        text += sprintf(text, dash ? "-%02x" : "%02x", trace_uuid[i]);
    }
}

void trace_metadata_init(void)
{
    char uuid[UUID_TEXT_SIZE], build_id[2 * BUILD_ID_BYTES + 1];
    struct trace_identity identity;
    u64 hz = trace_platform_time_hz();
    trace_platform_identity(&identity);
    memcpy(trace_uuid, identity.unique, sizeof(trace_uuid));
    trace_uuid[6] = (u8)((trace_uuid[6] & 0x0f) | 0x40); // RFC 4122: version 4, random
    trace_uuid[8] = (u8)((trace_uuid[8] & 0x3f) | 0x80);
    format_uuid(uuid);
    for (u32 i = 0; i < BUILD_ID_BYTES; i++)
        sprintf(build_id + 2 * i, "%02x", identity.build_id[i]);
    snprintf(preamble, sizeof(preamble), template, uuid, build_id, trace_platform_cpu_count(), uuid,
             (unsigned long)hz, (unsigned long)(identity.date / NS),
             (unsigned long)((unsigned __int128)(identity.date % NS) * hz / NS));
}

const char *trace_metadata_preamble(void)
{
    return preamble;
}

s64 trace_metadata_read(u64 offset, char *buffer, u64 bytes)
{
    u64 first = strlen(preamble);
    const char *text = offset < first ? preamble : trace_metadata_events;
    u64 from = offset < first ? offset : offset - first;
    u64 size = strlen(text);
    if (from >= size)
        return trace_described_metadata(from - size, buffer, bytes);
    u64 count = size - from < bytes ? size - from : bytes;
    memcpy(buffer, text + from, count);
    return (s64)count;
}

// SPDX-License-Identifier: MIT
// Takes packets as they are pushed. An entry's place is the address of its events until they are
// read.
#include "trace/live.h"
#include "tools/kov.h"
#include "tools/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int read_packet(void *context, const struct packet_stream *stream,
                       const struct packet_entry *entry, u8 *content)
{
    void *events = (void *)(uintptr_t)entry->place;
    (void)context;
    (void)stream;
    memcpy(content, events, entry->bytes);
    free(events);
    return KOV_OK;
}

static void free_unread(void *context)
{
    const struct engine *engine = context;
    for (size_t i = 0; i < engine->count; i++) {
        const struct packet_stream *stream = engine->streams[i];
        for (size_t next = stream->next + (stream->content != NULL); next < stream->count; next++)
            free((void *)(uintptr_t)stream->packets[next].place);
    }
}

void engine_open_live(struct engine *engine, const char *where)
{
    *engine = (struct engine){.where = where, .source = {read_packet, free_unread, engine}};
}

static struct packet_stream *stream_of(struct engine *engine, u32 pid, u32 cpu)
{
    for (size_t i = 0; i < engine->count; i++)
        if (engine->streams[i]->pid == pid && engine->streams[i]->cpu == cpu)
            return engine->streams[i];
    char name[48];
    snprintf(name, sizeof(name), "process %" PRIu32 " on CPU %" PRIu32, pid, cpu);
    return engine_add_stream(engine, pid, cpu, pid == 0 ? strchr(name, 'C') : name);
}

// Forgets the packets that were shown, but for the last one, with which the next is compared.
static void forget_shown(struct packet_stream *stream)
{
    if (stream->next < 2)
        return;
    size_t gone = stream->next - 1;
    stream->count -= gone;
    stream->next = 1;
    memmove(stream->packets, stream->packets + gone, stream->count * sizeof(*stream->packets));
}

int engine_add_packet(struct engine *engine, u32 pid, u32 cpu, const u8 *data, size_t bytes)
{
    struct packet_entry entry;
    const char *problem = stream_read_pushed(data, bytes, pid, cpu, &entry);
    if (problem != NULL)
        return fail(KOV_CONNECTION,
                    "a packet of process %" PRIu32 " on CPU %" PRIu32 " is damaged: %s", pid, cpu,
                    problem);
    struct packet_stream *stream = stream_of(engine, pid, cpu);
    forget_shown(stream);
    if (stream->count == 0)
        stream->first_sequence = entry.sequence; // others may have taken what was before
    u8 *events = memory_get(entry.bytes);
    memcpy(events, data + TRACE_PACKET_HEADER_SIZE, entry.bytes);
    entry.place = (uintptr_t)events;
    u64 last;
    problem = stream_check_content(&entry, events, &last);
    if (problem == NULL)
        problem = stream_add(stream, &entry);
    if (problem != NULL) {
        free(events);
        return fail(KOV_CONNECTION, "a packet of %s is damaged: %s", stream->name, problem);
    }
    engine_wake_stream(engine, stream);
    return KOV_OK;
}

u64 engine_complete_until(const struct engine *engine, u32 cpus)
{
    u64 until = UINT64_MAX;
    u32 found = 0;
    for (size_t i = 0; i < engine->count; i++) {
        const struct packet_stream *stream = engine->streams[i];
        if (stream->pid != 0 || stream->cpu >= cpus || stream->count == 0)
            continue;
        found++;
        u64 end = stream->packets[stream->count - 1].end;
        until = end < until ? end : until;
    }
    return found == cpus ? until : 0;
}

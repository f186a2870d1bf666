// SPDX-License-Identifier: MIT
// Compares the streams of a folder with those that its recording lists.
#include "trace/missing.h"
#include "tools/kov.h"

#include <inttypes.h>
#include <stdlib.h>

#define LISTED_MAX 10 // streams that are told one by one

static void tell(const struct engine *engine, u64 number, const char *text)
{
    if (number <= LISTED_MAX)
        warn("%s: %s", engine->where, text);
    else if (number == LISTED_MAX + 1)
        warn("%s: more streams are missing, or not whole", engine->where);
}

static void tell_stream(const struct engine *engine, u64 number, const struct packet_stream *stream,
                        u64 packets)
{
    char text[200], of[64];
    if (stream->pid == 0)
        snprintf(of, sizeof(of), "CPU %" PRIu32 " did", stream->cpu);
    else
        snprintf(of, sizeof(of), "process %" PRIu32 " logged on CPU %" PRIu32, stream->pid,
                 stream->cpu);
    if (stream->count == 0)
        snprintf(text, sizeof(text), "%s is missing, with %" PRIu64 " packets: what %s is unknown",
                 stream->name, packets, of);
    else
        snprintf(text, sizeof(text), "the last %" PRIu64 " packets of %s are missing", packets,
                 stream->name);
    tell(engine, number, text);
}

// Adds a stream without packets for each that is not there.
static void add_missing(struct engine *engine, const struct listed *listed, const bool *there)
{
    u32 cpus = engine->descriptions.cpus == 0 ? ORRERY_MAX_CPUS : engine->descriptions.cpus;
    for (size_t i = 0; i < listed->count; i++) {
        const struct listed_stream *stream = &listed->streams[i];
        char name[STREAM_NAME_BYTES];
        if (there[i] || stream->cpu >= cpus)
            continue;
        listed_name(stream->pid, stream->cpu, name);
        engine_add_stream(engine, stream->pid, stream->cpu, name)->first_sequence = stream->first;
        if (stream->pid == 0) {
            engine->cpus |= 1U << stream->cpu;
            engine->missing_cpus |= 1U << stream->cpu;
        }
    }
}

void missing_note(struct engine *engine, const struct listed *listed)
{
    u64 begin, end, number = 0;
    bool *there = memory_get(listed->count * sizeof(*there) + 1);
    for (size_t i = 0; i < engine->count; i++) {
        const struct packet_stream *stream = engine->streams[i];
        const struct listed_stream *wanted = listed_find(listed, stream->pid, stream->cpu);
        if (wanted != NULL)
            there[wanted - listed->streams] = true;
    }
    add_missing(engine, listed, there);
    free(there);
    engine_range(engine, &begin, &end);
    for (size_t i = 0; i < engine->count; i++) {
        struct packet_stream *stream = engine->streams[i];
        const struct listed_stream *wanted = listed_find(listed, stream->pid, stream->cpu);
        struct trace_loss loss;
        stream->end_sequence = wanted == NULL ? 0 : wanted->last + 1UL;
        stream->trace_end = end;
        if (stream_loss_before(stream, stream->count, &loss))
            tell_stream(engine, ++number, stream, loss.packets);
    }
}

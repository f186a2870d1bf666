// SPDX-License-Identifier: MIT
// Merges streams with a heap.
#include "trace/arrange.h"
#include "tools/kov.h"
#include "tools/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct packet_stream *engine_add_stream(struct engine *engine, u32 pid, u32 cpu, const char *name)
{
    struct packet_stream *stream = memory_get(sizeof(*stream));
    *stream = (struct packet_stream){
        .pid = pid, .cpu = cpu, .number = engine->count, .name = memory_copy_text(name)};
    stream->state = STREAM_END;
    engine->streams =
        memory_grow(engine->streams, engine->count, &engine->capacity, sizeof(*engine->streams));
    engine->streams[engine->count++] = stream;
    return stream;
}

void engine_close(struct engine *engine)
{
    if (engine->source.close != NULL)
        engine->source.close(engine->source.context);
    for (size_t i = 0; i < engine->count; i++)
        stream_free(engine->streams[i]);
    free(engine->streams);
    free(engine->heap);
    descriptions_free(&engine->descriptions);
    memory_waits_free(&engine->waits);
    *engine = (struct engine){0};
}

bool engine_range(const struct engine *engine, u64 *begin, u64 *end)
{
    *begin = UINT64_MAX;
    *end = 0;
    for (size_t i = 0; i < engine->count; i++) {
        const struct packet_stream *stream = engine->streams[i];
        if (stream->count == 0)
            continue;
        if (stream->packets[0].begin < *begin)
            *begin = stream->packets[0].begin;
        if (stream->packets[stream->count - 1].end > *end)
            *end = stream->packets[stream->count - 1].end;
    }
    return *begin <= *end;
}

u64 engine_known_until(const struct engine *engine, u32 cpu)
{
    u64 until = 0;
    for (size_t i = 0; i < engine->count; i++) {
        const struct packet_stream *stream = engine->streams[i];
        if (stream->pid == 0 && stream->cpu == cpu && stream->count > 0)
            until = stream->packets[stream->count - 1].end;
    }
    return until;
}

// ---- the heap ----------------------------------------------------------------------------------

// Compares two streams. A loss is told before the events of its time. Else the order is that of the
// streams.
static bool is_before(const struct packet_stream *one, const struct packet_stream *other)
{
    if (one->time != other->time)
        return one->time < other->time;
    bool first = one->state == STREAM_LOSS, second = other->state == STREAM_LOSS;
    return first != second ? first : one->number < other->number;
}

static void sift_down(struct engine *engine, size_t place)
{
    struct packet_stream **heap = engine->heap, *moved = heap[place];
    for (;;) {
        size_t child = 2 * place + 1;
        if (child >= engine->heap_count)
            break;
        if (child + 1 < engine->heap_count && is_before(heap[child + 1], heap[child]))
            child++;
        if (!is_before(heap[child], moved))
            break;
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = moved;
}

static void push(struct engine *engine, struct packet_stream *stream)
{
    engine->heap = memory_grow(engine->heap, engine->heap_count, &engine->heap_capacity,
                               sizeof(struct packet_stream *));
    size_t place = engine->heap_count++;
    for (; place > 0 && is_before(stream, engine->heap[(place - 1) / 2]); place = (place - 1) / 2)
        engine->heap[place] = engine->heap[(place - 1) / 2];
    engine->heap[place] = stream;
}

void engine_seek(struct engine *engine, u64 from)
{
    engine->heap_count = 0;
    engine->from = from;
    for (size_t i = 0; i < engine->count; i++) {
        stream_seek(engine->streams[i], from);
        if (engine->streams[i]->state != STREAM_END)
            push(engine, engine->streams[i]);
    }
}

void engine_wake_stream(struct engine *engine, struct packet_stream *stream)
{
    if (stream->state != STREAM_END)
        return;
    stream_at_packet(stream);
    push(engine, stream);
}

// ---- visiting ----------------------------------------------------------------------------------

// Leaves out the packet that comes next. All its events are lost.
static int leave_out(struct engine *engine, struct packet_stream *stream,
                     const struct visitor *visitor, const char *problem)
{
    struct packet_entry *entry = &stream->packets[stream->next++];
    const struct trace_loss loss = {.from = entry->begin,
                                    .to = entry->end,
                                    .pid = stream->pid,
                                    .cpu = stream->cpu,
                                    .packets = 1};
    if (!entry->damaged)
        engine_leave_out_entry(engine, stream, entry, problem);
    entry->damaged = true;
    stream_at_packet(stream);
    return visitor->loss == NULL || loss.to < engine->from ? KOV_OK
                                                           : visitor->loss(visitor->context, &loss);
}

static int begin_packet(struct engine *engine, struct packet_stream *stream,
                        const struct visitor *visitor)
{
    const struct packet_entry *entry = &stream->packets[stream->next];
    u8 *content = memory_get(entry->bytes);
    u64 last;
    int code = engine->source.read(engine->source.context, stream, entry, content);
    const char *problem = code == KOV_OK ? stream_check_content(entry, content, &last) : NULL;
    if (code != KOV_OK || problem != NULL)
        free(content);
    else
        stream_begin_content(stream, content);
    return problem == NULL ? code : leave_out(engine, stream, visitor, problem);
}

static int visit_loss(struct engine *engine, struct packet_stream *stream,
                      const struct visitor *visitor)
{
    struct trace_loss loss;
    stream_loss_before(stream, stream->next, &loss);
    stream->state = stream->next < stream->count ? STREAM_PACKET : STREAM_END;
    stream->time = loss.to;
    if (visitor->loss == NULL || loss.to < engine->from)
        return KOV_OK;
    return visitor->loss(visitor->context, &loss);
}

// Reads the fields that kov knows by name, once for all visitors.
static void read_values(struct trace_event *event)
{
    const struct described_kind *known = &event->description->known;
    u64 all[TRACE_MAX_FIELDS];
    event->kind = event->pid == 0 ? (enum event_kind)known->kind : EVENT_OTHER;
    if (known->told == 0)
        return;
    trace_event_fields(event, all);
    for (u32 i = 0; i < EVENT_FIELDS_MAX; i++)
        event->values[i] = (known->told >> i & 1) != 0 ? all[known->places[i]] : 0;
}

static int visit_event(struct engine *engine, struct packet_stream *stream,
                       const struct visitor *visitor)
{
    const struct stream_event *found = &stream->event;
    int code = KOV_OK;
    if (found->time >= engine->from && visitor->event != NULL) {
        struct trace_event event = {
            .time = found->time,
            .pid = stream->pid,
            .cpu = stream->cpu,
            .id = found->id,
            .words = found->words,
            .data = found->data,
            .description = descriptions_find(&engine->descriptions, found->id),
        };
        if (event.description != NULL && !trace_event_fits(&event.description->info, event.words))
            event.description = NULL;
        if (event.description != NULL)
            read_values(&event);
        code = visitor->event(visitor->context, &event);
    }
    stream_next_event(stream);
    return code;
}

int engine_visit(struct engine *engine, u64 to, const struct visitor *visitor)
{
    int code = KOV_OK;
    while (code == KOV_OK && engine->heap_count > 0 && engine->heap[0]->time <= to) {
        struct packet_stream *first = engine->heap[0];
        if (first->state == STREAM_LOSS)
            code = visit_loss(engine, first, visitor);
        else if (first->state == STREAM_PACKET)
            code = begin_packet(engine, first, visitor);
        else
            code = visit_event(engine, first, visitor);
        // The time of the heap's first stream has changed.
        if (engine->heap[0]->state == STREAM_END)
            engine->heap[0] = engine->heap[--engine->heap_count];
        if (engine->heap_count > 0)
            sift_down(engine, 0);
    }
    return code == VISIT_ENOUGH ? KOV_OK : code;
}

void trace_event_fields(const struct trace_event *event, u64 values[TRACE_MAX_FIELDS])
{
    u64 words[TRACE_MAX_WORDS + 2];
    for (u32 i = 0; i < event->description->info.words && i < ARRAY_SIZE(words); i++) {
        memcpy(&words[i], event->data + i * sizeof(u64), sizeof(u64));
        words[i] = TRACE_BE64(words[i]);
    }
    trace_event_values(&event->description->info, words, values);
}

bool trace_event_string(const struct trace_event *event, char text[TRACE_TEXT_BYTES])
{
    bool has = trace_event_has_text(&event->description->info);
    if (has)
        trace_event_text(&event->description->info, event->data, event->words, text);
    return has;
}

// SPDX-License-Identifier: MIT
// Packets in the order of time whose sequence numbers, times and counts all rise. Where some do
// not, as few as possible are left out: the longest chain of packets that agree stays. One damaged
// header therefore costs one packet, whatever it claims.
#include "trace/arrange.h"
#include "tools/kov.h"
#include "tools/memory.h"

#include <orrery/lower_bound.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LISTED_MAX 10    // packets that are told one by one
#define WRAP (1UL << 32) // ticks after which the times of events repeat

void engine_leave_out(struct engine *engine, const char *place, const char *problem)
{
    engine->left_out++;
    if (engine->left_out <= LISTED_MAX)
        warn("%s: %s is left out: %s", engine->where, place, problem);
    else if (engine->left_out == LISTED_MAX + 1)
        warn("%s: more packets are left out", engine->where);
}

void engine_leave_out_entry(struct engine *engine, const struct packet_stream *stream,
                            const struct packet_entry *entry, const char *problem)
{
    char place[320];
    snprintf(place, sizeof(place), "packet %" PRIu32 " of %s", entry->sequence, stream->name);
    engine_leave_out(engine, place, problem);
}

// ---- the same packet twice ---------------------------------------------------------------------

static int compare(const void *one, const void *other)
{
    const struct packet_entry *a = one, *b = other;
    const u64 first[] = {a->begin, a->sequence, a->end, a->file, a->place};
    const u64 second[] = {b->begin, b->sequence, b->end, b->file, b->place};
    for (u32 i = 0; i < ARRAY_SIZE(first); i++)
        if (first[i] != second[i])
            return first[i] < second[i] ? -1 : 1;
    return 0;
}

static bool is_repeated(const struct packet_entry *one, const struct packet_entry *other)
{
    return one->begin == other->begin && one->sequence == other->sequence &&
           one->end == other->end && one->bytes == other->bytes && one->events == other->events &&
           one->discarded == other->discarded;
}

static size_t drop_repeated(struct packet_stream *stream)
{
    size_t kept = 0, count = stream->count;
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || !is_repeated(&stream->packets[kept - 1], &stream->packets[i]))
            stream->packets[kept++] = stream->packets[i];
    stream->count = kept;
    return count - kept;
}

// ---- packets that agree ------------------------------------------------------------------------

// What must rise from packet to packet: each begins where the one before has ended, or later.
enum rising { SEQUENCE, TIME, DISCARDED, RISING };
static const char *const problems[RISING] = {
    [SEQUENCE] = "it comes out of order",
    [TIME] = "its time cannot be",
    [DISCARDED] = "its count of discarded events cannot be",
};

static u64 low_of(const struct packet_entry *entry, enum rising what)
{
    return what == SEQUENCE ? entry->sequence : what == TIME ? entry->begin : entry->discarded;
}

static u64 high_of(const struct packet_entry *entry, enum rising what)
{
    return what == SEQUENCE ? entry->sequence + 1UL : what == TIME ? entry->end : entry->discarded;
}

static bool all_rise(const struct packet_stream *stream, enum rising what)
{
    for (size_t i = 1; i < stream->count; i++)
        if (low_of(&stream->packets[i], what) < high_of(&stream->packets[i - 1], what))
            return false;
    return true;
}

// Returns how many of the chains found so far end at `low` or before.
static size_t chains_before(const struct packet_stream *stream, enum rising what,
                            const size_t *ends, size_t chains, u64 low)
{
    return LOWER_BOUND(at, chains, high_of(&stream->packets[ends[at]], what) <= low);
}

// Keeps the longest chain (patience sorting). ends[n] is the packet that ends a chain of n + 1
// packets earliest.
static void keep_rising(struct engine *engine, struct packet_stream *stream, enum rising what)
{
    if (all_rise(stream, what))
        return;
    size_t count = stream->count, chains = 0, kept = 0;
    size_t *ends = memory_get(count * sizeof(*ends)), *before = memory_get(count * sizeof(*before));
    bool *stays = memory_get(count * sizeof(*stays));
    for (size_t i = 0; i < count; i++) {
        const struct packet_entry *entry = &stream->packets[i];
        size_t length = chains_before(stream, what, ends, chains, low_of(entry, what));
        before[i] = length == 0 ? SIZE_MAX : ends[length - 1];
        if (length == chains ||
            high_of(entry, what) < high_of(&stream->packets[ends[length]], what))
            ends[length] = i;
        chains = length == chains ? chains + 1 : chains;
    }
    memset(stays, 0, count * sizeof(*stays));
    for (size_t i = ends[chains - 1]; i != SIZE_MAX; i = before[i])
        stays[i] = true;
    for (size_t i = 0; i < count; i++) {
        if (stays[i])
            stream->packets[kept++] = stream->packets[i];
        else
            engine_leave_out_entry(engine, stream, &stream->packets[i], problems[what]);
    }
    stream->count = kept;
    free(ends);
    free(before);
    free(stays);
}

// ---- times that only the first or the last packet claims ---------------------------------------

// Returns whether another CPU's stream begins, or ends, within a wrap of this time.
static bool has_witness(const struct engine *engine, const struct packet_stream *stream, bool end,
                        u64 time)
{
    for (size_t i = 0; i < engine->count; i++) {
        const struct packet_stream *other = engine->streams[i];
        if (other == stream || other->pid != 0 || other->count == 0)
            continue;
        u64 theirs = end ? other->packets[other->count - 1].end : other->packets[0].begin;
        if (theirs - time + WRAP < 2 * WRAP)
            return true;
    }
    return false;
}

static bool is_long(const struct packet_entry *entry)
{
    return entry->end - entry->begin >= WRAP;
}

// A CPU that logs has an event or ends its packet every two seconds (trace/src/mask.c). A packet
// that takes longer was open while nothing was traced, or its time is wrong. If no other CPU knows
// of that time, it counts only up to its last event, or from there.
static void doubt_end(struct engine *engine, struct packet_stream *stream)
{
    struct packet_entry *last = stream->count > 0 ? &stream->packets[stream->count - 1] : NULL;
    if (last == NULL || !is_long(last))
        return;
    u8 *content = memory_get(last->bytes);
    u64 time = last->begin;
    if (!has_witness(engine, stream, true, last->end) &&
        engine->source.read(engine->source.context, stream, last, content) == KOV_OK &&
        stream_check_content(last, content, &time) == NULL && time < last->end) {
        warn("%s: the end of the last packet of %s is not believed: nothing was logged in its last "
             "%.3f s",
             engine->where, stream->name,
             (double)(last->end - time) / (double)engine->descriptions.hz);
        last->end = time;
    }
    free(content);
}

static void doubt_begin(struct engine *engine, struct packet_stream *stream)
{
    if (stream->count < 2 || !is_long(&stream->packets[0]) ||
        (engine->cpus & (engine->cpus - 1)) == 0 ||
        has_witness(engine, stream, false, stream->packets[0].begin))
        return;
    engine_leave_out_entry(engine, stream, &stream->packets[0], problems[TIME]);
    memmove(stream->packets, stream->packets + 1, --stream->count * sizeof(*stream->packets));
}

// ---- the engine --------------------------------------------------------------------------------

void engine_tell_unknown(const struct engine *engine)
{
    u64 begin, end, hz = engine->descriptions.hz;
    if (!engine_range(engine, &begin, &end))
        return;
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++) {
        u64 until = engine_known_until(engine, cpu);
        if (((engine->cpus & ~engine->missing_cpus) >> cpu & 1) == 0)
            continue;
        if (until == 0)
            warn("%s: CPU %" PRIu32 " has no stream: what it did is unknown", engine->where, cpu);
        else if (end - until > hz / ENGINE_CLOSING_PART)
            warn("%s: the stream of CPU %" PRIu32 " ends %.3f s before the trace: what it did then "
                 "is unknown",
                 engine->where, cpu, (double)(end - until) / (double)hz);
    }
}

void engine_arrange(struct engine *engine)
{
    size_t repeated = 0;
    for (size_t i = 0; i < engine->count; i++) {
        struct packet_stream *stream = engine->streams[i];
        if (stream->count > 1)
            qsort(stream->packets, stream->count, sizeof(*stream->packets), compare);
        repeated += drop_repeated(stream);
        for (enum rising what = 0; what < RISING && stream->count > 0; what++)
            keep_rising(engine, stream, what);
    }
    for (size_t i = 0; i < engine->count; i++) {
        doubt_begin(engine, engine->streams[i]);
        doubt_end(engine, engine->streams[i]);
    }
    if (repeated > 0)
        warn("%s: %zu packets are there twice: each counts once", engine->where, repeated);
}

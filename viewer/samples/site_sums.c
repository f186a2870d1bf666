// SPDX-License-Identifier: MIT
// Sums of samples by site: a hash table over one array of limited size.
#include "samples/site_sums.h"
#include "tools/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STREAMS_MAX (SITE_EVENTS_MAX * ORRERY_MAX_CPUS)
#define UNBOUNDED_KINDS 5 // SITE_ALL, SITE_IDLE and the others: one of each for an event and CPU
#define SLOTS_MIN 64

static bool is_bounded(enum site_kind kind)
{
    return kind == SITE_PROCESS || kind == SITE_OBJECT || kind == SITE_NONE || kind == SITE_STALE ||
           kind == SITE_STACK;
}

static bool is_absurd(u32 event, u32 cpu)
{
    return event >= SITE_EVENTS_MAX || cpu >= ORRERY_MAX_CPUS;
}

// ---- memory ------------------------------------------------------------------------------------

// Returns the number of slots for so many sums. At most three of four slots are taken.
static size_t slots_for(size_t sums)
{
    size_t slots = SLOTS_MIN;
    while (slots / 4 * 3 < sums)
        slots *= 2;
    return slots;
}

void site_sums_begin(struct site_sums *sums, size_t limit)
{
    *sums = (struct site_sums){.limit = limit};
}

static struct site_sums reserved_for(size_t limit)
{
    size_t capacity = limit + (size_t)UNBOUNDED_KINDS * STREAMS_MAX;
    return (struct site_sums){.capacity = capacity,
                              .slot_count = slots_for(capacity),
                              .stream_capacity = STREAMS_MAX,
                              .limit = limit};
}

size_t site_sums_reserve_bytes(size_t limit)
{
    struct site_sums reserved = reserved_for(limit);
    return site_sums_bytes(&reserved);
}

void site_sums_reserve(struct site_sums *sums)
{
    struct site_sums reserved = reserved_for(sums->limit);
    reserved.sums = memory_get(reserved.capacity * sizeof(*reserved.sums));
    reserved.slots = memory_get(reserved.slot_count * sizeof(*reserved.slots));
    reserved.streams = memory_get(reserved.stream_capacity * sizeof(*reserved.streams));
    site_sums_free(sums);
    *sums = reserved;
}

void site_sums_clear(struct site_sums *sums)
{
    if (sums->slots != NULL)
        memset(sums->slots, 0, sums->slot_count * sizeof(*sums->slots));
    sums->count = 0;
    sums->bounded = sums->stacks = 0;
    sums->stream_count = 0;
    sums->refused = 0;
}

void site_sums_free(struct site_sums *sums)
{
    free(sums->sums);
    free(sums->slots);
    free(sums->streams);
    *sums = (struct site_sums){.limit = sums->limit};
}

size_t site_sums_bytes(const struct site_sums *sums)
{
    return sums->capacity * sizeof(*sums->sums) + sums->slot_count * sizeof(*sums->slots) +
           sums->stream_capacity * sizeof(*sums->streams);
}

size_t site_sums_packed_bytes(const struct site_sums *sums)
{
    return sums->count * sizeof(*sums->sums) + sums->stream_count * sizeof(*sums->streams);
}

void site_sums_pack(const struct site_sums *sums, struct site_sums *packed)
{
    *packed = *sums;
    packed->slots = NULL;
    packed->slot_count = 0;
    packed->capacity = sums->count;
    packed->stream_capacity = sums->stream_count;
    packed->sums = memory_get(sums->count * sizeof(*sums->sums));
    packed->streams = memory_get(sums->stream_count * sizeof(*sums->streams));
    if (sums->count > 0)
        memcpy(packed->sums, sums->sums, sums->count * sizeof(*sums->sums));
    if (sums->stream_count > 0)
        memcpy(packed->streams, sums->streams, sums->stream_count * sizeof(*sums->streams));
}

// ---- the table ---------------------------------------------------------------------------------

static bool same_site(const struct site *left, const struct site *right)
{
    return left->coid == right->coid && left->pid == right->pid && left->kind == right->kind &&
           left->event == right->event && left->cpu == right->cpu;
}

// Applies the last steps of MurmurHash3 to each half of a site.
static u64 mixed(u64 value)
{
    value ^= value >> 33;
    value *= 0xff51afd7ed558ccdu;
    value ^= value >> 33;
    value *= 0xc4ceb9fe1a85ec53u;
    return value ^ value >> 33;
}

static u32 *slot_of(const struct site_sums *sums, const struct site *site)
{
    u64 rest = (u64)site->pid << 32 | (u64)site->kind << 16 | (u64)site->event << 8 | site->cpu;
    size_t slot = mixed(site->coid ^ mixed(rest)) & (sums->slot_count - 1);
    while (sums->slots[slot] != 0 && !same_site(&sums->sums[sums->slots[slot] - 1].site, site))
        slot = (slot + 1) & (sums->slot_count - 1);
    return &sums->slots[slot];
}

static void grow_slots(struct site_sums *sums)
{
    free(sums->slots);
    sums->slot_count = slots_for(2 * (sums->count + 1));
    sums->slots = memory_get(sums->slot_count * sizeof(*sums->slots));
    for (size_t i = 0; i < sums->count; i++)
        *slot_of(sums, &sums->sums[i].site) = (u32)i + 1;
}

static bool has_room(const struct site_sums *sums, enum site_kind kind)
{
    return !is_bounded(kind) ||
           (sums->bounded < sums->limit && (kind != SITE_STACK || sums->stacks < sums->limit / 2));
}

static enum site_kind others_of(enum site_kind kind)
{
    if (kind == SITE_STACK)
        return SITE_OTHER_STACKS;
    return kind == SITE_PROCESS ? SITE_OTHER_PROCESSES : SITE_OTHER_OBJECTS;
}

// Returns the sum of a site. Returns that of others if there is no room for one more.
static struct site_sum *sum_of(struct site_sums *sums, struct site site)
{
    if (sums->count + 1 > sums->slot_count / 4 * 3)
        grow_slots(sums);
    u32 *slot = slot_of(sums, &site);
    if (*slot == 0 && !has_room(sums, site.kind)) {
        site.kind = (u8)others_of(site.kind);
        site.pid = 0;
        site.coid = 0;
        slot = slot_of(sums, &site);
    }
    if (*slot == 0) {
        sums->sums = memory_grow(sums->sums, sums->count, &sums->capacity, sizeof(*sums->sums));
        sums->sums[sums->count] = (struct site_sum){.site = site};
        sums->bounded += is_bounded(site.kind);
        sums->stacks += site.kind == SITE_STACK;
        *slot = (u32)++sums->count;
    }
    return &sums->sums[*slot - 1];
}

// ---- turns -------------------------------------------------------------------------------------

static void begin_turn(struct site_sum *sum, u8 turn, double events)
{
    if (sum->several_turns)
        sum->turn_squares += sum->latest_events * sum->latest_events;
    else
        sum->first_events = sum->latest_events;
    sum->several_turns = true;
    sum->latest_turn = turn;
    sum->latest_events = events;
}

static void add_to_turn(struct site_sum *sum, u8 turn, double events)
{
    if (sum->samples == 0) {
        sum->first_turn = sum->latest_turn = turn;
        sum->latest_events = events;
    } else if (turn == sum->latest_turn) {
        sum->latest_events += events;
    } else {
        begin_turn(sum, turn, events);
    }
}

double site_sum_turn_squares(const struct site_sum *sum)
{
    return sum->turn_squares + sum->first_events * sum->first_events +
           sum->latest_events * sum->latest_events;
}

// Adds the turns of a later interval.
static void join_turns(struct site_sum *sum, const struct site_sum *later)
{
    add_to_turn(sum, later->first_turn,
                later->several_turns ? later->first_events : later->latest_events);
    if (later->several_turns) {
        begin_turn(sum, later->latest_turn, later->latest_events);
        sum->turn_squares += later->turn_squares;
    }
}

// ---- samples and streams -----------------------------------------------------------------------

static enum site_kind kind_of(const struct sample *sample)
{
    if ((sample->flags & SYS_SAMPLE_IDLE) != 0)
        return SITE_IDLE;
    if ((sample->flags & SYS_SAMPLE_STALE) != 0)
        return SITE_STALE;
    return (sample->flags & SYS_SAMPLE_ATTRIBUTED) == 0 ? SITE_NONE : SITE_OBJECT;
}

static void add_to(struct site_sums *sums, struct site site, const struct sample *sample)
{
    struct site_sum *sum = sum_of(sums, site);
    double weight = (double)sample->weight;
    add_to_turn(sum, SYS_SAMPLE_TURN_OF(sample->flags), weight);
    sum->samples++;
    sum->events += sample->weight;
    sum->square += weight * weight;
}

void site_sums_add(struct site_sums *sums, u32 event, const struct sample *sample)
{
    if (is_absurd(event, sample->cpu)) {
        sums->refused++;
        return;
    }
    struct site all = {.kind = SITE_ALL, .event = (u8)event, .cpu = (u8)sample->cpu};
    struct site process = all, object = all;
    process.kind = SITE_PROCESS;
    process.pid = sample->pid;
    object.kind = kind_of(sample);
    object.pid = object.kind == SITE_IDLE ? 0 : sample_space(sample);
    object.coid = object.kind == SITE_OBJECT ? sample->coid : 0;
    add_to(sums, all, sample);
    add_to(sums, object, sample);
    if (object.kind != SITE_IDLE)
        add_to(sums, process, sample);
}

void site_sums_count(struct site_sums *sums, struct site site, u64 count)
{
    struct site all = {.kind = SITE_ALL, .event = site.event, .cpu = site.cpu};
    struct site process = all;
    if (is_absurd(site.event, site.cpu)) {
        sums->refused++;
        return;
    }
    process.kind = SITE_PROCESS;
    process.pid = site.pid;
    sum_of(sums, all)->events += count;
    sum_of(sums, process)->events += count;
    sum_of(sums, site)->events += count;
}

static struct site_stream *find_stream(const struct site_sums *sums, u32 event, u32 cpu)
{
    for (size_t i = 0; i < sums->stream_count; i++)
        if (sums->streams[i].event == event && sums->streams[i].cpu == cpu)
            return &sums->streams[i];
    return NULL;
}

void site_sums_add_stream(struct site_sums *sums, const struct site_stream *stream)
{
    if (is_absurd(stream->event, stream->cpu))
        return;
    struct site_stream *sum = find_stream(sums, stream->event, stream->cpu);
    if (sum == NULL) {
        sums->streams = memory_grow(sums->streams, sums->stream_count, &sums->stream_capacity,
                                    sizeof(*sums->streams));
        sums->streams[sums->stream_count++] = *stream;
        return;
    }
    sum->counts.taken += stream->counts.taken;
    sum->counts.lost += stream->counts.lost;
    sum->counts.missed += stream->counts.missed;
    sum->counts.overflows += stream->counts.overflows;
    sum->filtered += stream->filtered;
    sample_share_add(&sum->share, &stream->share);
    sum->covered += stream->covered;
}

static void add_sum(struct site_sums *sums, const struct site_sum *later)
{
    struct site_sum *sum = sum_of(sums, later->site);
    if (same_site(&sum->site, &later->site)) {
        join_turns(sum, later);
    } else { // may be in the same turns: the squares of their sums are at most so large
        double squares = sqrt(site_sum_turn_squares(sum)) + sqrt(site_sum_turn_squares(later));
        sum->turn_squares = squares * squares;
        sum->several_turns = true;
        sum->first_events = sum->latest_events = 0;
    }
    sum->samples += later->samples;
    sum->events += later->events;
    sum->square += later->square;
}

void site_sums_add_sum(struct site_sums *sums, const struct site_sum *later)
{
    if (is_absurd(later->site.event, later->site.cpu))
        sums->refused++;
    else
        add_sum(sums, later);
}

void site_sums_join(struct site_sums *sums, const struct site_sums *later)
{
    for (size_t i = 0; i < later->count; i++)
        add_sum(sums, &later->sums[i]);
    for (size_t i = 0; i < later->stream_count; i++)
        site_sums_add_stream(sums, &later->streams[i]);
    sums->refused += later->refused;
}

// ---- questions ---------------------------------------------------------------------------------

bool site_sums_sampled(const struct site_sums *sums, u32 event)
{
    for (size_t i = 0; i < sums->stream_count; i++)
        if (sums->streams[i].event == event)
            return true;
    return false;
}

struct sample_share site_sums_share(const struct site_sums *sums, u32 event)
{
    struct sample_share share = {0};
    for (size_t i = 0; i < sums->stream_count; i++)
        if (sums->streams[i].event == event)
            sample_share_add(&share, &sums->streams[i].share);
    return share;
}

u64 site_sums_covered(const struct site_sums *sums, u32 event)
{
    u64 covered = 0;
    for (size_t i = 0; i < sums->stream_count; i++)
        if (sums->streams[i].event == event && sums->streams[i].covered > covered)
            covered = sums->streams[i].covered;
    return covered;
}

double site_sums_overflows(const struct site_sums *sums, u32 event, u32 cpu)
{
    const struct site_stream *stream = find_stream(sums, event, cpu);
    return stream == NULL ? 1 : overflows_a_sample(&stream->counts);
}

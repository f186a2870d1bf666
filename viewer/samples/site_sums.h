// SPDX-License-Identifier: MIT
// Sums of samples by site. A site is where samples were: an object, a process, all. Sums of
// intervals can be joined. The number of sites is limited; samples of more sites go to "others".
#ifndef KOV_SITE_SUMS_H
#define KOV_SITE_SUMS_H

#include "samples/samples.h"
#include "samples/share.h"

#define SITE_EVENTS_MAX 64 // different events, each with its number
#define SITES_MAX 65536    // a site counts once for each event and CPU

enum site_kind {
    SITE_ALL,             // every sample is in it, too
    SITE_PROCESS,         // process pid ran, or the kernel worked for it; 0: for no process
    SITE_OTHER_PROCESSES, // those without room
    SITE_IDLE,            // the idle loop, in place of an object and of a process
    SITE_OBJECT,          // object coid of pid; 0: of the kernel
    SITE_NONE,            // no object; the code is that of pid, 0: of the kernel
    SITE_STALE,           // an object that was gone; pid as for SITE_NONE
    SITE_OTHER_OBJECTS,   // those without room
    // In addition, where stacks are told:
    SITE_STACK,        // the stack whose number is in coid
    SITE_OTHER_STACKS, // those without room
};

struct site {
    coid_t coid;
    u32 pid;
    u8 kind; // enum site_kind
    u8 event, cpu;
};

// What the samples of a site stand for, of one event on one CPU, not scaled. Turns are those of
// sample_sum.h. But a turn that ends one sum and begins the next one counts as one turn.
struct site_sum {
    struct site site;
    u64 samples, events;
    double square;
    bool several_turns;
    u8 first_turn, latest_turn;
    double first_events, latest_events; // of these turns; first_events only if there are several
    double turn_squares;                // of the turns between them
};

// What the machine counted about an event on a CPU in an interval. Each event and CPU that was
// sampled has one, even without samples.
struct site_stream {
    u32 event, cpu;
    struct overflow_counts counts;
    u64 filtered;
    struct sample_share share;
    u64 covered; // time base ticks in which it was sampled or counted
};

struct site_sums {
    struct site_sum *sums;
    size_t count, capacity;
    size_t bounded; // the part of them to which the limit applies: processes, objects, stacks
    size_t stacks;  // of these; they take at most half of the room
    size_t limit;
    u32 *slots; // hash table of index + 1; NULL once nothing may be added
    size_t slot_count;
    struct site_stream *streams;
    size_t stream_count, stream_capacity;
    u64 refused; // samples of absurd CPUs or events
};

// Begins empty sums of at most so many sites (SITES_MAX).
void site_sums_begin(struct site_sums *sums, size_t limit);
// Takes all the memory that it can ever need. The second function returns how many bytes that is.
void site_sums_reserve(struct site_sums *sums);
size_t site_sums_reserve_bytes(size_t limit);
// Forgets all sites and streams, but keeps the memory.
void site_sums_clear(struct site_sums *sums);
void site_sums_free(struct site_sums *sums);

// Adds a sample with its weight (samples_add). `event` replaces its index in the session.
void site_sums_add(struct site_sums *sums, u32 event, const struct sample *sample);
// Adds the sum of a site from a later interval. What has no room goes to others.
void site_sums_add_sum(struct site_sums *sums, const struct site_sum *later);
// Adds a count of an object on a CPU. It was counted, not sampled, so it is exact and has no
// samples.
void site_sums_count(struct site_sums *sums, struct site site, u64 count);
// Adds to the entry of this event and CPU. Leaves out absurd numbers.
void site_sums_add_stream(struct site_sums *sums, const struct site_stream *stream);
// Adds the sums of a later interval. What has no room goes to others.
void site_sums_join(struct site_sums *sums, const struct site_sums *later);
// Makes a copy that takes as little memory as possible, for joins and rankings. Nothing may be
// added to it.
void site_sums_pack(const struct site_sums *sums, struct site_sums *packed);
// Return the bytes that it has taken, and the bytes that its packed copy will take.
size_t site_sums_bytes(const struct site_sums *sums);
size_t site_sums_packed_bytes(const struct site_sums *sums);

// Returns the sum over all turns of the squares of what each turn's samples stand for.
double site_sum_turn_squares(const struct site_sum *sum);
// Returns whether the event was sampled on any CPU.
bool site_sums_sampled(const struct site_sums *sums, u32 event);
// Returns how much of the time it was sampled, on all CPUs.
struct sample_share site_sums_share(const struct site_sums *sums, u32 event);
// Returns how long it was sampled, in ticks, on the CPU where that was longest.
u64 site_sums_covered(const struct site_sums *sums, u32 event);
// Returns how many overflows stand behind a sample.
double site_sums_overflows(const struct site_sums *sums, u32 event, u32 cpu);

#endif

// SPDX-License-Identifier: MIT
// Sums of samples by site, which is where they were: an object, a process, all. Sums of intervals
// can be joined. The number of sites is bounded; samples of any more go to "others".
#ifndef KOV_SITE_SUMS_H
#define KOV_SITE_SUMS_H

#include "samples/samples.h"
#include "samples/share.h"

#define SITE_EVENTS_MAX 64 // different events; a number each
#define SITES_MAX 65536    // a site is counted once for each event and CPU

enum site_kind {
    SITE_ALL,             // every sample is in it
    SITE_PROCESS,         // pid ran, or the kernel worked for it; 0: for nobody
    SITE_OTHER_PROCESSES, // for want of room
    SITE_IDLE,            // the idle loop: in place of an object, and of a process
    SITE_OBJECT,          // coid of pid; 0: of the kernel
    SITE_NONE,            // no object; in the code of pid, 0: of the kernel
    SITE_STALE,           // an object that was gone; likewise
    SITE_OTHER_OBJECTS,   // for want of room
};

struct site {
    coid_t coid;
    u32 pid;
    u8 kind; // enum site_kind
    u8 event, cpu;
};

// What the samples of a site stand for, of one event on one CPU, not scaled. Turns as in
// sample_sum.h, but so that the same turn at the end of one sum and at the begin of the next is
// one.
struct site_sum {
    struct site site;
    u64 samples, events;
    double square;
    bool several_turns;
    u8 first_turn, latest_turn;
    double first_events, latest_events; // of these turns; first_events only of several
    double turn_squares;                // of turns between them
};

// What the machine counted about an event on a CPU in an interval. There is one of each that was
// sampled, even where it has no sample.
struct site_stream {
    u32 event, cpu;
    struct overflow_counts counts;
    u64 filtered;
    struct sample_share share;
    u64 covered; // ticks of the time base in which it was sampled or counted
};

struct site_sums {
    struct site_sum *sums;
    size_t count, capacity;
    size_t bounded; // of these, those that the limit is for: processes, objects
    size_t limit;
    u32 *slots; // hash table of index + 1; NULL where nothing is added any more
    size_t slot_count;
    struct site_stream *streams;
    size_t stream_count, stream_capacity;
    u64 refused; // samples of absurd CPUs or events
};

// Empty, for at most so many sites (SITES_MAX).
void site_sums_begin(struct site_sums *sums, size_t limit);
// Takes all the memory at once that it can ever need, and how many bytes that is.
void site_sums_reserve(struct site_sums *sums);
size_t site_sums_reserve_bytes(size_t limit);
// Forgets all sites and streams, not the memory.
void site_sums_clear(struct site_sums *sums);
void site_sums_free(struct site_sums *sums);

// A sample with its weight (samples_add). event: in place of its index in the session.
void site_sums_add(struct site_sums *sums, u32 event, const struct sample *sample);
// What was counted, not sampled, of an object on a CPU: exact, of no samples.
void site_sums_count(struct site_sums *sums, struct site site, u64 count);
// Adds to the entry of this event and CPU; absurd numbers are left out.
void site_sums_add_stream(struct site_sums *sums, const struct site_stream *stream);
// Adds those of a later interval. What has no room goes to others.
void site_sums_join(struct site_sums *sums, const struct site_sums *later);
// A copy that needs no more memory than it must, for joins and rankings; nothing is added to it.
void site_sums_pack(const struct site_sums *sums, struct site_sums *packed);
// Bytes that it has taken, and that its packed copy will take.
size_t site_sums_bytes(const struct site_sums *sums);
size_t site_sums_packed_bytes(const struct site_sums *sums);

// Of all turns, the squares of what each one's samples stand for.
double site_sum_turn_squares(const struct site_sum *sum);
// Was the event sampled on any CPU?
bool site_sums_sampled(const struct site_sums *sums, u32 event);
// How much of the time it was, on all CPUs.
struct sample_share site_sums_share(const struct site_sums *sums, u32 event);
// How long it was, in ticks: on the CPU where it was longest.
u64 site_sums_covered(const struct site_sums *sums, u32 event);
// How many overflows stand behind a sample.
double site_sums_overflows(const struct site_sums *sums, u32 event, u32 cpu);

#endif

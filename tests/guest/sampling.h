// SPDX-License-Identifier: MIT
// Samples of known loops, counted by where they fell. The buffers start small, so a benchmark
// takes its CPU's samples out itself: right before its loop, and right after.
#ifndef GUEST_SAMPLING_H
#define GUEST_SAMPLING_H

#include <orrery/sys.h>

// What the samples of one CPU were.
struct sample_counts {
    // Since sample_counts_begin:
    u64 in_loop;     // pc in a loop of a test object
    u64 own[2];      // of those, attributed to each of the objects given
    u64 other;       // of those, attributed to another one, or to none
    u64 soft_masked; // of those in the loop
    u64 overflows;   // taken and lost until the last sample_counts_add began to read
    u64 lost;        // of those
    // Since the session's start:
    u64 read;
    u64 taken;     // by sys_sampling_stat: equals read once it has been stopped and all is read
    u64 backwards; // times that time went back
    u64 malformed; // records that do not add up, failed calls
    u64 last_time;
    u64 overflows_before, lost_before;
};

// Starts to sample cycles (SYS_PMU_CYCLES): a session. Arguments as in struct sys_sampling.
s64 sample_cycles(u64 period, u32 randomise, u32 callers, u32 cpu_mask);

// Empties cpu's buffer, and counts from here. *counts is zero at the session's start. Thread
// context, the only reader.
void sample_counts_begin(s64 session, u32 cpu, struct sample_counts *counts);
// All that is in cpu's buffer of the session's events[index], which is this event; own as below.
// *counts begins with 0 each time; taken and lost are the session's so far.
void sample_counts_of(s64 session, u32 cpu, u32 index, u32 event, const coid_t own[2],
                      struct sample_counts *counts);
// How many samples of the session's events[index] all CPUs lost or missed. A CPU that waits for
// others on a busy host fills its buffer before the loop: a check of all samples begins again then.
u64 samples_missing(s64 session, u32 index);
// Adds what is in cpu's buffer; own: the objects that spin (the second may be 0: none).
void sample_counts_add(s64 session, u32 cpu, const coid_t own[2], struct sample_counts *counts);

#endif

// SPDX-License-Identifier: MIT
// Reading packets of test events: test2(writer, number), whose numbers rise by one for each writer.
#ifndef TEST_TRACE_PACKETS_H
#define TEST_TRACE_PACKETS_H

#include <orrery/types.h>

#define WRITERS 64

struct tally {
    u64 events;                 // all
    u64 empty;                  // packets without any
    u64 torn;                   // words that are no event, or not in order
    u64 from[WRITERS];          // of each writer
    u64 last[WRITERS];          // its last number
    u64 gaps[WRITERS];          // numbers left out before the last one
    u64 discarded, overwritten; // as in the last packet
    u64 end;                    // time
};

// Goes through a packet of 64 KB of the CPU. False, and says why, when it is not well-formed.
bool packet_tally(const void *data, u32 pid, u32 cpu, struct tally *tally);

#endif

// SPDX-License-Identifier: MIT
// The arrows of one slice of a timeline: who woke or called whom, there.
#ifndef KOV_SLICE_ARROWS_H
#define KOV_SLICE_ARROWS_H

#include "analyses/timeline.h"

#define SLICE_ARROWS_MAX 200

// A slice of a thread has the arrows that begin or end in it at that thread; the wake-up that began
// or ended it; and, of its thread's calls, those that were answered in it. A slice of a CPU has
// those that begin or end in it on that CPU.
struct slice_arrows {
    // Asked. Times in ticks of the time base.
    u64 from, to;
    bool of_cpu; // or of a thread
    u64 number;  // of it
    // Answered, in the order in which they end.
    struct arrow arrows[SLICE_ARROWS_MAX];
    u32 count;
    bool more;     // there are more arrows than these
    u32 open;      // begin in the slice, and have not ended by `searched`
    u64 searched;  // how far the trace was read
    u64 forgotten; // arrows that began earlier than others and are not known any more
};

// Answers. The timeline is whole. Reads a limited number of events: if these do not reach the
// slice's end, that is told as an error. Returns an exit code with a message.
int slice_arrows_find(struct timeline *timeline, struct slice_arrows *into);

#endif

// SPDX-License-Identifier: MIT
// Overflows of a sampling session against how often their event has occurred, by the unit's totals,
// which know nothing of counters and periods. How late an interrupt comes, and where, is the host's
// affair; how many periods have passed is not.
#ifndef GUEST_MODEL_WITNESS_H
#define GUEST_MODEL_WITNESS_H

#include "bench.h"
#include <orrery/sys.h>

struct model_witness {
    s64 session;
    u32 count;        // of its events
    const u32 *event; // MODEL_…, by index in the session
    // Until an overflow count was read and since then at least; at the end the other way round. So
    // there is a least and a most of what has occurred between the two readings of the count.
    u64 least[SYS_SAMPLING_EVENTS], most[SYS_SAMPLING_EVENTS];
    u64 overflows[SYS_SAMPLING_EVENTS];
};

// On the CPU that is sampled, in a thread that stays there: around what is looked at. Events are
// sampled in kernel and user mode.
void model_witness_begin(struct model_witness *witness);
void model_witness_end(struct model_witness *witness);
// Of the session's event with this index and period, as many overflows as its events make, but for
// a period that had begun, and at least so many events.
void model_witness_compare(const struct model_witness *witness, u32 index, u64 period, u64 events,
                           struct bench_tally *tally);

#endif

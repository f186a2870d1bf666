// SPDX-License-Identifier: MIT
// What a disk may hold when the power was cut at any moment of a recording. What was written since
// the last flush that had ended is there, or not, sector by sector and in any order; one sector may
// be torn. What was written before that flush is there.
#ifndef TESTS_UNIT_FS_CUTS_H
#define TESTS_UNIT_FS_CUTS_H

#include "judge.h"
#include "medium.h"

struct cuts_plan {
    u32 random;       // orders at random, for each flush
    u32 torn;         // bytes from one place of a header's sector that is torn to the next
    u32 server_every; // judge so many by a whole server; 0: none
};

struct cuts_counts {
    u64 between;   // cuts after a write or a flush
    u64 inside;    // cuts after a sector within a write
    u64 torn;      // cuts within a sector
    u64 reordered; // sectors that are there in another order, without some of the earlier ones
    u64 lost;      // all there but one sector, or nothing but one
    u64 servers;   // of these, judged by a whole server
    u64 verdicts[VERDICT_COUNT];
};

// Judges the disk after all these cuts. Adds to *counts.
void cuts_judge(const struct recording *recording, const struct cuts_plan *plan,
                struct cuts_counts *counts);
u64 cuts_total(const struct cuts_counts *counts);
u64 cuts_bad(const struct cuts_counts *counts); // verdicts other than FINE

// Makes the medium what it is after a cut at random. Returns the round that was synced by then.
u32 cuts_random(const struct recording *recording);

#endif

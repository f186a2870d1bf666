// SPDX-License-Identifier: MIT
// Calls between processes, counted by who calls which method of whom, in cells of time. A range of
// cells is added up. Memory is limited: of a cell so many kinds of calls are told apart, and so
// many cells are kept, the newest.
#ifndef KOV_CALL_COUNTS_H
#define KOV_CALL_COUNTS_H

#include "tools/keyed_rows.h"

#define CALL_KINDS_MAX 256u            // of a cell
#define CALL_CLIENT_UNKNOWN UINT64_MAX // nothing has told of which process the thread is

struct call_kind {
    u64 client, server; // pids; client: or CALL_CLIENT_UNKNOWN
    u64 endpoint;       // its COID
    u64 method;         // the first word of the request (analyses/method_name.h)
};

struct call_counts;

// A kind in a sum. Its key is client, server, endpoint, method.
struct call_row {
    u64 key[KEY_WORDS];
    u64 count;
};

struct call_sum {
    struct keyed_rows rows; // struct call_row
    u64 from, to;           // of its cells, in ticks; equal: there is none
    u64 covered;            // ticks in which calls were counted
    u64 others;             // calls of kinds for which a cell had no room
    u64 packets, discarded; // that are missing; discarded: events
    bool is_cut;            // events are missing: the counts are less than what was
    u64 taken, taken_bytes; // packets of the trace that came, and their bytes
};

// Begins with no cell. Cells are `ticks` long (at least 1), and one begins at `origin`. At most
// `cells` (at least 1) are kept: those whose numbers are equal modulo `cells` replace each other.
struct call_counts *call_counts_new(u64 origin, u64 ticks, u32 cells);
void call_counts_free(struct call_counts *counts); // NULL is allowed
// Count what happened at a time, in ticks. What is before `origin`, or older than a cell that has
// taken its place, is left out.
void call_counts_add(struct call_counts *counts, u64 time, const struct call_kind *kind);
void call_counts_packet(struct call_counts *counts, u64 time, u64 bytes);
// Notes that calls are counted from `from` to `to`.
void call_counts_cover(struct call_counts *counts, u64 from, u64 to);
// Notes that so much is missing from `from` to `to`.
void call_counts_lose(struct call_counts *counts, u64 from, u64 to, u64 packets, u64 discarded);
// Adds up the cells whose middles are from `from` to `to`. The caller frees sum->rows.
void call_counts_sum(const struct call_counts *counts, u64 from, u64 to, struct call_sum *sum);

#endif

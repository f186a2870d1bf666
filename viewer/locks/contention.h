// SPDX-License-Identifier: MIT
// Contention for spin locks by object, estimated from samples of larx (S000 §3.2.1 "Spin
// locks"). A thread that waits for a lock spins on larx. So an object's part of all larx is its
// part of the contention.
#ifndef KOV_CONTENTION_H
#define KOV_CONTENTION_H

#include "machine/snapshot.h"
#include "samples/samples.h"
#include "samples/share.h"

// The events of a session for contention, in this order. Those after CONTENTION_LARX_ONLY are for
// acquisitions.
enum contention_event {
    CONTENTION_LARX,
    CONTENTION_INSTRUCTIONS,
    CONTENTION_STCX,
    CONTENTION_STCX_FAILED,
    CONTENTION_EVENTS
};
#define CONTENTION_LARX_ONLY CONTENTION_STCX

struct contention_row {
    char *object; // its name, or [none], [idle] …
    u32 pid;      // process of the COID; with coid 0: of nobody
    coid_t coid;
    u64 samples;           // of larx
    struct estimate larx;  // number of larx
    struct estimate share; // of all larx but those of [idle], percent
    struct {
        double larx, share;
    } chance;                     // the part of these errors that is chance, as rankings have it
    struct estimate instructions; // 4 larx of all instructions, percent
    struct estimate acquisitions; // stcx minus failed ones
    struct sample_sum sum;        // of one event, while it is computed
};

struct contention {
    struct contention_row *rows; // the most contended first
    size_t count, capacity;
    struct estimate totals[CONTENTION_EVENTS];
    struct estimate metric; // 4 larx / instructions, percent; its error is INFINITY if not known
};

// Computes contention from the samples of one session. The session's events are the first `events`
// of contention_event. If `filtered`, only samples of some processes were kept, and totals are
// theirs.
void contention_compute(const struct sample_set *samples, u32 events, bool filtered,
                        const struct snapshot *snapshot, struct contention *contention);
void contention_free(struct contention *contention);

#endif

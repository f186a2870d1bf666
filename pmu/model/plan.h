// SPDX-License-Identifier: MIT
// The instrumentation: the union of all CPUs' needs for their enabled counters. A change resets the
// plugin, which throws all translated code away. So the plan grows at once. It drops what nobody
// needs only after a second or two, or when nothing is enabled any more: counters that take turns
// pay once.
#ifndef MODEL_PLAN_H
#define MODEL_PLAN_H

#include "unit.h"

// Masks of events.
struct plan {
    u32 events;             // counted
    u32 due[FILTERS];       // of these: some overflow counter has this filter
    u32 overflowing;        // the union of due
    u32 precise;            // of these: overflows must be found at the very instruction
    u64 cost[MODEL_EVENTS]; // in cycles; 0 while these are not counted
};

// The plan in force. It changes only while no CPU runs.
extern struct plan plan;

#define EVENT(event) (1U << (event))

// Events of fetches and data accesses. There is one TLB: neither without the other.
#define TLB_EVENTS (EVENT(MODEL_ITLB_MISS) | EVENT(MODEL_DTLB_MISS))
#define FETCH_CACHE_EVENTS (EVENT(MODEL_L1I_MISS) | EVENT(MODEL_L2_MISS))
#define FETCH_EVENTS (TLB_EVENTS | FETCH_CACHE_EVENTS)
#define DATA_CACHE_EVENTS (EVENT(MODEL_L1D_MISS) | EVENT(MODEL_L2_MISS))
#define DATA_EVENTS (TLB_EVENTS | DATA_CACHE_EVENTS)

static inline bool planned(u32 events)
{
    return plan.events & events;
}

// Makes a new plan after a CPU has changed its enabled counters. From commands, on the CPU's own
// thread.
void plan_enabled(struct vcpu *cpu);

// Drops what is no longer needed, if it is time to. Before any command.
void plan_review(void);

// Starts with a new attachment (page) or none (NULL): nothing is enabled.
void plan_attach(struct model_page *page);

// Registers the translation callback. At installation, and by resets.
void plan_register(void);

#endif

// SPDX-License-Identifier: MIT
// Requests about the trace that several commands make: mask and mode by name, counts, the list of
// events.
#ifndef KOV_TRACE_H
#define KOV_TRACE_H

#include "dci.h"
#include "json.h"

struct trace_event_name {
    u32 major, minor, field_count;
    char *name, *format; // printable
};

struct trace_events {
    struct trace_event_name *events;
    size_t count, capacity;
};

int trace_fetch_events(struct trace_events *events);
void trace_free_events(struct trace_events *events);

// "overwrite" or "discard"; NULL text: keep as it is.
int trace_parse_mode(const char *text, Orrery__Dci__TraceMode *mode);
const char *trace_mode_name(Orrery__Dci__TraceMode mode);

// "all", "none", or a list of numbers of majors, names of events, and names of groups (what stands
// before the ':' of an event's name); a named event means its whole major.
int trace_parse_mask(const char *text, const struct trace_events *events, u64 *mask);

struct trace_counts {
    u32 cpu_count;
    u64 mask;
    bool subscribed;
    Orrery__Dci__TraceMode mode;
    struct trace_cpu_counts {
        bool known;
        u64 events, discarded, overwritten, packets, pushed_packets;
        u64 subbuffers, subbuffer_bytes;
    } cpus[ORRERY_MAX_CPUS];
};

// Takes the counts out of an answer; CPUs of absurd numbers are left out.
void trace_take_counts(const Orrery__Dci__TraceStatReply *reply, struct trace_counts *counts);

#endif

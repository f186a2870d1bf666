// SPDX-License-Identifier: MIT
// Requests about the trace that several commands make: mask and mode by name, counts, the list of
// events.
#ifndef KOV_TRACE_REQUESTS_H
#define KOV_TRACE_REQUESTS_H

#include "machine/failures.h"
#include "machine/scan.h"
#include "output/document.h"
#include "wire/dci.h"

struct trace_event_name {
    u32 major, minor, field_count;
    char *name, *format; // UTF-8
};

struct trace_events {
    struct trace_event_name *events;
    size_t count, capacity;
};

int trace_fetch_events(struct trace_events *events);
void trace_free_events(struct trace_events *events);

// Appends the text of the metadata.
int trace_fetch_metadata(struct bytes *text);

// Reads "overwrite" or "discard". A text of NULL keeps the mode as it is.
int trace_parse_mode(const char *text, Orrery__Dci__TraceMode *mode);
const char *trace_mode_name(Orrery__Dci__TraceMode mode);

// Returns the mask of the events that make a recording complete in itself. 0: this machine has
// none.
u64 trace_state_mask(const struct trace_events *events);
// Reads "all", "none", or a list of numbers of majors, names of events, and names of groups. A
// group is what comes before the ':' of an event's name. A named event means its whole major.
int trace_parse_mask(const char *text, const struct trace_events *events, u64 *mask);

struct trace_cpu_counts {
    bool known;
    u64 events, discarded, overwritten, unread, packets, pushed_packets;
    u64 subbuffers, subbuffer_bytes;
};

// Of the buffer of one process on one CPU.
struct trace_process_counts {
    u32 pid, cpu;
    struct trace_cpu_counts counts;
};

// The monitor's own processes, which a recording leaves out.
#define TRACE_LEFT_OUT_MAX 8
struct trace_left_out {
    struct {
        u32 pid;
        char name[64]; // UTF-8
    } processes[TRACE_LEFT_OUT_MAX];
    u32 count;
};

struct trace_counts {
    u32 cpu_count;
    u64 mask, process_mask;
    bool subscribed;
    Orrery__Dci__TraceMode mode;
    struct trace_cpu_counts cpus[ORRERY_MAX_CPUS]; // those of the kernel
    struct trace_process_counts *processes;
    size_t process_count, process_capacity;
    struct failures failures;
};

// Makes the machine push packets of this scope from now on. The caller fills in the rest of the
// body. Puts whom the machine leaves out; NULL: nobody is to be left out.
int trace_subscribe(Orrery__Dci__TraceSubscribeRequest *body, struct scan_scope scope,
                    struct trace_left_out *left_out);
// Prints one line that tells who is left out, if anybody is; and puts "left_out".
void trace_left_out_print(const struct trace_left_out *left_out);
void trace_left_out_json(json_t *document, const struct trace_left_out *left_out);
// Ends that when everything has been pushed. Adds the final counts of CPUs with sensible numbers.
int trace_unsubscribe(Orrery__Dci__TraceUnsubscribeRequest *body, struct trace_counts *counts);

int trace_fetch_counts(struct trace_counts *counts, struct scan_scope scope);
void trace_free_counts(struct trace_counts *counts);
// Returns the counts of a process's buffer. NULL: they are not known, since it has ended.
const struct trace_cpu_counts *trace_counts_of(const struct trace_counts *counts, u32 pid, u32 cpu);

#endif

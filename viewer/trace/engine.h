// SPDX-License-Identifier: MIT
// The trace engine. It indexes the packets of a source by their headers, merges them in time order,
// and shows them to visitors event by event. Memory: a few bytes for each packet, and one packet
// for each stream that has one at the time that is being visited.
#ifndef KOV_ENGINE_H
#define KOV_ENGINE_H

#include "trace/descriptions.h"
#include "trace/memory_waits.h"
#include "trace/recorded.h"
#include "trace/stream.h"

// Reads the events of a packet, entry->bytes long, into `content`. Returns an exit code.
struct packet_source {
    int (*read)(void *context, const struct packet_stream *stream, const struct packet_entry *entry,
                u8 *content);
    void (*close)(void *context);
    void *context;
};

struct engine {
    const char *where; // for messages
    struct descriptions descriptions;
    struct packet_source source;
    struct packet_stream **streams; // in the order in which they were found
    size_t count, capacity;
    struct packet_stream **heap; // streams that are not at their end, earliest first
    size_t heap_count, heap_capacity;
    u64 from; // events before it are not shown
    u32 cpus; // mask of those whose kernel streams the trace had, also of missing ones; 0: none
    u32 missing_cpus;          // of these, it has been told that their stream is missing
    u64 left_out;              // packets that are damaged
    struct recorded recorded;  // once somebody has looked (recorded_read)
    struct memory_waits waits; // at the end; known only to dumps
};

// Part of a second. The last packets are taken CPU by CPU, then process by process: that is tens
// of milliseconds. A stream that ends earlier is cut.
#define ENGINE_CLOSING_PART 4

// An event, valid while its visitor has it.
struct trace_event {
    u64 time; // time base
    u32 pid;  // process of its stream; 0: the kernel
    u32 cpu, id;
    u32 words; // data words
    const u8 *data;
    const struct event_description *description; // NULL: the metadata does not know it
    enum event_kind kind; // EVENT_OTHER also for all that processes log: they may log anything
    u64 values[EVENT_FIELDS_MAX]; // of event_kind_of_any, in the order of event_kinds.def
};

// Returns the kind of an event, of the kernel or of a process.
static inline enum event_kind event_kind_of_any(const struct trace_event *event)
{
    return event->description == NULL ? EVENT_OTHER
                                      : (enum event_kind)event->description->known.kind;
}
// Returns whether the trace tells a field, by its number in event_kinds.def. If not, it is 0.
static inline bool event_tells(const struct trace_event *event, u32 field)
{
    return (event->description->known.told >> field & 1) != 0;
}

// The functions return KOV_OK to go on, VISIT_ENOUGH to end well, or an exit code. NULL: not
// wanted.
#define VISIT_ENOUGH (-1)
struct visitor {
    int (*event)(void *context, const struct trace_event *event);
    int (*loss)(void *context, const struct trace_loss *loss);
    void *context;
};

// Opens the folder of a CTF trace. Functions that open print a message when they fail. The caller
// calls engine_close in any case.
int engine_open_folder(struct engine *engine, const char *folder);
// Opens a dump of the machine's memory, with what its flight recorder held.
int engine_open_dump(struct engine *engine, const char *path);
void engine_close(struct engine *engine);

// Goes to a time. Leaves out streams that have no packets after it.
void engine_seek(struct engine *engine, u64 from);
// Shows all events from here up to and including the time `to`, in time order. It tells a loss when
// it begins, and also when it ends at `from` or later. A second call with a later time goes on.
int engine_visit(struct engine *engine, u64 to, const struct visitor *visitor);

// Returns until when the kernel's stream of a CPU tells what happens: the end of its last packet.
// 0: it has none.
u64 engine_known_until(const struct engine *engine, u32 cpu);
// Returns the begin of the first packet and the end of the last. False: there are no packets.
bool engine_range(const struct engine *engine, u64 *begin, u64 *end);
// Reads the fields, each widened to 64 bits. The event must have a description.
void trace_event_fields(const struct trace_event *event, u64 values[TRACE_MAX_FIELDS]);
// Reads the text field, which is the last one. Returns false if there is none.
bool trace_event_string(const struct trace_event *event, char text[TRACE_TEXT_BYTES]);

// ---- for sources -------------------------------------------------------------------------------

// Adds a stream. The name is copied.
struct packet_stream *engine_add_stream(struct engine *engine, u32 pid, u32 cpu, const char *name);
// Visits a stream again if it was at its end. Call it after a packet was added.
void engine_wake_stream(struct engine *engine, struct packet_stream *stream);

#endif

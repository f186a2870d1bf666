// SPDX-License-Identifier: MIT
// The trace engine: packets of a source, indexed by their headers, merged in time order, shown to
// visitors event by event. Memory: a few bytes for each packet, and one packet for each stream that
// has one at the time which is being visited.
#ifndef KOV_ENGINE_H
#define KOV_ENGINE_H

#include "trace/engine/descriptions.h"
#include "trace/engine/stream.h"

// Reads the events of a packet into `content`, of entry->bytes. An exit code.
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
    struct packet_stream **streams; // in the order of their discovery
    size_t count, capacity;
    struct packet_stream **heap; // those that are not at their end, the earliest first
    size_t heap_count, heap_capacity;
    u64 from; // events before it are not shown
    struct trace_loss loss;
};

// An event, while its visitor has it.
struct trace_event {
    u64 time; // time base
    u32 pid;  // whose stream it stands in; 0: the kernel's
    u32 cpu, id;
    u32 words; // data words
    const u8 *data;
    const struct event_description *description; // NULL: the metadata does not know it
};

// Functions return KOV_OK to go on, VISIT_ENOUGH to end well, or an exit code. NULL: not wanted.
#define VISIT_ENOUGH (-1)
struct visitor {
    int (*event)(void *context, const struct trace_event *event);
    int (*loss)(void *context, const struct trace_loss *loss);
    void *context;
};

// The folder of a CTF trace. Those that open have printed a message when they fail; engine_close in
// any case.
int engine_open_folder(struct engine *engine, const char *folder);
// A dump of the machine's memory: what its flight recorder held.
int engine_open_dump(struct engine *engine, const char *path);
void engine_close(struct engine *engine);

// From a time on; streams without packets from there on are left out.
void engine_seek(struct engine *engine, u64 from);
// Shows all from where it stands to a time, also of it, in time order. A loss comes when it begins,
// and when it ends at `from` or later. Twice with rising times goes on.
int engine_visit(struct engine *engine, u64 to, const struct visitor *visitor);

// Begin of the first packet and end of the last; false: there is none.
bool engine_range(const struct engine *engine, u64 *begin, u64 *end);
// The fields, each widened to 64 bits. Only of events with a description.
void trace_event_fields(const struct trace_event *event, u64 values[TRACE_MAX_FIELDS]);
// The text among them, which is the last one. False: there is none.
bool trace_event_string(const struct trace_event *event, char text[TRACE_TEXT_BYTES]);

// ---- for sources -------------------------------------------------------------------------------

// name: is copied.
struct packet_stream *engine_add_stream(struct engine *engine, u32 pid, u32 cpu, const char *name);
// After a packet was added to it: if it was at its end, it is visited again.
void engine_wake_stream(struct engine *engine, struct packet_stream *stream);

#endif

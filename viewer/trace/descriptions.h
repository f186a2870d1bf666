// SPDX-License-Identifier: MIT
// What the metadata of a trace says of its events. The image that wrote a trace describes itself,
// so a trace of another build is read correctly. Texts come from the table of trace/events/*.def.
#ifndef KOV_DESCRIPTIONS_H
#define KOV_DESCRIPTIONS_H

#include "trace/event_kinds.h"

#include <stddef.h>
#include <trace/table.h>

struct event_description {
    // If the event is the same in the table, its format is the table's. Else the format is made of
    // the fields' names. Both have one conversion for each field.
    struct trace_event_info info;
    char *full_name; // "MAJOR:event"
    struct described_kind known;
    char *format, *names[TRACE_MAX_FIELDS];
};

struct descriptions {
    struct event_description *events; // by major, then minor
    size_t count, capacity;
    u64 hz;                // of the time base
    u8 build_id[32];       // of the kernel that wrote the trace
    size_t build_id_bytes; // 0: not told
    u8 uuid[16];           // of the trace, as in each packet
    bool has_uuid;
    u32 cpus; // of the machine; 0: not told
};

#define METADATA_BYTES_MAX (4UL << 20)

// Reads CTF metadata as the machine writes it (trace/src/metadata.c). text ends with NUL. Messages
// name `where`. Returns an exit code. The caller calls descriptions_free in any case.
int descriptions_read(struct descriptions *descriptions, const char *text, const char *where);
void descriptions_free(struct descriptions *descriptions);

// Returns NULL when there is none. id: major << 16 | minor.
const struct event_description *descriptions_find(const struct descriptions *descriptions, u32 id);
// Finds the place of a field. Returns false if the event has none of that name.
bool description_field(const struct event_description *event, const char *name, u32 *place);
// Returns whether every event of a packet has a description. Programs may describe their own events
// while a trace runs. Its metadata then grows.
bool descriptions_cover(const struct descriptions *descriptions, const u8 *packet, size_t bytes);
// Returns a name such as "SCHED", or NULL when the table has no such major.
const char *descriptions_major(u32 major);

#endif

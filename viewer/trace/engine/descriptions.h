// SPDX-License-Identifier: MIT
// What the metadata of a trace says of its events: the image that wrote it describes itself, so
// that a trace of another build is read right. Texts come from the table of trace/events/*.def.
#ifndef KOV_DESCRIPTIONS_H
#define KOV_DESCRIPTIONS_H

#include <stddef.h>
#include <trace/table.h>

struct event_description {
    // Its format is the table's if the event is the same there, else it is made of the fields'
    // names. Either has one conversion a field.
    struct trace_event_info info;
    char *full_name; // "SCHED:switch"
    char *format, *names[TRACE_MAX_FIELDS];
};

struct descriptions {
    struct event_description *events; // by major, then minor
    size_t count, capacity;
    u64 hz;                // of the time base
    u8 build_id[32];       // of the kernel that logged
    size_t build_id_bytes; // 0: it is not told
};

#define METADATA_BYTES_MAX (4UL << 20)

// text: NUL-terminated CTF metadata as the machine writes it (trace/src/metadata.c). `where` is for
// messages. An exit code; descriptions_free in any case.
int descriptions_read(struct descriptions *descriptions, const char *text, const char *where);
void descriptions_free(struct descriptions *descriptions);

// NULL when there is none such; id: major << 16 | minor.
const struct event_description *descriptions_find(const struct descriptions *descriptions, u32 id);
// Whether every event of a packet has a description. Programs may describe theirs while a trace
// runs: then its metadata has grown.
bool descriptions_cover(const struct descriptions *descriptions, const u8 *packet, size_t bytes);
// "SCHED", or NULL when the table has no such major.
const char *descriptions_major(u32 major);

#endif

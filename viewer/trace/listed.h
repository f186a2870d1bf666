// SPDX-License-Identifier: MIT
// The streams of a recording, as its metadata lists them: kov adds to `env` a line for each, such
// as `stream_7_0 = "4-18";`, the name of its file and the sequence numbers of its first and last
// packet. So a file that is missing, or shorter than it was, is known. A recording that was killed
// may have more than it lists.
#ifndef KOV_TRACE_LISTED_H
#define KOV_TRACE_LISTED_H

#include "tools/memory.h"

#define STREAM_NAME_BYTES 48

struct listed_stream {
    u32 pid, cpu;
    u32 first, last; // sequence numbers
};

struct listed {
    struct listed_stream *streams; // by pid, then CPU
    size_t count, capacity;
};

// Returns the name of a stream's file.
void listed_name(u32 pid, u32 cpu, char name[STREAM_NAME_BYTES]);
// Adds the metadata with these streams in its `env` to a text. Without an `env` it stays as it is.
void listed_write(struct bytes *text, const struct bytes *metadata, const struct listed *listed);
// Reads what metadata list; nothing if they are older. The text ends with NUL. The caller frees it.
void listed_read(struct listed *listed, const char *metadata);
void listed_add(struct listed *listed, const struct listed_stream *stream);
// Returns NULL if that stream is not listed.
const struct listed_stream *listed_find(const struct listed *listed, u32 pid, u32 cpu);
void listed_free(struct listed *listed);

#endif

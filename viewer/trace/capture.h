// SPDX-License-Identifier: MIT
// A folder with a CTF trace: `metadata`, and a stream file for each CPU, of the kernel and of each
// process. It checks and counts packets while it writes them, so that the loss is exact.
#ifndef KOV_CAPTURE_H
#define KOV_CAPTURE_H

#include "output/document.h"
#include "trace/trace_requests.h"

struct capture_stream {
    u32 pid, cpu;
    FILE *file; // while it is open; a stream may be closed and opened again
    u64 used;   // when it was last written; the open stream that was not used for longest is closed
                // first
    u64 packets, events, bytes;
    u64 next_sequence;
    u64 missing_packets;        // gaps in the sequence numbers
    u64 discarded, overwritten; // events, as the last packet tells
};

struct capture {
    const char *folder;
    struct capture_stream *streams; // by pid, then CPU
    size_t count, capacity;
    u32 open;
    u64 packets, bytes;
    size_t metadata_bytes; // bytes written so far
};

// Makes the folder, or takes an empty one.
int capture_create(struct capture *capture, const char *folder);
// Asks for the metadata and writes it if it has grown. Call it again in the end, since programs may
// have described events of their own.
int capture_metadata(struct capture *capture);
// Writes metadata that does not come from the machine.
int capture_write_metadata(const struct capture *capture, const struct bytes *text);
int capture_packet(struct capture *capture, const Orrery__Dci__TracePacket *packet);
// Returns what has come of a stream. All is zero if nothing has.
struct capture_stream capture_of(const struct capture *capture, u32 pid, u32 cpu);
// Closes all files.
int capture_close(struct capture *capture);
void capture_free(struct capture *capture);

#endif

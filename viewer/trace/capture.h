// SPDX-License-Identifier: MIT
// A folder with a CTF trace: `metadata` and a stream file for each CPU, of the kernel and of each
// process. Packets are checked and counted as they are written, so that the loss is exact.
#ifndef KOV_CAPTURE_H
#define KOV_CAPTURE_H

#include "output/document.h"
#include "trace/trace_requests.h"

struct capture_stream {
    u32 pid, cpu;
    FILE *file; // while it is open; a stream may be closed and opened again
    u64 used;   // when it was last written: of the open ones the least recently used is closed
    u64 packets, events, bytes;
    u64 next_sequence;
    u64 missing_packets;        // gaps in the sequence numbers
    u64 discarded, overwritten; // events, as the last packet has them
};

struct capture {
    const char *folder;
    struct capture_stream *streams; // by pid, then CPU
    size_t count, capacity;
    u32 open;
    u64 packets, bytes;
    size_t metadata_bytes; // that are written
};

// Makes the folder, or takes an empty one.
int capture_create(struct capture *capture, const char *folder);
// Asks for the metadata and writes it, if there is more than was written. In the end once more:
// programs may have described events of theirs.
int capture_metadata(struct capture *capture);
// Writes metadata that is not the machine's own.
int capture_write_metadata(const struct capture *capture, const struct bytes *text);
int capture_packet(struct capture *capture, const Orrery__Dci__TracePacket *packet);
// What has come of a stream; all zero when nothing has.
struct capture_stream capture_of(const struct capture *capture, u32 pid, u32 cpu);
// Closes all files.
int capture_close(struct capture *capture);
void capture_free(struct capture *capture);

#endif

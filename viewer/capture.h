// SPDX-License-Identifier: MIT
// A folder with a CTF trace: `metadata` and a stream file for each CPU. Packets are checked and
// counted as they are written, so that the loss is exact.
#ifndef KOV_CAPTURE_H
#define KOV_CAPTURE_H

#include "json.h"
#include "trace.h"

struct capture_cpu {
    FILE *stream; // made with the first packet
    u64 packets, events, bytes;
    u64 next_sequence;
    u64 missing_packets; // gaps in the sequence numbers
};

struct capture {
    const char *folder;
    struct capture_cpu cpus[ORRERY_MAX_CPUS];
};

// Makes the folder, or takes an empty one.
int capture_create(struct capture *capture, const char *folder);
// Asks for the metadata and writes it.
int capture_metadata(struct capture *capture);
int capture_packet(struct capture *capture, const Orrery__Dci__TracePacket *packet);
// Closes all files.
int capture_close(struct capture *capture);

#endif

// SPDX-License-Identifier: MIT
// A folder with a CTF trace: `metadata`, and a stream file for each CPU, of the kernel and of each
// process. It checks and counts packets while it writes them, so that the loss is exact.
//
// A folder whose command fails before there is something to keep is removed; until the first packet
// it is empty, so that one that a killed kov left behind can be used again. A recording that was
// there is then still there. Later it is FOLDER.old.
//
// The metadata lists the streams, and what programs have described: a packet whose events it does
// not describe waits until it does. So the folder can be read whenever kov ends.
#ifndef KOV_CAPTURE_H
#define KOV_CAPTURE_H

#include "output/document.h"
#include "output/out_folder.h"
#include "trace/descriptions.h"
#include "record/trace_requests.h"

#include <limits.h>

struct capture_stream {
    u32 pid, cpu;
    FILE *file; // while it is open; a stream may be closed and opened again
    u64 used;   // when it was last written; the open stream that was not used for longest is closed
                // first
    u64 packets, events, bytes;
    u64 first_sequence, next_sequence;
    u64 missing_packets;        // gaps in the sequence numbers
    u64 discarded, overwritten; // events, as the last packet tells
};

// A packet whose events are not described yet, or one behind it.
struct capture_waiting {
    u32 pid, cpu;
    struct bytes data;
};

struct capture {
    struct out_folder folder;
    bool keep; // what has come is kept even if the command fails, and takes the place of what was
               // there. Set once it can be of use.
    struct bytes metadata, fetched;   // `fetched`: the part of newer ones that has come
    struct descriptions descriptions; // of the metadata; empty until a process's packet comes
    struct capture_waiting *waiting;
    size_t waiting_count, waiting_capacity;
    bool described;                 // what comes is described as far as it can be
    bool listed;                    // the metadata lists all streams with all their packets
    double listed_at;               // clock_now()
    bool full;                      // something could not be written
    struct capture_stream *streams; // by pid, then CPU
    size_t count, capacity;
    u32 open;
    u64 packets, bytes;
};

// Makes the folder, takes an empty one, or begins a recording that will replace the one there. "-"
// is refused: a folder cannot be stdout.
int capture_create(struct capture *capture, const char *folder);
// Asks for the metadata and takes it if it has grown. Then packets that wait are written.
int capture_metadata(struct capture *capture);
// Does what is to be done now and then: asks for the metadata if packets wait for it. Call it not
// from where packets come, and capture_metadata in the end. A handler that takes up a lost
// connection meanwhile calls capture_reset_metadata.
int capture_tick(struct capture *capture);
// Forgets the part of the metadata that has come: on a new connection it comes from the beginning.
int capture_reset_metadata(void *capture);
// Takes metadata that does not come from the machine. Takes over `text`.
int capture_set_metadata(struct capture *capture, struct bytes *text);
// Writes a packet, or lets it wait. On an error, with a message, the stream ends with the packet
// before it.
int capture_packet(struct capture *capture, const Orrery__Dci__TracePacket *packet);
// Returns what has come of a stream. All is zero if nothing has.
struct capture_stream capture_of(const struct capture *capture, u32 pid, u32 cpu);
// Closes all files. With another code than KOV_OK what was written is removed, unless `keep` is set
// and packets have come. Packets that still wait are left out then, and told.
// Returns `code`, or KOV_FAILED with a message if not all could be written.
int capture_close(struct capture *capture, int code);
void capture_free(struct capture *capture);
// Returns whether a file of that name is part of a trace.
bool capture_is_part(const char *name);

// ---- capture.c and capture_metadata.c share ----------------------------------------------------

int capture_name_file(const struct capture *capture, const char *name, char path[PATH_MAX]);
// Writes the metadata beside what is there, so that a full disk does not take it away.
int capture_write_metadata(struct capture *capture);
// Returns in *waits whether a packet has events that are not described, or comes behind one that
// waits.
int capture_must_wait(struct capture *capture, const Orrery__Dci__TracePacket *packet, bool *waits);
void capture_let_wait(struct capture *capture, const Orrery__Dci__TracePacket *packet);

#endif

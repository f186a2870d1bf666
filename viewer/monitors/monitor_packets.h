// SPDX-License-Identifier: MIT
// Writes the records of a monitor as a folder with a CTF trace. Each CPU has a stream, which begins
// with what a record costs there. The stream of CPU 0 also begins with the names of what is
// tracked, and of sensors of its programs, as far as their files are at hand. Times
// of lost records lie between packets, as discarded events.
#ifndef KOV_MONITOR_PACKETS_H
#define KOV_MONITOR_PACKETS_H

#include "machine/snapshot.h"
#include "monitors/monitor_requests.h"
#include "symbols/programs.h"
#include "record/capture.h"

#define MONITOR_PACKET_BYTES 65536

// The stream of a CPU.
struct monitor_stream {
    bool begun;
    u8 *bytes; // of the open packet, MONITOR_PACKET_BYTES
    size_t used;
    u32 events, sequence;
    u64 begin, last; // time of the packet's begin, and of its last event
    u64 records, lost;
    u64 cost, cost_fast; // as in struct monitor_counts; set before the first record
};

struct monitor_packets {
    struct capture capture;
    u8 uuid[16];
    u64 begin; // when the monitor was resumed
    const struct monitor_targets *targets;
    const struct snapshot *snapshot; // names of processes
    struct programs programs;        // names of their sensors
    struct monitor_stream streams[ORRERY_MAX_CPUS];
};

// Makes the folder, with metadata made from the machine's. All of these functions return exit
// codes.
int monitor_packets_create(struct monitor_packets *packets, const char *folder);
// Adds a record. The caller has set begin, targets and snapshot.
int monitor_packets_add(struct monitor_packets *packets, u32 cpu,
                        const Orrery__Dci__MonitorRecord *record);
// Writes what has come so far, for whoever reads the folder meanwhile.
int monitor_packets_flush(struct monitor_packets *packets);
// Ends all streams at `end`. lost: how many records each CPU has lost in all.
int monitor_packets_end(struct monitor_packets *packets, u32 cpu_count, u64 end,
                        const u64 lost[ORRERY_MAX_CPUS]);
// Closes the folder. With another code than KOV_OK it keeps what has come, or removes the folder if
// that is nothing. Returns `code`, or KOV_FAILED with a message if not all could be written.
int monitor_packets_close(struct monitor_packets *packets, int code);
void monitor_packets_free(struct monitor_packets *packets);

#endif

// SPDX-License-Identifier: MIT
// The records of a monitor as a folder with a CTF trace: a stream a CPU, which begins with what a
// record costs there, and on CPU 0 with the names of what is tracked. Times when records were lost
// lie between packets, as events that were discarded.
#ifndef KOV_MONITOR_PACKETS_H
#define KOV_MONITOR_PACKETS_H

#include "machine/snapshot.h"
#include "monitors/monitor_requests.h"
#include "trace/capture.h"

#define MONITOR_PACKET_BYTES 65536

// Of a CPU.
struct monitor_stream {
    bool begun;
    u8 *bytes; // of the packet that is open, MONITOR_PACKET_BYTES
    size_t used;
    u32 events, sequence;
    u64 begin, last; // times of the packet, and of what came last
    u64 records, lost;
    u64 cost, cost_fast; // as in struct monitor_counts; set before the first record
};

struct monitor_packets {
    struct capture capture;
    u8 uuid[16];
    u64 begin; // when the monitor was resumed
    const struct monitor_targets *targets;
    const struct snapshot *snapshot; // names of processes
    struct monitor_stream streams[ORRERY_MAX_CPUS];
};

// Makes the folder and its metadata, from the machine's. Exit codes, all of them.
int monitor_packets_create(struct monitor_packets *packets, const char *folder);
// begin, targets and snapshot are set.
int monitor_packets_add(struct monitor_packets *packets, u32 cpu,
                        const Orrery__Dci__MonitorRecord *record);
// Hands on what has come so far, for who reads the folder meanwhile.
int monitor_packets_flush(struct monitor_packets *packets);
// All streams go on until `end`. lost: of each CPU in all.
int monitor_packets_end(struct monitor_packets *packets, u32 cpu_count, u64 end,
                        const u64 lost[ORRERY_MAX_CPUS]);
void monitor_packets_free(struct monitor_packets *packets);

#endif

// SPDX-License-Identifier: MIT
// The made-up machine: what the sys_ calls tell the server.
#ifndef TESTS_DCI_MACHINE_H
#define TESTS_DCI_MACHINE_H

#include <orrery/sys.h>

#define MACHINE_CPUS 2
#define PACKET_BYTES 65536

extern struct machine {
    u64 time; // one tick a microsecond
    u32 objects, classes, events;
    int dref_users;
    bool memory_short;
    bool powered_off;

    s64 session; // last session given
    bool sampling;
    struct sys_sampling asked;
    u64 samples[MACHINE_CPUS], samples_read[MACHINE_CPUS], samples_lost[MACHINE_CPUS];

    u64 mask;
    u32 modes_set;
    u32 packets[MACHINE_CPUS]; // complete ones
    bool begun[MACHINE_CPUS];  // and one more if flushed
    u32 packets_read[MACHINE_CPUS];

    char console[512];
} machine;

// Supplied by the harness: ends the server's last round.
void machine_stopped(void) __attribute__((noreturn));

// First word of the packet numbered n of a cpu; the rest of it are bytes of value n.
u64 machine_packet_word(u32 cpu, u32 n);

#endif

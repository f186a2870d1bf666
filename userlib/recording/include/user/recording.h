// SPDX-License-Identifier: MIT
// Recording the trace in the machine (docs/trace.md): the folder that kov reads, and the events of
// processes. RIGHT_MONITOR; one recording a process; one thread.
#ifndef USER_RECORDING_H
#define USER_RECORDING_H

#include <trace/layout.h>

// ---- the folder --------------------------------------------------------------------------------
// `metadata`, and a stream file for each CPU of the kernel and of each process. The functions
// return false with the reason in errno.

struct recording_sums {
    u64 packets, bytes;
    u64 process_events, process_lost; // lost: discarded, overwritten, or in packets that are gone
};
extern struct recording_sums recording_sums;

// Makes the folder, which must not be there yet. path stays in use.
bool recording_create(const char *path);
// Appends a packet to its stream. A packet that the disk has no room for is not there at all.
bool recording_append(const struct trace_packet *packet, u64 bytes);
// Writes the metadata: all events that are described by now, and what each stream has. The one
// before stays until it is whole.
bool recording_describe(void);
// Removes the folder and what was written there.
void recording_discard(void);

// ---- processes ---------------------------------------------------------------------------------
// Their libraries are asked to log, and for their packets. Who asks cannot answer meanwhile, so the
// caller's own events are not among them.

// Gives all live processes the mask that processes start with (sys_trace_set_process_mask). mode:
// enum sys_trace_mode, or 0: as it is. Returns how many did not answer; each of these takes a
// second.
u32 recording_tell_processes(u32 mode);

// Calls `take` with each packet that processes have now, those that have ended too, until it
// returns false. flush: also with those that are not full. packet: room for TRACE_SUBBUFFER_SIZE
// bytes.
void recording_read_processes(bool flush, struct trace_packet *packet,
                              bool (*take)(const struct trace_packet *packet, u64 bytes));

#endif

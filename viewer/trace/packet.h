// SPDX-License-Identifier: MIT
// Checks trace packets before anything trusts them.
#ifndef KOV_PACKET_H
#define KOV_PACKET_H

#include <orrery/types.h>

// Checks a packet of that process (0: the kernel) and CPU. Returns what is wrong, or NULL. If all
// is right, *events is how many events it holds, and *sequence is its number on its CPU.
const char *packet_check(const u8 *data, size_t size, u32 pid, u32 cpu, u64 *events, u64 *sequence);

#endif

// SPDX-License-Identifier: MIT
// Trace packets are checked before they are believed.
#ifndef KOV_PACKET_H
#define KOV_PACKET_H

#include <orrery/types.h>

// What is wrong with a packet that came as that process's (0: the kernel's) and CPU's,
// or NULL. *events: how many it holds,
// *sequence: its number on its CPU; valid with NULL.
const char *packet_check(const u8 *data, size_t size, u32 pid, u32 cpu, u64 *events, u64 *sequence);

#endif

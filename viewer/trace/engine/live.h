// SPDX-License-Identifier: MIT
// A running machine as a source: packets as they are pushed. Only those that are not shown yet are
// kept.
#ifndef KOV_TRACE_LIVE_H
#define KOV_TRACE_LIVE_H

#include "trace/engine/engine.h"

// Its descriptions are the caller's to read, also anew while it is not visited. engine_close.
void engine_open_live(struct engine *engine, const char *where);
// Takes a packet that came as that process's and CPU's. KOV_CONNECTION if it is damaged.
int engine_add_packet(struct engine *engine, u32 pid, u32 cpu, const u8 *data, size_t bytes);
// Up to when the kernel's packets of these CPUs have come: what is earlier can be shown in order.
// 0: one has sent nothing yet. Packets of a process may still come later; their events are shown
// then.
u64 engine_complete_until(const struct engine *engine, u32 cpus);

#endif

// SPDX-License-Identifier: MIT
// A source that takes the packets of a running machine as they are pushed. It keeps only those that
// are not shown yet.
#ifndef KOV_TRACE_LIVE_H
#define KOV_TRACE_LIVE_H

#include "trace/engine.h"

// Opens the engine. The caller reads its descriptions, also again while it is not visited. End with
// engine_close.
void engine_open_live(struct engine *engine, const char *where);
// Takes a packet of that process and CPU. Returns KOV_CONNECTION if it is damaged.
int engine_add_packet(struct engine *engine, u32 pid, u32 cpu, const u8 *data, size_t bytes);
// Returns the time up to which the kernel's packets of these CPUs have come. Earlier events can be
// shown in order. 0: a CPU has sent nothing yet. A process's packets may still come later; their
// events are then shown late.
u64 engine_complete_until(const struct engine *engine, u32 cpus);

#endif

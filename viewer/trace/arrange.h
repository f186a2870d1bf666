// SPDX-License-Identifier: MIT
// Puts the packets of a stream in order, and leaves out those that cannot be what they say. A
// source that has all packets at once collects them, in any order; files may be copied or damaged.
#ifndef KOV_TRACE_ARRANGE_H
#define KOV_TRACE_ARRANGE_H

#include "trace/engine.h"

// Arranges the packets of all streams. The same packet twice counts once. Tells what it leaves out.
void engine_arrange(struct engine *engine);
// Tells which CPUs have no stream of the kernel, and whose end before the trace. (In a recording of
// monitors, a CPU has none if no thread of theirs ran there.)
void engine_tell_unknown(const struct engine *engine);
// Counts a packet that is left out, and tells it: `place` is where it is, or entry.
void engine_leave_out(struct engine *engine, const char *place, const char *problem);
void engine_leave_out_entry(struct engine *engine, const struct packet_stream *stream,
                            const struct packet_entry *entry, const char *problem);

#endif

// SPDX-License-Identifier: MIT
// Trace packets of processes, for the subscriber of tracing.c. They are read in rounds over all
// streams. A stream is a process and a CPU.
#ifndef DCI_TRACING_PROCESSES_H
#define DCI_TRACING_PROCESSES_H

#include "client.h"

// Begins a subscription to the packets of a scope.
void trace_processes_begin(dci_Scope scope, u32 pid);
// Returns a walk over that scope.
struct walk trace_processes_scope(void);
// Pushes packets, as far as it can now. flush: begun packets as well. Returns the time of the next
// call.
u64 trace_processes_work(u64 now, bool flush);
// Begins one last round, which takes all that the streams hold.
void trace_processes_end_begin(void);
// Goes on with the round. Returns REQUEST_DONE after it, else REQUEST_WAITS.
s64 trace_processes_end_step(void);
// Ends the subscription of a client that has gone. Sets the masks of the processes, and their mode
// unless it is KEEP, in the background.
void trace_processes_release(u64 mask, dci_TraceMode mode);

#endif

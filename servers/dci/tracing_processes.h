// SPDX-License-Identifier: MIT
// Trace packets of processes, on their way to the subscriber of tracing.c: rounds over all streams
// (a process and a CPU each), now and then.
#ifndef DCI_TRACING_PROCESSES_H
#define DCI_TRACING_PROCESSES_H

#include "client.h"

// A subscription begins: whose packets it takes.
void trace_processes_begin(dci_Scope scope, u32 pid);
dci_Scope trace_processes_scope(void);
u32 trace_processes_pid(void);
// Pushes what there is, as far as it can now; returns when to call it again.
// flush: begun packets too.
u64 trace_processes_work(u64 now, bool flush);
// The end: one last round takes all that the streams hold. A step returns REQUEST_DONE after it.
void trace_processes_end_begin(void);
s64 trace_processes_end_step(void);
// The subscriber has gone: masks of the processes are to be set to this, in the background.
void trace_processes_release(u64 mask);

#endif

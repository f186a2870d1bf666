// SPDX-License-Identifier: MIT
// The trace's mode and masks, set over the kernel, one process, or all.
#ifndef DCI_TRACING_SETTINGS_H
#define DCI_TRACING_SETTINGS_H

#include "client.h"
#include "round.h"

#include <orrery/sys.h>

// Checks that the kernel has a trace. Returns 0, or E_NOTSUP with the client's message.
s64 trace_check(struct client *client);
// Returns the mask that processes start with.
u64 trace_process_mask(void);
// Checks a mode. Returns 0, or E_INVAL with the client's message.
s64 trace_mode_check(struct client *client, dci_TraceMode mode);

// Returns the kernel's value of a mode that is not KEEP.
enum sys_trace_mode trace_kernel_mode(dci_TraceMode mode);

struct trace_setting {
    dci_TraceMode mode;
    bool set_mask;
    u64 mask, process_mask; // if set_mask
};

// Sets the kernel's mode and mask, then those of processes. Returns REQUEST_WAITS while processes
// have to answer, REQUEST_DONE after the last, or an error. client: gets the message; NULL: nobody
// does.
s64 trace_settings_walk(struct client *client, struct walk *walk,
                        const struct trace_setting *setting);
// Do as trace_settings_walk for a client's request, over its walk. begin notes what the steps set;
// a step returns as trace_settings_walk.
void trace_settings_begin(struct client *client, dci_TraceMode mode, bool set_mask, u64 mask);
s64 trace_settings_step(struct client *client);
// A round that sets the masks of processes. values: the mask, and the mode (0: unchanged).
extern const struct round_kind trace_mask_kind;

#endif

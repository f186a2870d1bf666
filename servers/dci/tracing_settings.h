// SPDX-License-Identifier: MIT
// The trace's mode and masks, set over the kernel, one process, or all.
// All of this: the server's thread.
#ifndef DCI_TRACING_SETTINGS_H
#define DCI_TRACING_SETTINGS_H

#include "client.h"
#include "round.h"

// The mask that processes begin with.
u64 trace_process_mask(void);
// 0, or E_INVAL with the client's error message set: not a mode.
s64 trace_mode_check(struct client *client, dci_TraceMode mode);

struct trace_setting {
    dci_TraceMode mode;
    bool set_mask;
    u64 mask, process_mask; // set_mask
};

// Sets the kernel's, then those of processes. Returns REQUEST_WAITS for their answers, REQUEST_DONE
// after the last, or an error. client: who hears why; NULL: nobody.
s64 trace_settings_walk(struct client *client, struct walk *walk,
                        const struct trace_setting *setting);
// The same for a client's request, over its walk: what the following steps set.
void trace_settings_begin(struct client *client, dci_TraceMode mode, bool set_mask, u64 mask);
s64 trace_settings_step(struct client *client);
// A round that sets processes' masks: values are the mask and the mode (0: as it is).
extern const struct round_kind trace_mask_kind;

#endif

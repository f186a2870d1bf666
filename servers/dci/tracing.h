// SPDX-License-Identifier: MIT
// The subscription to the trace, for all that is asked about tracing.
// All of this: the server's thread.
#ifndef DCI_TRACING_H
#define DCI_TRACING_H

#include "client.h"

struct tracing {
    struct client *subscriber; // NULL: nobody takes packets
    u64 pushed_packets
        [ORRERY_MAX_CPUS]; // of the kernel's CPUs, by the present subscription or the last
};
extern struct tracing tracing;

#endif

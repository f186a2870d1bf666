// SPDX-License-Identifier: MIT
// The subscription to the trace, for what else is asked about tracing. All of this: the server's thread.
#ifndef DCI_TRACING_H
#define DCI_TRACING_H

#include "client.h"

const struct client *tracing_subscriber(void); // NULL: nobody takes packets
// Packets of this CPU of the kernel that the last subscription has pushed. cpu: below ORRERY_MAX_CPUS.
u64 tracing_pushed(u32 cpu);

#endif

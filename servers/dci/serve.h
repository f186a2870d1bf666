// SPDX-License-Identifier: MIT
// The server's loop, for whoever gives it a thread.
#ifndef DCI_SERVE_H
#define DCI_SERVE_H

#include <orrery/types.h>

// Serves for good; returns, having said why, when that cannot begin.
void dci_serve(void);
// One round of it, for registry_round: sleeps until there is something to do or that time, and does it. Returns when to come
// back at the latest.
u64 serve_round(u64 until);

#endif

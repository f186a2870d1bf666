// SPDX-License-Identifier: MIT
// The server's loop, for whoever gives it a thread.
#ifndef DCI_SERVE_H
#define DCI_SERVE_H

#include <orrery/types.h>

// Serves for good; returns, having said why, when that cannot begin.
void dci_serve(void);

#endif

// SPDX-License-Identifier: MIT
// The server's loop, for the program that gives it a thread.
#ifndef DCI_SERVE_H
#define DCI_SERVE_H

#include <orrery/types.h>

// Serves for ever. Returns, after printing the reason, if it cannot begin.
void dci_serve(void);

#endif

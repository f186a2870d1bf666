// SPDX-License-Identifier: MIT
// The DCI server (docs/protocol.md): viewers connect to it by TCP.
#ifndef DCI_SERVER_H
#define DCI_SERVER_H

#include <orrery/types.h>

#define DCI_PORT 4242

// Starts the server's thread on CPU 0, which brings the network up, says so on the console and
// serves for good. Without a network interface the thread says that and ends. 0 or E_NOMEM. Once.
s64 dci_server_start(void);

#endif

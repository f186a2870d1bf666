// SPDX-License-Identifier: MIT
// The DCI server's own account: clients, what was refused, the network interface.
#ifndef KOV_SERVER_ACCOUNT_H
#define KOV_SERVER_ACCOUNT_H

#include "output/document.h"

// Fills an empty object. An exit code.
int server_account_fetch(json_t *account);

#endif

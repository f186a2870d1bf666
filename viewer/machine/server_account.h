// SPDX-License-Identifier: MIT
// The DCI server's own account: its clients, what it refused, its network interface.
#ifndef KOV_SERVER_ACCOUNT_H
#define KOV_SERVER_ACCOUNT_H

#include "output/document.h"

// Fills an empty object. Returns an exit code.
int server_account_fetch(json_t *account);

#endif

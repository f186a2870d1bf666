// SPDX-License-Identifier: MIT
// The tokens that give roles.
#ifndef DCI_TOKEN_H
#define DCI_TOKEN_H

#include "bounds.h"

#include <dci/dci.pb.h>
#include <orrery/types.h>

// Reads the boot line's tokens. Returns how many roles can be had: 0…2.
u32 tokens_load(void);
// The role that a token gives, ROLE_NONE when it is nobody's. Takes the same time whatever it is.
dci_Role token_role(const char *token);

#endif

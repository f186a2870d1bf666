// SPDX-License-Identifier: MIT
// The tokens that give roles.
#ifndef DCI_TOKEN_H
#define DCI_TOKEN_H

#include "bounds.h"

#include <dci/dci.pb.h>
#include <orrery/types.h>

// Reads the tokens of the boot line. Returns how many roles have one: 0…2.
u32 tokens_load(void);
// Returns the role that a token gives, ROLE_NONE if it is wrong. Takes the same time for all
// tokens.
dci_Role token_role(const char *token);

#endif

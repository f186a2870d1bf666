// SPDX-License-Identifier: MIT
// Questions that the server would put to its own process.
#ifndef DCI_ASK_SELF_H
#define DCI_ASK_SELF_H

#include "ask.h"

// As ask_and_wait, but here: who waits in the kernel for an answer of its own library may wait in vain.
s64 ask_self(u32 operation, const u64 arguments[4], void *buffer, struct answer *answer);

#endif

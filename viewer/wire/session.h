// SPDX-License-Identifier: MIT
// A session with the machine: connection, hello, and what the hello told.
#ifndef KOV_SESSION_H
#define KOV_SESSION_H

#include "wire/dci.h"

#define SESSION_PROTOCOL_VERSION 2

// Connects and says hello. If `need_role` is set, the role "none" is a failure. Prints failures.
int session_begin(bool need_role);
void session_end(void); // also allowed when there is none

// Returns the answer to the hello. It is valid until session_end.
const Orrery__Dci__HelloReply *session_hello(void);
// Returns the machine. NULL when the role is none, or while there is no session.
const dci_system_info *session_machine(void);
// Asks the machine to describe itself again. The answer passes the taps of dci.h and is not kept.
int session_describe(void);

#endif

// SPDX-License-Identifier: MIT
// The fs server on the medium, in the calling process, once: writes rounds and reads them back.
#ifndef TESTS_UNIT_FS_SERVER_H
#define TESTS_UNIT_FS_SERVER_H

#include "medium.h"
#include "rounds.h"

// Starts the server. Returns an enum store_found, or an error.
s64 server_begin(void);
// Reads all files. Returns false if one is not whole.
bool server_state(struct round_state *state);
// Can a file be made and written?
bool server_can_write(void);

// Runs a server in a process of its own that writes rounds from the one that its files are of up to
// `last`, and syncs each; it also saves in between at random, as it does once a second. It is
// recorded, and ends after so many steps (0: when it is done), like one that is killed. Returns
// false if the server gave an error.
bool server_run(struct recording *recording, u32 last, u32 lives);

#endif

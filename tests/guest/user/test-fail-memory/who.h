// SPDX-License-Identifier: MIT
// The servers of the machine, by their names.
#ifndef TEST_FAIL_MEMORY_WHO_H
#define TEST_FAIL_MEMORY_WHO_H

#include <orrery/types.h>

#define SERVERS 5

struct servers {
    u32 pids[SERVERS]; // 0: it does not run
};

// Returns the process of a server, 0: it does not run. NULL: the caller.
u32 server_pid(const char *name);
struct servers servers_now(void);
// Returns how many have other processes than before, without the one with this name (NULL: none).
u32 servers_changed(const struct servers *before, const char *but);

#endif

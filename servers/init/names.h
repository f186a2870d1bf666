// SPDX-License-Identifier: MIT
// The name service (ipc/names.idl): which endpoint has which name. Nothing here waits for anybody.
#ifndef INIT_NAMES_H
#define INIT_NAMES_H

#include "manifest.h"

#define NAMES_MAX 64
#define NAMES_OF_PROCESS 8 // that are not in the manifest
#define NAMES_RESERVED 32  // the last ones, for processes that have a right

// The NameService object. 0 or an error.
s64 names_create(const struct manifest *manifest);
// An endpoint for the processes of a service (its index): what they register is the service's.
s64 names_endpoint(u32 service);
bool names_registered(const char *name);
// The service's process has ended: its names go.
void names_forget(u32 service);
// For list: what init knows about a service.
struct names_state {
    u32 pid, starts;
};
extern struct names_state names_states[SERVICES_MAX];

#endif

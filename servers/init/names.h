// SPDX-License-Identifier: MIT
// The name service (ipc/names.idl): names of endpoints. Nothing here waits for another process. Any
// thread may call what is declared here.
#ifndef INIT_NAMES_H
#define INIT_NAMES_H

#include "manifest.h"

#define NAMES_MAX 64
#define NAMES_OF_PROCESS 8 // a process's limit of names that are not in the manifest
#define NAMES_RESERVED 32  // the last ones, kept for processes that have a right

// Creates the NameService object. Returns 0 or an error. Called once, at the start.
s64 names_create(const struct manifest *manifest);
// Creates the endpoint through which the processes of a service (by its index) reach the name
// service: a name registered there belongs to the service. Returns the endpoint or an error.
s64 names_endpoint(u32 service);
bool names_registered(const char *name);
// Removes the names of a service whose process has ended.
void names_remove(u32 service);
// The state of each service for the request `list`. The supervisor writes it.
struct names_state {
    u32 pid, starts;
};
extern struct names_state names_states[SERVICES_MAX];

#endif

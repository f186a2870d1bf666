// SPDX-License-Identifier: MIT
// Services by name (ipc/names.idl), as clients use them. A name is looked up once, and again when
// the server has ended. Any thread. Results are 0 or an error of orrery/errors.h.
#ifndef POSIX_SERVICE_H
#define POSIX_SERVICE_H

#include <orrery/errors.h>
#include <orrery/process.h>

struct service; // one a name and process, for ever

// How long calls here wait for a service that is being restarted.
#define SERVICE_PATIENCE_US 10000000

// Returns the record of a service; NULL: the name is too long, or no memory.
struct service *service_get(const char *name);
const char *service_name(const struct service *service);
// Gets an endpoint of the service. Waits for it until the time base reaches deadline: E_TIMEOUT.
// E_NOENT, at once: the process has no name service. The capability is the record's: do not drop
// it.
s64 service_endpoint(struct service *service, u64 deadline, cap_t *endpoint);
// Returns the endpoint, if it is known already; 0: service_endpoint has to ask.
cap_t service_known(const struct service *service);
// Forgets an endpoint to which a call gave E_PEER. The next service_endpoint asks init again.
void service_lost(struct service *service, cap_t endpoint);

// For servers: makes an endpoint known under a name. Errors as names_register.
s64 service_register(const char *name, cap_t endpoint);

#endif

// SPDX-License-Identifier: MIT
// A service: requests, work besides, and what clients hold. Each service has its own file, and a
// line in the table below. Every `begin` first checks everything and then acts, and the act cannot
// fail half way.
#ifndef DCI_SERVICE_H
#define DCI_SERVICE_H

#include "client.h"
#include "system.h"

// Results of begin and step besides errors.
enum request_result {
    REQUEST_DONE,    // carried out; an empty response is due
    REQUEST_REPLIED, // carried out; the last response is queued
    REQUEST_GOES_ON, // step is called next, once there is room for a response
    REQUEST_WAITS,   // step could do nothing now, and is called again later
};

struct request_kind {
    u32 tag; // field number in Request.body
    const char *name;
    dci_Role role;                                                   // the least that it needs
    s64 (*begin)(struct client *client, const dci_Request *request); // NULL: step is called at once
    s64 (*step)(struct client *client);
};

#define REQUEST(name, role, begin, step)                                                           \
    {                                                                                              \
        dci_Request_##name##_tag, #name, role, begin, step                                         \
    }

struct service {
    const struct request_kind *kinds;
    u32 kind_count;
    // Does the work that is due. Returns the time of the next call, UINT64_MAX if none is needed.
    // NULL: no work.
    u64 (*work)(u64 now);
    // Lets go of all that the client holds. NULL: it holds nothing.
    void (*release)(struct client *client);
    // Returns how many things the client holds, for its object. NULL: not told.
    u32 (*held_by)(const struct client *client);
};

// The services, in the order in which they work and let go.
#define SERVICES(X)                                                                                \
    X(session)                                                                                     \
    X(members)                                                                                     \
    X(tracing)                                                                                     \
    X(trace_settings)                                                                              \
    X(trace_counts)                                                                                \
    X(trace_lists)                                                                                 \
    X(sampling)                                                                                    \
    X(counting)                                                                                    \
    X(exclusion)                                                                                   \
    X(objects)                                                                                     \
    X(dref)                                                                                        \
    X(sleep_locks)                                                                                 \
    X(monitors)                                                                                    \
    X(processes)                                                                                   \
    X(scheduler)                                                                                   \
    X(runs)                                                                                        \
    X(workloads)                                                                                   \
    X(console)

#define DECLARE(name) extern const struct service name##_service;
SERVICES(DECLARE)
#undef DECLARE

const struct request_kind *request_find(u32 tag); // NULL: the request is unknown
// Do the work of services that are due, and let go of what a client holds of any.
// all: also of those that are not due. Something has come that they may have waited for.
u64 services_work(u64 now, bool all);
void services_release(struct client *client);

#endif

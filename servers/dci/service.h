// SPDX-License-Identifier: MIT
// A service: requests, what is to be done besides, and what clients hold of it. Each has its own
// file, and its line in the table below. Every `begin` decodes and checks all, then acts; the act
// cannot half fail.
#ifndef DCI_SERVICE_H
#define DCI_SERVICE_H

#include "client.h"
#include "system.h"

// What begin and step return besides errors.
enum request_result {
    REQUEST_DONE,    // carried out: an empty response is due
    REQUEST_REPLIED, // carried out, the last response is queued
    REQUEST_GOES_ON, // step is to be called (again), when there is room for a response
    REQUEST_WAITS,   // step could do nothing now: its pushes need room
};

struct request_kind {
    u32 tag; // field number in Request.body
    const char *name;
    dci_Role role;                                                   // at least this one
    s64 (*begin)(struct client *client, const dci_Request *request); // NULL: it goes on with step
    s64 (*step)(struct client *client);
};

#define REQUEST(name, role, begin, step)                                                           \
    {                                                                                              \
        dci_Request_##name##_tag, #name, role, begin, step                                         \
    }

struct service {
    const struct request_kind *kinds;
    u32 kind_count;
    // Does what there is to do. Returns when to call it again, UINT64_MAX: not by itself.
    // NULL: nothing.
    u64 (*work)(u64 now);
    void (*release)(struct client *client); // lets go of all that the client holds; NULL: nothing
    u32 (*held_by)(const struct client *client); // how many things; NULL: not told
};

// In the order in which they work, and let go.
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
    X(runs)                                                                                        \
    X(workloads)                                                                                   \
    X(console)

#define DECLARE(name) extern const struct service name##_service;
SERVICES(DECLARE)
#undef DECLARE

const struct request_kind *request_find(u32 tag); // NULL when there is no such
u64 services_work(u64 now);                       // all of them: as one's
void services_release(struct client *client);

#endif

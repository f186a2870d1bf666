// SPDX-License-Identifier: MIT
// Endpoints: where a process takes calls and messages. A clustered object, child of its Process. It
// lives as long as capabilities refer to it, but answers E_PEER once its process has ended or
// destroyed it.
#ifndef KERNEL_IPC_ENDPOINT_H
#define KERNEL_IPC_ENDPOINT_H

#include <co/object.h>
#include "message_info.h"

#include <kernel/ipc.h>

#define KIND_ENDPOINT REFS_KIND('E', 'N', 'D', 'P')
#define ENDPOINT_MAX 1024       // of a process
#define ENDPOINT_MESSAGE_MAX 64 // asynchronous messages on their way to it

struct call_start;
struct endpoint_ops;

struct endpoint_rep {
    CO_REP(struct endpoint_ops);
};

// What a CPU's calls need of an endpoint, in a cache line of its own.
struct endpoint_cpu {
    struct dispatcher *server; // of this CPU, once a call has found it
    coid_t coid;
    u64 badge;
    u64 calls, messages;
    u64 reserved[3];
};

struct endpoint {
    struct co_root root;
    struct endpoint_rep rep;
    u32 cpu;                 // serves calls from CPUs where its process has no dispatcher
    struct process *process; // when dead: only in a masked section that saw it alive
    u64 badge;
    struct refs refs; // capabilities, and messages on their way
    u64 queued;       // messages on their way
    bool dead;
    struct endpoint *next, **link; // in its process's list, until dead
    struct endpoint_cpu cpus[ORRERY_MAX_CPUS] __attribute__((aligned(64)));
};

// A call on its way to an endpoint.
struct call_start {
    struct dispatcher *client;
    u64 token;
    struct event *registers; // words; and the event, when the client itself serves the call
    struct message message;
    struct dispatcher *target; // out: the dispatcher that gets it
    u64 call;                  // out: its id
};

struct endpoint_ops {
    struct co_ops base;
    // Delivers a call to a dispatcher. Returns one of these, or an error. Soft-masked.
#define CALL_QUEUED 0
#define CALL_HANDED 1  // the CPU is to follow
#define CALL_TO_SELF 2 // the event is in the client's registers
    s64 (*call)(struct endpoint_rep *self, struct call_start *start);
    // Queues a message from process pid. Soft-masked.
    s64 (*send)(struct endpoint_rep *self, u64 pid, u64 badge, u64 cpu, const u64 *words);
};

// Returns the dispatcher that serves a call from this CPU: the process's here, else the one on the
// endpoint's CPU, else any; first of all one where the process's place has its CPU. NULL: it has
// none.
struct dispatcher *endpoint_dispatcher(struct endpoint *endpoint);

extern const struct endpoint_ops endpoint_ops;
s64 endpoint_call(struct endpoint_rep *self, struct call_start *start);
s64 endpoint_send(struct endpoint_rep *self, u64 pid, u64 badge, u64 cpu, const u64 *words);

static inline struct endpoint *endpoint_of(struct endpoint_rep *self)
{
    return (struct endpoint *)self->co.root;
}

#endif

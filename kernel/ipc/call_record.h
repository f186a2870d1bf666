// SPDX-License-Identifier: MIT
// Records of calls that wait for their answers. A CPU has a table of those that its dispatchers
// made. The memory of a record stays a record for ever, and each use has its own generation, so
// that any CPU can safely look up a call id from anywhere.
//
// States: FREE -> PENDING by the client's CPU; PENDING -> ANSWERED by whoever answers. One exchange
// of the record's word decides among a reply, the end of the server and of the client. An ORPHAN
// waits for the server to notice that its client has ended.
//
// A dispatcher has one record of its own for calls to servers of its CPU, used again and again.
// Only its CPU changes that record's word, with interrupts masked, so that the fast path needs no
// atomic exchange (fast_path.S).
#ifndef KERNEL_IPC_CALL_RECORD_H
#define KERNEL_IPC_CALL_RECORD_H

#include "call_layout.h"

#include <kernel/ipc.h>

#define CALL_MAX 32768       // records of a CPU
#define CALL_CHUNK 32        // records made at a time
#define CALL_OUTSTANDING 256 // calls of one dispatcher

struct call_record {
    u64 word; // call_layout.h
    struct dispatcher *client;
    struct dispatcher *server;
    coid_t endpoint;
    u64 token;
    struct call_record *next;  // while free
    struct posted_event reply; // while answered, on its way to the client
    void *bulk;                // the reply's, allocated
    u32 domain;                // of the dispatcher that sent the reply; 0: the kernel did
} __attribute__((aligned(16)));

// Stands where there is no record: never free, never pending, and its client never sleeps.
extern struct call_record no_call;

static inline bool call_is_pending(const struct call_record *record)
{
    return (record->word & CALL_STATE_MASK) == CALL_PENDING;
}

static inline u32 call_cpu(u64 id)
{
    return (u32)(id >> CALL_CPU_SHIFT);
}

// Returns where the fast path of answers (fast_reply.S) looks for a CPU's records: pointers to
// CALL_CHUNK of them each, NULL behind the last.
void *call_chunks(u32 cpu);
// Makes a new pending record of this CPU, and stores its id. NULL: out of memory, or of records.
// Soft-masked.
struct call_record *call_new(struct dispatcher *client, struct dispatcher *server, coid_t endpoint,
                             u64 token, u64 *id);
// Claims the pending record of a call to a process: it now belongs to the caller (ANSWERED). NULL,
// with *error: E_NOENT, or E_PEER (its client has ended). Soft-masked, and for a dispatcher's own
// record on its CPU only (call_needs_cpu).
struct call_record *call_claim(u64 id, const struct process *server, s64 *error);
static inline bool call_needs_cpu(u64 id, u32 cpu)
{
    return (id & CALL_OWN) != 0 && call_cpu(id) != cpu;
}
// Gives a record back that the caller owns. Any CPU.
void call_free(struct call_record *record);

// Takes back a call that has not been delivered.
void call_cancel(struct call_record *record);
// Frees the record of a call whose answer its client has got. On its CPU, soft-masked.
void call_answered(struct call_record *record);
// Finishes an owned record without a server's reply: the client gets EVENT_REPLY with this status.
void call_fail(struct call_record *record, s64 status);
// Sends the reply that is in record->reply to the client by its queue. E_PEER: it is gone.
// Soft-masked.
s64 call_post_reply(struct call_record *record);

// A call without an answer.
struct open_call {
    u64 id, token;
    u32 client, thread, server; // the client's pid, its dispatcher's thread; the server's pid
};
// Stores at most max calls without an answer. Returns how many there are. Thread context, no lock
// held.
u32 calls_list(struct open_call *calls, u32 max);

// What ends: a process, with all the calls that it made or serves, or one endpoint.
struct calls_ending {
    struct process *process;
    coid_t endpoint;
};
#define ALL_CPUS UINT64_MAX
// Looks for the calls that end on the CPUs of the mask, and ends them. Thread context, no lock
// held.
void calls_end(struct calls_ending *ending, u64 mask);

#endif

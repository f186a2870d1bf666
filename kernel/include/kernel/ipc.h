// SPDX-License-Identifier: MIT
// Protected procedure calls and messages between processes (orrery/ipc.h), for kernel/proc: the
// functions behind the system calls that take and return an event, and what they need of
// dispatchers.
//
// Such a call has its registers, r3 … r12 of its frame, laid out like a struct event. So the same
// memory has the arguments and takes the result: `registers` is (struct event *)&frame->gpr[3].
#ifndef KERNEL_IPC_H
#define KERNEL_IPC_H

#include <kernel/process.h>
#include <kernel/spinlock.h>

struct call_record;

// kernel/ipc's part of a dispatcher: struct dispatcher holds one, initialised by
// ipc_dispatcher_init. Only the dispatcher's own CPU touches it.
struct ipc_dispatcher {
    struct call_record *own;    // its record for calls to servers of this CPU
    struct call_record *handed; // that of the last hand-over of the CPU; its call may be over
    u64 alone;                  // flags of its last SYS_CALL: CALL_ALONE
    struct call_record *none;   // stands for "no record"
    // as handed, for calls with other records than the client's own
    struct call_record *handed_other;
    u64 calls;       // it made with other records than own
    u64 own_since;   // the generation of own at its first call
    u32 outstanding; // calls that wait for their replies, besides own
    u32 answered;    // domain of the client that it answered last (orrery/log.h)
};
void ipc_dispatcher_init(struct ipc_dispatcher *ipc);
// Returns the number of calls it has ever made.
u64 ipc_calls(const struct ipc_dispatcher *ipc);
// Returns the part inside of a dispatcher; kernel/proc supplies it.
struct ipc_dispatcher *dispatcher_ipc(struct dispatcher *dispatcher);

// ---- system calls ------------------------------------------------------------------------------
// self is the current dispatcher, disabled in user space (their caller has checked it, except for
// ipc_send and ipc_reply). Thread context, no lock held. All errors are delivered through the
// registers: bad arguments never cause a hang or a panic.

// SYS_CALL. In: type = cap, id = token, badge = flags, info, words. Out: an event. May sleep, and
// may hand the CPU to the server.
void ipc_call(struct dispatcher *self, struct event *registers);
// SYS_REPLY_WAIT. In: id = call id, badge = status, info, words. Out: the next event. An answer to
// a call that no longer exists is dropped. May sleep, and may hand the CPU back to the caller.
void ipc_reply_wait(struct dispatcher *self, struct event *registers);
// SYS_REPLY. In: the same. Returns 0. E_NOENT: no such call, or not one of this process's, or
// answered already. E_PEER: the caller has ended. E_INVAL, E_NOENT for a bad info: the call stays.
s64 ipc_reply(struct dispatcher *self, struct event *registers);
// SYS_SEND. In: type = cap, id = cpu or -1, words. 0, E_AGAIN, E_PEER, E_NOENT, E_INVAL, E_NOMEM.
s64 ipc_send(struct dispatcher *self, const struct event *registers);

// Called by kernel/proc when self is about to sleep in dispatcher_wait without handing its CPU to
// another dispatcher: clients that handed it theirs can use it for other threads. Soft-masked, no
// lock held.
void ipc_before_sleep(struct dispatcher *self);

// Stores at most max COIDs of a process's endpoints, for the scan; counts all if out is NULL.
u32 ipc_endpoint_coids(struct process *process, coid_t *out, u32 max);

// Has calls from this CPU look for a dispatcher of the process anew: its place has changed.
// Soft-masked.
void ipc_invalidate_servers(struct process *process);

// kernel/ipc's part of a process: struct process holds one, initialised by ipc_process_init.
struct ipc_process {
    struct spinlock lock; // RANK_OBJECT; guards all of it
    struct endpoint *endpoints;
    u32 endpoint_count;
    bool served; // has ever had an endpoint
    bool ended;  // takes no further endpoint
};
void ipc_process_init(struct ipc_process *ipc);
// Supplied by kernel/proc.
struct ipc_process *process_ipc(struct process *process);

// ---- dispatchers, supplied by kernel/proc -------------------------------------------------------

// Stores the next event of self; sleeps until there is one. Copies its bulk to the message buffer
// and runs its taken(). reason: what it mainly waits for, of trace/reasons.h. Thread context of
// self.
void dispatcher_wait(struct dispatcher *self, struct event *event, u32 reason);
// Does the same without sleeping. Returns false if there is no event.
bool dispatcher_poll(struct dispatcher *self, struct event *event);
// Gives event to a dispatcher of this CPU that sleeps in dispatcher_wait with nothing queued:
// dispatcher_wait will return it. ready: its thread becomes runnable; else the caller follows up at
// once with dispatcher_switch. Returns false, with nothing done, if it does not sleep there.
// Soft-masked. The caller then puts bulk into dispatcher_message(to).
bool dispatcher_hand(struct dispatcher *to, const struct event *event, bool ready);
// Waits as dispatcher_wait, but the CPU goes to `to`, which dispatcher_hand has just prepared,
// unless something more urgent is runnable. Does not sleep if self has an event already (then makes
// `to` runnable). in_call: for a call of self to `to`. Soft-masked.
void dispatcher_switch(struct dispatcher *self, struct dispatcher *to, bool in_call,
                       struct event *event);

#endif

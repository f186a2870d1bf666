// SPDX-License-Identifier: MIT
// IPC (docs/ipc.md): protected procedure calls that hand over the CPU, asynchronous messages, and
// capabilities. A message has six words in registers, up to MESSAGE_BYTES in the dispatcher's
// message buffer (which the kernel copies), and at most one capability.
//
// Register interface, for the stubs in userlib (all called while disabled,
// r3…r12 as in struct event):
//   SYS_CALL        r3 cap, r4 token, r5 flags (CALL_ALONE), r6 info, r7…r12 words.
//                   Returns an event: most often EVENT_REPLY with this token at once; else whatever
//                   comes first, the reply later. A dead or dying server gives EVENT_REPLY with
//                   status E_PEER, a bad capability E_NOENT, bad flags or info E_INVAL, more than
//                   256 waiting calls of this dispatcher E_LIMIT: always a reply for each call.
//   SYS_REPLY_WAIT  r4 call id, r5 status, r6 info, r7…r12 words: answers and waits for an event.
//   SYS_REPLY       the same, and returns 0 or an error in r3.
//   SYS_SEND        r3 cap, r4 cpu (or -1: the endpoint's), r7…r12 words. 0, E_AGAIN when the
//                   receiver's queue (64) is full, E_PEER, E_NOENT. Also while enabled.
// A call to a process with no dispatcher on this CPU is served on another of its CPUs.
#ifndef ORRERY_IPC_H
#define ORRERY_IPC_H

#include <orrery/process.h>
#include <orrery/user.h>

#define CALL_ALONE 1u // no other thread of this dispatcher could run: return with an event only

// Creates an endpoint of the calling process. Its calls and messages arrive with this badge. Calls
// from CPUs where the process has no dispatcher are served on the CPU where the endpoint was
// created, or on another one.
s64 sys_endpoint_create(u64 badge);
// Closes an endpoint of the caller's own (else E_PERM). It takes no further call; waiting calls get
// E_PEER. The capability stays.
s64 sys_endpoint_destroy(cap_t endpoint);
s64 sys_cap_drop(cap_t cap);
// Copies the capability to another slot.
s64 sys_cap_copy(cap_t cap);

#endif

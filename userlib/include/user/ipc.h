// SPDX-License-Identifier: MIT
// Calls between processes, by threads (orrery/ipc.h; docs/ipc.md). While a caller waits, its CPU
// runs other threads. Worker threads, which may block, take a server's calls. The stubs and
// skeletons that are generated from ipc/ use these. Any thread, not inside of user_disable.
#ifndef USER_IPC_H
#define USER_IPC_H

#include <orrery/errors.h>
#include <orrery/ipc.h>

// ---- client ------------------------------------------------------------------------------------

struct ipc_message {
    u64 words[MESSAGE_WORDS]; // to the server, and then from it
    const void *send;         // bulk to the server, and some more behind it: at most
    u32 send_bytes;           // MESSAGE_BYTES together; multiples of nothing
    u32 send_more_bytes;
    const void *send_more;
    void *receive;      // bulk from the server goes here …
    u32 receive_max;    // … as far as there is room
    u32 received;       // how much the server sent, may be more than receive_max
    cap_t send_cap;     // a capability that goes along, 0: none
    cap_t received_cap; // one that came along, now the caller's own; 0: none
};

// Calls the server behind to, and waits for its answer. Returns the status that the server gave, or
// E_NOENT (to is no endpoint), E_PEER (the server has ended or ends), E_INVAL (too much bulk),
// E_NOMEM. After an error nothing was received, and received_cap is 0.
s64 ipc_call(cap_t to, struct ipc_message *message);
// Sends an asynchronous message to the endpoint's process on cpu (-1: any). E_AGAIN: its queue is
// full.
s64 ipc_send(cap_t to, s64 cpu, const u64 words[MESSAGE_WORDS]);

// ---- server ------------------------------------------------------------------------------------

// A call, as its handler sees it. Handlers fill in the lower part.
struct ipc_request {
    u64 call;      // its id, for answers later; 0: a message (ipc_send), not to be answered
    u32 pid;       // of the process that calls, or that sends a message; 0: the kernel
    void *context; // as given to ipc_endpoint
    u64 words[MESSAGE_WORDS]; // of call or message
    const void *data; // bulk, in the worker's memory until the handler returns, 16-byte aligned
    u32 bytes;
    cap_t cap; // a capability that came along, the server's to keep or to drop; 0: none

    u64 reply[MESSAGE_WORDS]; // zero at first
    const void *reply_data; // bulk of the answer; must stay until the handler has returned, and may
    u32 reply_bytes;        // lie in the thread's memory or in buffer; <= MESSAGE_BYTES
    cap_t reply_cap;        // stays the server's own, too
    bool drop_reply_cap;    // gives it up once the answer has gone
    u8 *buffer;             // MESSAGE_BYTES of the worker's, for reply_data; may be data's memory
};

// Handles a call in a worker thread; may block and call. Returns the status of the answer, 0 or an
// error, or IPC_LATER: somebody will call ipc_answer with request->call. For a message the result
// means nothing.
typedef s64 (*ipc_handler)(struct ipc_request *request);
#define IPC_LATER 1

// Makes an endpoint whose calls and messages go to handler with context. Returns its capability, to
// be given to clients (as send_cap, reply_cap, or when spawning), or E_NOMEM, E_LIMIT.
s64 ipc_endpoint(ipc_handler handler, void *context);
// Closes an endpoint: no further call arrives. Handlers that run go on; once they are done context
// may be freed.
s64 ipc_endpoint_close(cap_t endpoint);
// Returns an endpoint's badge, for other calls that name one (sys_file_create's messages: token =
// ipc_badge).
u64 ipc_badge(cap_t endpoint);
// Makes a badge: messages of the kernel that come with it (a file's token) go to handler with
// context. *badge is what to give to the kernel. E_NOMEM.
s64 ipc_badge_create(ipc_handler handler, void *context, u64 *badge);
void ipc_badge_destroy(u64 badge);

// Answers a call whose handler returned IPC_LATER. Uses only the lower part of reply; NULL: status
// only. Any thread. E_NOENT: the call is gone (the caller has ended).
s64 ipc_answer(u64 call, s64 status, const struct ipc_request *reply);

// Makes the calling thread one of this CPU's workers, for ever. A program need not call it, as
// workers are made when calls arrive; but a thread that does takes calls without a thread switch.
void ipc_serve(void) __attribute__((noreturn));
// Sets the most workers a CPU has (default 1,024). Further calls wait in the library.
void ipc_set_workers(u32 max);

#endif

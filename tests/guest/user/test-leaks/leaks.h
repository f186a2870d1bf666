// SPDX-License-Identifier: MIT
// What a process can see of others: this program as its first process, and in the roles that it
// starts.
#ifndef TEST_LEAKS_LEAKS_H
#define TEST_LEAKS_LEAKS_H

#include "registers.h"

#include <user/ipc.h>
#include <user/lock.h>
#include <user/process.h>
#include <user/scheduler.h>

#define CLIENT 0x11c11c1 // whose registers these are; nobody else may see them
#define SERVER 0x2525252
#define BADGE 0x4242
#define TOKEN 77
#define CLIENT_FILL 0xc5 // what stands behind messages in one's own buffer
#define SERVER_FILL 0x3a

// words[0] of a call. Words of the answer are those of the call plus one.
#define OP_ECHO 1
#define OP_REPORT 2 // words[0] of the answer: how much the server has found wrong
#define OP_CLEAR 3  // forgets the messages that have been

// ---- roles (serve.c, sprs.c) --------------------------------------------------------------------

// A server that looks at all its registers, and behind each message. apart: answers by SYS_REPLY
// and SYS_WAIT, not by SYS_REPLY_WAIT.
int serve(bool apart);
// Writes all special purpose registers, or reads them, in so many passes: how many have what they
// should not.
s32 spr_role(bool writes, u32 passes);
void event_handle(const struct event *event); // the library's

// ---- the other process (peer.c) -----------------------------------------------------------------

struct peer {
    u32 pid;
    cap_t cap; // its endpoint
    cap_t greeting;
    struct semaphore ready;
};
bool peer_start(struct peer *peer, const char *role, u32 cpu);
void peer_end(struct peer *peer);
// Starts one that ends by itself: its status, or an error.
s64 peer_run(const char *role);

// ---- messages (bulk.c) --------------------------------------------------------------------------

u8 *message_buffer(void); // this CPU's
// Fills the buffer: `bytes` of the message, which are always the same, and then `fill`.
void message_fill(u32 bytes, u8 fill);
// Makes the message one byte longer than it was, up to MESSAGE_BYTES.
void message_grow(u32 bytes);
// Looks at a message that has come, and at what stands behind it, and puts `fill` there again where
// the kernel has stored zeros. thorough: at all of it. Returns how much is wrong.
u32 message_wrong(const char *where, u32 bytes, u8 fill, bool thorough);

// ---- a process without a library (bare.c) -------------------------------------------------------

u32 bare_wrong(void); // how many of its registers have what they should not

// ---- buffers of calls (shapes.c) ----------------------------------------------------------------

// Makes each call so often: how many have written what they should not. *calls: made in all.
u32 shapes_wrong(u32 rounds, u32 *calls);

// ---- observers (observers.c) --------------------------------------------------------------------

struct observer {
    const char *name;
    bool (*begin)(u32 server_pid, u32 cpu); // false: it cannot be
    void (*end)(void);
    bool together; // with the others that may
};
extern const struct observer observers[];
extern const u32 observer_count;

// Prints, from anywhere.
void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
#endif

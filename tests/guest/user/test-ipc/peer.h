// SPDX-License-Identifier: MIT
// Other processes of this test: the same program in a role.
#ifndef TEST_IPC_PEER_H
#define TEST_IPC_PEER_H

#include <user/ipc.h>
#include <user/lock.h>
#include <user/process.h>

struct peer {
    u32 pid;
    cap_t cap; // its endpoint
    cap_t process;
    cap_t greeting; // ours, to which it introduces itself
    struct semaphore ready;
};

// Starts a process in a role ("server", "client") on cpu, and waits until it has said hello.
// cap_given goes into its slot SLOT_GIVEN. False (and a failed check) when it does not come up.
#define SLOT_GIVEN 3
bool peer_start(struct peer *peer, const char *role, u32 cpu, cap_t cap_given);
// Kills it, waits for its end, gives everything back. Returns its status.
s32 peer_end(struct peer *peer);
// Waits for its own end.
s32 peer_wait(struct peer *peer);

// ---- what a server does, by words[0] of a call --------------------------------------------------

enum operation {
    // words[0]: the caller's pid; all other words plus one; bulk turned around byte by byte (xor
    // 0xa5)
    OP_ECHO = 1,
    OP_EXIT, // ends the process inside of the call
    OP_KEEP, // answers later: with OP_FLUSH
    // answers all kept calls with words[0] = 4711; words: how many there were, and how many of
    // those answers failed
    OP_FLUSH,
    OP_KEPT,  // words[0]: how many are kept
    OP_BACK,  // calls the capability that came along with OP_ECHO, and returns it and the result
    OP_CPU,   // words[0]: on which CPU it was served
    OP_CLOSE, // ends its endpoint
    OP_FORGE, // answers calls that are not there: words[0]: how many of 2,000 were taken
    OP_ID,    // words[0]: the id of this very call
    OP_HOLD,  // takes no event for words[1] microseconds; reply: from when and until when
    // words: messages since the last time, the sum of their numbers, how many were wrong
    OP_MESSAGES,
    OP_DESCEND, // words[1] levels: calls the capability, which calls ours, and so on
    OP_SPIN,    // keeps the CPU for words[1] microseconds
};
int server_main(void);

// A client process: calls SLOT_GIVEN for ever, words[0] as its argument says.
int client_main(const char *what);

// ---- calls with checks --------------------------------------------------------------------------

// A call without bulk; words in and out. Returns its status.
s64 call_words(cap_t cap, u64 words[MESSAGE_WORDS]);
// A call with the operation and one argument: status,
// and words[0] of the answer in *result when not NULL.
s64 call_simple(cap_t cap, u64 operation, u64 argument, u64 *result);
// OP_ECHO with so much bulk, everything checked but the status, which it returns.
s64 call_echo(cap_t cap, u64 seed, u32 bytes);

// ---- raw system calls ---------------------------------------------------------------------------

s64 raw_reply(u64 call, s64 status, u64 info, const u64 *words);
s64 raw_send(cap_t cap, s64 cpu, const u64 *words);
// SYS_CALL, for calls that fail at once: the status in the reply, or 1 when another event came
// first (it has been handled). Returns the status.
s64 raw_call(cap_t cap, u64 token, u64 flags, u64 info);
// A special call while enabled: r3 as it comes back.
s64 raw_while_enabled(u64 number);

#endif

// SPDX-License-Identifier: MIT
// Peers of the benchmark and the loops in assembly.
#ifndef BENCH_IPC_BENCH_H
#define BENCH_IPC_BENCH_H

#include <user/ipc.h>
#include <user/lock.h>

s64 pingpong(cap_t cap, u64 count, u64 info);
void serve_raw(void) __attribute__((noreturn));

struct peer {
    u32 pid;
    cap_t cap, greeting;
    struct semaphore ready;
};

// A server process on cpu: "raw" (serve_raw) or "library" (a handler of user/ipc.h).
// False when it does not come.
bool peer_start(struct peer *peer, const char *role, u32 cpu);
void peer_end(struct peer *peer);
// Ticks of so many calls, the least of some measurements, so that a timer interrupt in one does not
// count. 0 when calls failed.
u64 raw_ticks(cap_t cap, u64 rounds, u32 bytes);
void monitored_calls(void);
int figure(int argc, char **argv);
int paced(int argc, char **argv);
int logged_calls(u32 rounds);
bool bench_logged(void); // lines of `make bench`; false: something failed
int reading_logs(u32 times);
// What a server does.
int serve(const char *role);

#endif

// SPDX-License-Identifier: MIT
// Costs of calls: across and within address spaces, by size; messages; pairs on several CPUs at
// once. In nanoseconds; under -icount shift=0 on one CPU a nanosecond is an instruction.
#include "bench.h"

#include <orrery/sys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

#include "told.h"

#define ROUNDS 500
#define REPEATS 3
#define MESSAGES 32 // at a time, fewer than fit
#define PAIR_ROUNDS 5000

static const u32 sizes[] = {0, 48, 64, 128, 256, 1024, 4096, 16384};

static void tell(const char *name, u32 number, double ns)
{
    printf("BENCH ipc.%s_%u %.1f ns\n", name, number, ns);
}

// Of a line's operations, once.
static double nanoseconds(u64 ticks, u64 operations)
{
    told(operations);
    return (double)ticks * 1e9 / (double)time_hz() / (double)operations;
}

// ---- the kernel's part: loops in assembly on both sides -----------------------------------------

u64 raw_ticks(cap_t cap, u64 rounds, u32 bytes)
{
    u64 best = UINT64_MAX;

    for (u32 i = 0; i < REPEATS; i++) {
        u32 before = user_disable();
        u64 start = time_now();
        s64 failed = pingpong(cap, rounds, bytes);
        u64 ticks = time_now() - start;
        user_enable(before);
        if (failed == 0 && ticks < best)
            best = ticks;
    }
    return best == UINT64_MAX ? 0 : best;
}

static void raw_calls(void)
{
    struct peer server;

    if (!peer_start(&server, "raw", PROCESS_HERE))
        return;
    for (u32 i = 0; i < ARRAY_SIZE(sizes); i++)
        tell("call_cross", sizes[i], nanoseconds(raw_ticks(server.cap, ROUNDS, sizes[i]), ROUNDS));
    peer_end(&server);
}

// ---- calls as programs make them ----------------------------------------------------------------

// Aligned, as copies of others take longer.
static u8 sent[MESSAGE_BYTES] __attribute__((aligned(16)));
static u8 received[MESSAGE_BYTES] __attribute__((aligned(16)));

static u64 library_ticks(cap_t cap, u32 bytes)
{
    u64 best = UINT64_MAX;

    for (u32 i = 0; i < REPEATS; i++) {
        u64 start = time_now();
        for (u32 round = 0; round < ROUNDS; round++) {
            struct ipc_message message = {.words = {round},
                                          .send = sent,
                                          .send_bytes = bytes,
                                          .receive = received,
                                          .receive_max = sizeof(received)};
            if (ipc_call(cap, &message) != 0)
                return 0;
        }
        u64 ticks = time_now() - start;
        best = ticks < best ? ticks : best;
    }
    return best;
}

static s64 turn_around(struct ipc_request *request)
{
    memcpy(request->reply, request->words, sizeof(request->reply));
    request->reply_data = request->data;
    request->reply_bytes = request->bytes;
    return 0;
}

static void library_calls(void)
{
    struct peer server;
    s64 own = ipc_endpoint(turn_around, NULL);

    if (own < 0 || !peer_start(&server, "library", PROCESS_HERE))
        return;
    for (u32 i = 0; i < ARRAY_SIZE(sizes) && sizes[i] <= 256; i++) {
        tell("library_cross", sizes[i], nanoseconds(library_ticks(server.cap, sizes[i]), ROUNDS));
        tell("library_within", sizes[i], nanoseconds(library_ticks((cap_t)own, sizes[i]), ROUNDS));
    }
    peer_end(&server);
    ipc_endpoint_close((cap_t)own);
}

// ---- messages -----------------------------------------------------------------------------------

// Bursts to a server of the same CPU, each followed by a call that is served after them.
// The least of each, as above.
static void messages(void)
{
    const u64 words[MESSAGE_WORDS] = {1};
    struct peer server;
    u64 sending = UINT64_MAX, all = UINT64_MAX;

    if (!peer_start(&server, "library", PROCESS_HERE))
        return;
    for (u32 round = 0; round < ROUNDS / MESSAGES; round++) {
        u64 start = time_now();
        for (u32 i = 0; i < MESSAGES; i++)
            ipc_send(server.cap, -1, words);
        sending = min_u64(sending, time_now() - start);
        raw_ticks(server.cap, 1, 0);
        all = min_u64(all, time_now() - start);
    }
    tell("send", 0, nanoseconds(sending, MESSAGES));
    tell("send_received", 0, nanoseconds(all, MESSAGES));
    peer_end(&server);
}

// ---- pairs on CPUs ------------------------------------------------------------------------------

struct pair {
    struct peer server;
    struct thread *thread;
    u64 ticks;
};

static struct semaphore go;

static s64 run_pair(void *argument)
{
    struct pair *pair = argument;

    semaphore_down(&go);
    pair->ticks = raw_ticks(pair->server.cap, PAIR_ROUNDS, 0);
    return 0;
}

// Mean time of a call, with as many pairs at once, each on a CPU of its own.
static void pairs(u32 count)
{
    static struct pair all[ORRERY_MAX_CPUS];
    u64 ticks = 0;

    for (u32 cpu = 0; cpu < count; cpu++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = cpu;
        if (!peer_start(&all[cpu].server, "raw", cpu) ||
            thread_create(&all[cpu].thread, &attributes, run_pair, &all[cpu]) != 0)
            return;
    }
    for (u32 cpu = 0; cpu < count; cpu++)
        semaphore_up(&go);
    for (u32 cpu = 0; cpu < count; cpu++) {
        thread_join(all[cpu].thread, NULL);
        ticks += all[cpu].ticks;
        peer_end(&all[cpu].server);
    }
    tell("pairs", count, nanoseconds(ticks, (u64)count * PAIR_ROUNDS));
}

// A call to a server that runs on another CPU only.
static void other_cpu(void)
{
    struct peer server;

    if (user_cpu_count() < 2 || !peer_start(&server, "raw", (user_cpu() + 1) % user_cpu_count()))
        return;
    tell("call_cpu", 0, nanoseconds(raw_ticks(server.cap, ROUNDS / 4, 0), ROUNDS / 4));
    peer_end(&server);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strncmp(argv[1], "figure", 6) == 0)
        return figure(argc, argv);
    if (argc > 1 && strcmp(argv[1], "paced") == 0)
        return paced(argc, argv);
    if (argc == 3 && strcmp(argv[1], "logged") == 0)
        return logged_calls((u32)atoi(argv[2]));
    if (argc == 3 && strcmp(argv[1], "reading") == 0)
        return reading_logs((u32)atoi(argv[2]));
    if (argc > 1)
        return serve(argv[1]);
    raw_calls();
    library_calls();
    messages();
    other_cpu();
    for (u32 count = 1; count <= user_cpu_count(); count *= 2)
        pairs(count);
    monitored_calls();
    if (!bench_logged())
        return 1;
    printf("bench-ipc: done\n");
    return 0;
}

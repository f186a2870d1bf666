// SPDX-License-Identifier: MIT
// Calls within and between CPUs.
#include "check.h"
#include "peer.h"
#include "tests.h"

#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

#define CALLS 200

struct caller {
    struct thread *thread;
    cap_t cap;
    u32 cpu;
};

static s64 call_often(void *argument)
{
    const struct caller *caller = argument;
    u64 seed = caller->cpu;

    CHECK_IS(user_cpu(), caller->cpu);
    for (u32 i = 0; i < CALLS; i++) {
        if (!CHECK_IS(call_echo(caller->cap, i, (u32)random_below(&seed, 300)), 0))
            break;
    }
    return 0;
}

// One caller on every CPU.
static void call_from_all(cap_t cap)
{
    struct caller callers[ORRERY_MAX_CPUS];

    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = cpu;
        callers[cpu] = (struct caller){.cap = cap, .cpu = cpu};
        CHECK_IS(thread_create(&callers[cpu].thread, &attributes, call_often, &callers[cpu]), 0);
    }
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        CHECK_IS(thread_join(callers[cpu].thread, NULL), 0);
}

static s64 say_nothing(struct ipc_request *request)
{
    (void)request;
    return 0;
}

// Who moves all threads of a server (kov move) leaves each CPU its workers: all calls are answered.
void a_moved_server_answers(void)
{
    cap_t own = (cap_t)ipc_endpoint(say_nothing, NULL);

    ipc_set_workers(1);
    for (u32 i = 0; i < 4 * user_cpu_count(); i++) {
        struct ipc_message message = {0};
        CHECK_IS(thread_move(thread_current(), i % user_cpu_count()), 0);
        CHECK_IS(ipc_call(own, &message), 0);
        CHECK_IS(thread_move_all((i + 1) % user_cpu_count()), 0);
    }
    ipc_set_workers(1024);
    CHECK_IS(ipc_endpoint_close(own), 0);
    CHECK_IS(thread_move(thread_current(), 0), 0);
}

void calls_reach_servers_on_every_cpu(void)
{
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        struct peer server;
        u64 served = 99;
        if (!peer_start(&server, "server", cpu, 0))
            return;
        CHECK_IS(call_simple(server.cap, OP_CPU, 0, &served), 0);
        CHECK_IS(served, cpu);
        call_from_all(server.cap);
        peer_end(&server);
    }
}

static s64 where(struct ipc_request *request)
{
    request->reply[0] = user_cpu();
    return 0;
}

static s64 ask_where(void *argument)
{
    u64 served = 99;

    CHECK_IS(call_simple((cap_t)(u64)argument, OP_CPU, 0, &served), 0);
    CHECK_IS(served, user_cpu());
    return 0;
}

// This process has a dispatcher on each CPU, once threads have run there.
void a_server_on_each_cpu_serves_there(void)
{
    s64 own = ipc_endpoint(where, NULL);

    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        struct thread *thread;
        attributes.cpu = cpu;
        CHECK_IS(thread_create(&thread, &attributes, ask_where, (void *)own), 0);
        CHECK_IS(thread_join(thread, NULL), 0);
    }
    CHECK_IS(ipc_endpoint_close((cap_t)own), 0);
}

static volatile bool counting;

static s64 count(void *counter)
{
    while (counting) {
        ++*(volatile u64 *)counter;
        thread_yield();
    }
    return 0;
}

// While one thread waits for a call that takes long, another of the same CPU runs.
void a_slow_server_stops_one_thread_only(void)
{
    struct peer server;
    struct thread *thread;
    u64 counter = 0;

    if (!peer_start(&server, "server", PROCESS_HERE, 0))
        return;
    counting = true;
    CHECK_IS(thread_create(&thread, NULL, count, &counter), 0);
    thread_yield();
    u64 before = *(volatile u64 *)&counter;
    CHECK_IS(call_simple(server.cap, OP_SPIN, 100000, NULL), 0);
    CHECK(*(volatile u64 *)&counter > before);
    counting = false;
    CHECK_IS(thread_join(thread, NULL), 0);
    peer_end(&server);
}

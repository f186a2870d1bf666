// SPDX-License-Identifier: MIT
// Servers that are spread to further CPUs for calls, and gathered again: where calls are served, as
// the server says itself, and that none is lost meanwhile.
#include "tests.h"

#include <expect.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <user/ipc.h>
#include <user/lock.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <waiting.h>

#define ROUNDS 20

// ---- the server ---------------------------------------------------------------------------------

static struct thread *rover; // of the server: goes where threads go

static s64 rove(void *argument)
{
    (void)argument;
    for (;;)
        thread_yield();
    return 0;
}

static s64 tell_where(struct ipc_request *request)
{
    request->reply[0] = user_cpu();
    request->reply[1] = thread_cpu(rover);
    return 0;
}

int serve_calls(void)
{
    struct ipc_message hello = {.words = {0}};
    s64 endpoint = ipc_endpoint(tell_where, NULL);

    EXPECT(endpoint > 0 && thread_create(&rover, NULL, rove, NULL) == 0);
    hello.send_cap = (cap_t)endpoint;
    EXPECT(ipc_call(CAP_PARENT, &hello) == 0);
    ipc_serve();
}

// ---- the caller ---------------------------------------------------------------------------------

static cap_t served; // atomic: the server's endpoint
static volatile bool calls_end;

static s64 greeted(struct ipc_request *request)
{
    __atomic_store_n(&served, request->cap, __ATOMIC_RELEASE);
    return 0;
}

static u32 call(u32 word)
{
    struct ipc_message message = {.words = {0}};

    EXPECT(ipc_call(served, &message) == 0);
    return (u32)message.words[word];
}

static u32 served_on(void)
{
    return call(0);
}

static s64 call_on(void *argument)
{
    u64 *calls = argument;

    while (!calls_end) {
        u32 cpu = served_on();
        EXPECT(cpu < cpus());
        ++*calls;
        thread_yield();
    }
    return 0;
}

static void place_on(s64 pid, u64 mask, u64 spread)
{
    struct sys_placement place = {.cpus = mask, .spread = (u32)spread}, got;

    EXPECT(sys_place((u32)pid, &place) == 0);
    EXPECT(sys_place_get((u32)pid, &got) == 0);
    EXPECT(got.cpus == mask && got.spread == spread && (got.flags & PLACE_SERVES) != 0);
}

// From a CPU that the server is not on: its calls are served there while it is spread, and at home
// from the very call that gathers it.
static void spread_and_gather(s64 pid, u32 cpu)
{
    struct sys_placement slice = {.slice_ms = 20}, got;

    EXPECT(thread_move(thread_current(), cpu) == 0);
    EXPECT(served_on() == 0);
    place_on(pid, 1 | 1UL << cpu, 1UL << cpu);
    EXPECT(WAIT_FOR(served_on() == cpu));
    EXPECT(sys_place((u32)pid, &slice) == 0); // says nothing of CPUs
    EXPECT(sys_place_get((u32)pid, &got) == 0 && got.spread == 1u << cpu);
    EXPECT(served_on() == cpu && call(1) == 0);
    place_on(pid, 1, 0);
    EXPECT(served_on() == 0 && call(1) == 0);
}

// Once without a place for threads where the endpoint was made: these follow, the calls do at once
// where the server has a dispatcher.
static void leave_home(s64 pid)
{
    u32 last = cpus() - 1;

    place_on(pid, 1UL << last, 0);
    EXPECT(served_on() == last); // it was spread there before
    EXPECT(WAIT_FOR(call(1) == last));
    place_on(pid, 1 | 1UL << last, 1);
    EXPECT(thread_move(thread_current(), 0) == 0);
    EXPECT(WAIT_FOR(served_on() == 0));
    EXPECT(call(1) == last);
    place_on(pid, 1, 0);
    EXPECT(served_on() == 0);
    EXPECT(WAIT_FOR(call(1) == 0));
}

void test_spread(void)
{
    struct thread *callers[ORRERY_MAX_CPUS];
    u64 calls[ORRERY_MAX_CPUS] = {0};
    s64 greeting = ipc_endpoint(greeted, NULL);
    s64 pid = start_with("serve", 0, 0, (cap_t)greeting);

    EXPECT(pid > 0 && WAIT_FOR(__atomic_load_n(&served, __ATOMIC_ACQUIRE) != 0));
    for (u32 cpu = 0; cpu < cpus(); cpu++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = cpu;
        attributes.pinned = true;
        EXPECT(thread_create(&callers[cpu], &attributes, call_on, &calls[cpu]) == 0);
    }
    for (u32 round = 0; round < ROUNDS; round++)
        spread_and_gather(pid, 1 + round % (cpus() - 1));
    for (u32 round = 0; round < ROUNDS; round++)
        leave_home(pid);
    place_on(pid, (2UL << (cpus() - 1)) - 1, (2UL << (cpus() - 1)) - 2);
    calls_end = true;
    for (u32 cpu = 0; cpu < cpus(); cpu++) {
        s64 result;
        EXPECT(thread_join(callers[cpu], &result) == 0);
        printf("%llu calls beside it from CPU %u\n", (unsigned long long)calls[cpu], cpu);
        EXPECT(calls[cpu] > 0);
    }
    end(pid); // while it is spread
    EXPECT(ipc_endpoint_close((cap_t)greeting) == 0);
}

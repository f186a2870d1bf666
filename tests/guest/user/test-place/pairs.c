// SPDX-License-Identifier: MIT
// Clients that call a server each, for ever, from another CPU: a load for policies. A client says
// on the console how many calls it has made in a quarter of a second, and how many of them were
// served on another CPU than its own. The server says where.
#include "tests.h"

#include <expect.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <user/ipc.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

#define WINDOW_US 250000
#define WORK 500 // rounds of a loop that a call takes in the server

static cap_t server; // atomic: the endpoint of the one that has started last

static s64 work(struct ipc_request *request)
{
    for (u32 i = 0; i < WORK; i++)
        __asm__ volatile("");
    request->reply[0] = user_cpu();
    return 0;
}

int serve_a_pair(void)
{
    struct ipc_message hello = {.words = {0}};
    s64 endpoint = ipc_endpoint(work, NULL);

    EXPECT(endpoint > 0);
    hello.send_cap = (cap_t)endpoint;
    EXPECT(ipc_call(CAP_PARENT, &hello) == 0);
    ipc_serve();
}

// Its parent has given it the server's endpoint.
int call_for_ever(void)
{
    u32 pid = (u32)sys_process_pid(0);

    for (;;) {
        u64 end = time_after_us(WINDOW_US);
        u32 calls = 0, across = 0;
        char line[96];
        while (time_now() < end) {
            struct ipc_message message = {.words = {0}};
            u32 cpu = user_cpu();
            if (ipc_call(CAP_PARENT, &message) != 0)
                return 1;
            calls++;
            across += message.words[0] != cpu;
        }
        int length = snprintf(line, sizeof(line), "client %u: %u calls, %u across, on CPU %u\n",
                              pid, calls, across, user_cpu());
        sys_console_write(line, (u64)length);
    }
}

static s64 greeted(struct ipc_request *request)
{
    __atomic_store_n(&server, request->cap, __ATOMIC_RELEASE);
    return 0;
}

// Starts a server on one CPU, and its client on another one.
static void start_pair(s64 greeting, u32 server_cpu, u32 client_cpu)
{
    __atomic_store_n(&server, 0, __ATOMIC_RELEASE);
    s64 pid = start_with("serve-pair", 0, server_cpu, (cap_t)greeting);
    EXPECT(pid > 0 && WAIT_FOR(__atomic_load_n(&server, __ATOMIC_ACQUIRE) != 0));
    s64 client = start_with("client", 0, client_cpu, server);
    printf("pair %lld calls %lld\n", (long long)client, (long long)pid);
}

int make_pairs(void)
{
    s64 greeting = ipc_endpoint(greeted, NULL);

    for (u32 pair = 0; pair < 2; pair++)
        start_pair(greeting, pair % cpus(), (pair + 1) % cpus());
    for (;;)
        thread_sleep_us(1000000);
}

// One pair, whose server's CPU has much else to do.
int make_full(void)
{
    s64 greeting = ipc_endpoint(greeted, NULL);

    for (u32 i = 0; i < 4; i++)
        start("ignore", 0, 1);
    start_pair(greeting, 1, 0);
    for (;;)
        thread_sleep_us(1000000);
}

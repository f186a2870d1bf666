// SPDX-License-Identifier: MIT
// The server's thread: network, clients, pushes, time. It sleeps only in stream_run.
#include "requests.h"
#include "token.h"

#include <dci/server.h>
#include <orrery/sys.h>
#include <stdio.h>

#define SERVER_CPU 0
#define TICK_MS 500 // clients' time limits are looked at
#define RETRY_MS 20 // something waits to be sent, but the network had no room or memory

struct sys_info server_system;
u8 server_records[RECORDS_BYTES_MAX] __attribute__((aligned(8)));

u64 server_ticks(u64 milliseconds)
{
    return milliseconds * (server_system.timebase_hz / 1000);
}

static u64 earlier(u64 a, u64 b)
{
    return a < b ? a : b;
}

// All clients' turns: when to come back at the latest.
static u64 work_on_clients(u64 now)
{
    u64 next = UINT64_MAX;

    for (u32 i = 0; i < CLIENTS_MAX; i++) {
        struct client *client = client_at(i);
        if (client == NULL)
            continue;
        if (client_work(client, now))
            next = now;
        next = earlier(next, now + server_ticks(client->queue.bytes > 0 ? RETRY_MS : TICK_MS));
    }
    return next;
}

static u64 work(void)
{
    u64 now = sys_time();
    u64 next = earlier(sampling_work(now), tracing_work(now));
    next = earlier(next, work_on_clients(now));
    return earlier(next, power_off_work(now));
}

static void say(const char *text, s64 error)
{
    char line[128];

    int length = error == 0
                     ? snprintf(line, sizeof(line), "dci: %s\n", text)
                     : snprintf(line, sizeof(line), "dci: %s: %s\n", text, orrery_strerror(error));
    sys_console_write(line, (u64)length);
}

static s64 start(void)
{
    s64 error = sys_info(&server_system);
    error = error ? error : stream_start();
    return error ? error : stream_listen(DCI_PORT, &client_handlers);
}

static void server_main(void *argument)
{
    char line[64];

    (void)argument;
    s64 error = start();
    if (error != 0) {
        say("no service", error);
        return;
    }
    snprintf(line, sizeof(line), "listening on port %d", DCI_PORT);
    say(line, 0);
    if (tokens_load() == 0)
        say("no observer= or controller= token on the boot line: nobody will be let in", 0);
    for (u64 next = 0;; next = work())
        stream_run(next);
}

s64 dci_server_start(void)
{
    s64 thread = sys_thread_create("dci", server_main, NULL, SERVER_CPU);
    return thread < 0 ? thread : 0;
}

// SPDX-License-Identifier: MIT
// The server's thread: network, clients, pushes, time. It sleeps only in stream_run.
#include "questions.h"
#include "registry.h"
#include "requests.h"
#include "serve.h"
#include "token.h"

#include <orrery/sys.h>
#include <stdio.h>

#define TICK_MS 500 // clients' time limits are looked at
#define LISTEN_PATIENCE_MS 20000
#define RETRY_MS                                                                                   \
    20 // something waits to be sent, but the network had no room or memory; or to be asked

struct sys_info server_system;
u64 server_started;
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

    for (u32 i = 0; i < SLOTS_MAX; i++) {
        struct client *client = client_at(i);
        if (client == NULL)
            continue;
        if (registry_work(client, now))
            next = now;
        bool soon = client->queue.bytes > 0 || client->round != NULL;
        u64 wait_ms = client->finished ? FINISHED_PAUSE_MS : soon ? RETRY_MS : TICK_MS;
        next = earlier(next, now + server_ticks(wait_ms));
    }
    return next;
}

static u64 work(void)
{
    u64 now = sys_time();
    u64 next = earlier(sampling_work(now), tracing_work(now));
    next = earlier(next, earlier(dref_work(now), runs_work(now)));
    next = earlier(next, earlier(sleep_locks_work(now), console_work(now)));
    next = earlier(next, work_on_clients(now));
    next = earlier(next, questions_work(now));
    return earlier(next, power_off_work(now));
}

u64 serve_round(u64 until)
{
    stream_run(until);
    return work();
}

static void say(const char *text, s64 error)
{
    char line[128];

    int length = error == 0
                     ? snprintf(line, sizeof(line), "dci: %s\n", text)
                     : snprintf(line, sizeof(line), "dci: %s: %s\n", text, orrery_strerror(error));
    sys_console_write(line, (u64)length);
}

// The port may still be that of a server before this one: the network finds out within seconds that it has
// ended.
static s64 listen_patiently(void)
{
    u64 deadline = sys_time() + server_ticks(LISTEN_PATIENCE_MS);

    for (;;) {
        s64 error = stream_listen(DCI_PORT, &client_handlers);
        if (error != E_EXIST || sys_time() >= deadline)
            return error;
        stream_run(sys_time() + server_ticks(RETRY_MS));
    }
}

static s64 start(void)
{
    server_started = sys_time();
    s64 error = sys_info(&server_system);
    error = error ? error : stream_start();
    return error ? error : listen_patiently();
}

void dci_serve(void)
{
    char line[64];

    s64 error = start();
    if (error != 0) {
        say("no service", error);
        return;
    }
    snprintf(line, sizeof(line), "listening on port %d", DCI_PORT);
    say(line, 0);
    if (tokens_load() == 0)
        say("no observer= or controller= token on the boot line: nobody will be let in", 0);
    registry_start();
    exclusion_begin();
    for (u64 next = 0;;)
        next = registry_round(next);
}

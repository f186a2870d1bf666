// SPDX-License-Identifier: MIT
// The server's loop: network, services, clients, questions. It sleeps only in stream_run.
#include "exclusion.h"
#include "kick.h"
#include "questions.h"
#include "registry.h"
#include "serve.h"
#include "service.h"
#include "token.h"

#include <orrery/sys.h>
#include <stdio.h>

#define TICK_MS 500 // between two looks at the time limits of clients
#define LISTEN_PATIENCE_MS 20000
#define RETRY_MS 20 // while a client's bytes wait for the network, or its request for processes

static bool woken; // something was done that services may wait for: the next round is of all

// Does all clients' turns. Returns the latest time of the next ones.
static u64 work_on_clients(u64 now)
{
    u64 next = UINT64_MAX;

    for (u32 i = 0, left = clients_count(); left != 0 && i < SLOTS_MAX; i++) {
        struct client *client = client_at(i);
        if (client == NULL)
            continue;
        left--;
        if (registry_work(client, now)) {
            woken = true;
            next = now;
        }
        bool soon = client->queue.bytes > 0 || client->walk.round != NULL;
        u64 wait_ms = client->finished ? FINISHED_PAUSE_MS : soon ? RETRY_MS : TICK_MS;
        next = min_u64(next, now + server_ticks(wait_ms));
    }
    return next;
}

// Sleeps until a time or until there is work, and does a round. Returns the time of the next one.
// In a round that only the time has brought, services that are not due have nothing to do.
static u64 serve_round(u64 until)
{
    stream_run(until);
    u64 now = sys_time();
    bool all = woken || now < until || kick_waits();
    woken = false;
    u64 next = services_work(now, all);
    next = min_u64(next, work_on_clients(now));
    u64 answers = questions_work(now);
    woken |= answers <= now;
    return min_u64(next, answers);
}

static void say(const char *text, s64 error)
{
    char line[128];

    int length = error == 0
                     ? snprintf(line, sizeof(line), "dci: %s\n", text)
                     : snprintf(line, sizeof(line), "dci: %s: %s\n", text, orrery_strerror(error));
    sys_console_write(line, (u64)length);
}

// Listens on the server's port. An earlier run of the server may still hold it: the network notices
// within seconds that it has ended.
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

void dci_serve(void)
{
    char line[64];

    s64 error = system_know();
    error = error ? error : stream_start();
    error = error ? error : listen_patiently();
    if (error != 0) {
        say("no service", error);
        return;
    }
    snprintf(line, sizeof(line), "listening on port %d", DCI_PORT);
    say(line, 0);
    if (tokens_load() == 0)
        say("no observer= or controller= token on the boot line: nobody will be let in", 0);
    registry_start(serve_round, client_work);
    exclusion_begin();
    for (u64 next = 0;;)
        next = registry_round(next);
}

// SPDX-License-Identifier: MIT
// `kov server`: the DCI server's own account: clients, what was refused, the network interface.
#include "commands/commands.h"
#include "output/json.h"
#include "tools/memory.h"
#include "tools/text.h"
#include "wire/session.h"

#include <inttypes.h>
#include <stdlib.h>

#define MAX_CLIENTS 65536
#define USES_BYTES 64

typedef Orrery__Dci__ServerStat server_stat;
typedef Orrery__Dci__NetworkStat network_stat;
typedef Orrery__Dci__ClientStat client_stat;

struct account {
    server_stat totals; // of the first response; its pointers are not used
    network_stat network;
    client_stat *clients;
    size_t count, capacity;
    bool begun;
};

static int take(void *context, const dci_response *response)
{
    struct account *account = context;
    const server_stat *stat = response->server_stat;
    if (!account->begun)
        account->totals = *stat;
    if (!account->begun && stat->network != NULL)
        account->network = *stat->network;
    account->begun = true;
    for (size_t i = 0; i < stat->n_clients && account->count < MAX_CLIENTS; i++) {
        account->clients = memory_grow(account->clients, account->count, &account->capacity,
                                       sizeof(*account->clients));
        client_stat *client = &account->clients[account->count++];
        *client = *stat->clients[i];
        client->address = memory_copy_text(client->address);
        text_make_printable(client->address, false);
    }
    return KOV_OK;
}

static int fetch(struct account *account)
{
    Orrery__Dci__ServerStatRequest body = ORRERY__DCI__SERVER_STAT_REQUEST__INIT;
    dci_request request = ORRERY__DCI__REQUEST__INIT;
    request.body_case = ORRERY__DCI__REQUEST__BODY_SERVER_STAT;
    request.server_stat = &body;
    return dci_call(&request, ORRERY__DCI__RESPONSE__BODY_SERVER_STAT,
                    "cannot ask for the server's account", take, account);
}

static const char *uses(const client_stat *client, char text[USES_BYTES])
{
    snprintf(text, USES_BYTES, "%s%s%s%s%s%s", client->self ? " self" : "",
             client->sampling ? " sampling" : "", client->counting ? " counting" : "",
             client->tracing ? " tracing" : "", client->dref ? " dref" : "",
             client->sleep_locks ? " sleep-locks" : "");
    return text;
}

static void print_text(const struct account *account)
{
    const server_stat *totals = &account->totals;
    const network_stat *network = &account->network;
    printf("connections  accepted %" PRIu64 ", refused %" PRIu64 ", timed out %" PRIu64 "\n",
           totals->accepted, totals->refused, totals->timed_out);
    printf("without role %" PRIu32 " connections\n", totals->without_role);
    printf("requests     malformed %" PRIu64 ", denied %" PRIu64 "\n", totals->malformed,
           totals->denied);
    printf("received     %" PRIu64 " frames, %" PRIu64 " bytes, dropped %" PRIu64 "\n",
           network->received_frames, network->received_bytes, network->receive_dropped);
    printf("sent         %" PRIu64 " frames, %" PRIu64 " bytes, failed %" PRIu64 "\n",
           network->sent_frames, network->sent_bytes, network->send_errors);
    printf("interrupts   %" PRIu64 "\n\n", network->interrupts);
    printf("%7s %-10s %10s %10s %14s %10s %10s %8s %s\n", "CLIENT", "ROLE", "REQUESTS", "FRAMES",
           "BYTES", "QUEUED", "MOST", "STALLS", "FROM");
    for (size_t i = 0; i < account->count; i++) {
        const client_stat *client = &account->clients[i];
        char text[USES_BYTES];
        printf("%7" PRIu32 " %-10s %10" PRIu64 " %10" PRIu64 " %14" PRIu64 " %10" PRIu64
               " %10" PRIu64 " %8" PRIu64 " %-15s%s\n",
               client->number, role_name(client->role), client->requests, client->frames_sent,
               client->bytes_sent, client->queue_bytes, client->queue_bytes_max, client->stalls,
               client->address, uses(client, text));
    }
}

static void json_network(struct json *json, const network_stat *network)
{
    json_open_object(json, "network");
    json_u64(json, "received_frames", network->received_frames);
    json_u64(json, "received_bytes", network->received_bytes);
    json_u64(json, "receive_dropped", network->receive_dropped);
    json_u64(json, "sent_frames", network->sent_frames);
    json_u64(json, "sent_bytes", network->sent_bytes);
    json_u64(json, "send_errors", network->send_errors);
    json_u64(json, "interrupts", network->interrupts);
    json_close(json);
}

static void json_client(struct json *json, const client_stat *client)
{
    json_open_object(json, NULL);
    json_u64(json, "client", client->number);
    json_text(json, "role", role_name(client->role));
    json_bool(json, "self", client->self);
    json_text(json, "address", client->address);
    json_u64(json, "requests", client->requests);
    json_u64(json, "frames_sent", client->frames_sent);
    json_u64(json, "bytes_sent", client->bytes_sent);
    json_u64(json, "queue_bytes", client->queue_bytes);
    json_u64(json, "queue_bytes_max", client->queue_bytes_max);
    json_u64(json, "stalls", client->stalls);
    json_bool(json, "sampling", client->sampling);
    json_bool(json, "tracing", client->tracing);
    json_bool(json, "counting", client->counting);
    json_bool(json, "sleep_locks", client->sleep_locks);
    json_bool(json, "dref", client->dref);
    json_close(json);
}

static void print_json(const struct account *account)
{
    struct json json = json_begin(stdout);
    json_u64(&json, "accepted", account->totals.accepted);
    json_u64(&json, "refused", account->totals.refused);
    json_u64(&json, "timed_out", account->totals.timed_out);
    json_u64(&json, "without_role", account->totals.without_role);
    json_u64(&json, "malformed", account->totals.malformed);
    json_u64(&json, "denied", account->totals.denied);
    json_network(&json, &account->network);
    json_open_array(&json, "clients");
    for (size_t i = 0; i < account->count; i++)
        json_client(&json, &account->clients[i]);
    json_close(&json);
    json_end(&json);
}

static int run(const struct arguments *arguments)
{
    (void)arguments;
    struct account account = {0};
    int code = session_begin(true);
    if (code == KOV_OK)
        code = fetch(&account);
    if (code == KOV_OK && settings.json)
        print_json(&account);
    else if (code == KOV_OK)
        print_text(&account);
    for (size_t i = 0; i < account.count; i++)
        free(account.clients[i].address);
    free(account.clients);
    return code;
}

const struct command command_server = {
    .name = "server",
    .synopsis = "",
    .summary = "Show the server's clients, what it refused, and its network",
    .details =
        "STALLS counts how often data for a client had to wait because the client did not take\n"
        "it.",
    .run = run,
};

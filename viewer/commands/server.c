// SPDX-License-Identifier: MIT
// `kov server`: the DCI server's own account: clients, what was refused, the network interface.
#include "commands/commands.h"
#include "output/columns.h"
#include "tools/memory.h"
#include "tools/text.h"
#include "wire/session.h"

#include <inttypes.h>
#include <stdlib.h>

#define MAX_CLIENTS 65536

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
    return dci_call(DCI_REQUEST(SERVER_STAT, server_stat, &body),
                    ORRERY__DCI__RESPONSE__BODY_SERVER_STAT, "cannot ask for the server's account",
                    take, account);
}

// From where, and what it has going.
static void from_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    (void)column;
    static const char *const uses[] = {"self", "sampling",    "counting", "tracing",
                                       "dref", "sleep_locks", NULL};
    int length =
        snprintf(text, CELL_BYTES, "%-15s", json_string_value(json_object_get(row, "address")));
    for (size_t i = 0; uses[i] != NULL; i++)
        if (json_is_true(json_object_get(row, uses[i])))
            length += snprintf(text + length, CELL_BYTES - (size_t)length, " %s", uses[i]);
}

static const struct column columns[] = {
    COLUMN("CLIENT", "client", 7),
    COLUMN("ROLE", "role", -10),
    COLUMN("REQUESTS", "requests", 10),
    COLUMN("FRAMES", "frames_sent", 10),
    COLUMN("BYTES", "bytes_sent", 14),
    COLUMN("QUEUED", "queue_bytes", 10),
    COLUMN("MOST", "queue_bytes_max", 10),
    COLUMN("STALLS", "stalls", 8),
    HIDDEN("self"),
    HIDDEN("sampling"),
    HIDDEN("tracing"),
    HIDDEN("counting"),
    HIDDEN("sleep_locks"),
    HIDDEN("dref"),
    COLUMN("FROM", "address", -1, .compose = from_text),
    COLUMNS_END,
};
static const struct sheet sheets[] = {{"clients", columns}, {NULL, NULL}};

static void print_text(const struct account *account, const json_t *clients)
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
    columns_print(columns, clients, "");
}

static void json_network(json_t *json, const network_stat *network)
{
    json_t *object = put_object(json, "network");
    put_u64(object, "received_frames", network->received_frames);
    put_u64(object, "received_bytes", network->received_bytes);
    put_u64(object, "receive_dropped", network->receive_dropped);
    put_u64(object, "sent_frames", network->sent_frames);
    put_u64(object, "sent_bytes", network->sent_bytes);
    put_u64(object, "send_errors", network->send_errors);
    put_u64(object, "interrupts", network->interrupts);
}

static void json_client(json_t *json, const client_stat *client)
{
    json_t *row = put_object(json, NULL);
    put_u64(row, "client", client->number);
    put_text(row, "role", role_name(client->role));
    put_bool(row, "self", client->self);
    put_text(row, "address", client->address);
    put_u64(row, "requests", client->requests);
    put_u64(row, "frames_sent", client->frames_sent);
    put_u64(row, "bytes_sent", client->bytes_sent);
    put_u64(row, "queue_bytes", client->queue_bytes);
    put_u64(row, "queue_bytes_max", client->queue_bytes_max);
    put_u64(row, "stalls", client->stalls);
    put_bool(row, "sampling", client->sampling);
    put_bool(row, "tracing", client->tracing);
    put_bool(row, "counting", client->counting);
    put_bool(row, "sleep_locks", client->sleep_locks);
    put_bool(row, "dref", client->dref);
}

static void show(const struct account *account)
{
    json_t *document = json_object();
    put_u64(document, "accepted", account->totals.accepted);
    put_u64(document, "refused", account->totals.refused);
    put_u64(document, "timed_out", account->totals.timed_out);
    put_u64(document, "without_role", account->totals.without_role);
    put_u64(document, "malformed", account->totals.malformed);
    put_u64(document, "denied", account->totals.denied);
    json_network(document, &account->network);
    json_t *list = put_array(document, "clients");
    for (size_t i = 0; i < account->count; i++)
        json_client(list, &account->clients[i]);
    if (!document_for_programs(document, sheets))
        print_text(account, list);
    json_decref(document);
}

static int run(const struct arguments *arguments)
{
    (void)arguments;
    struct account account = {0};
    int code = session_begin(true);
    if (code == KOV_OK)
        code = fetch(&account);
    if (code == KOV_OK)
        show(&account);
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
    .has_csv = true,
    .run = run,
};

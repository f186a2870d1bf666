// SPDX-License-Identifier: MIT
// The DCI server's own account.
#include "machine/server_account.h"
#include "tools/text.h"
#include "wire/dci.h"

#define MAX_CLIENTS 65536

static void put_network(json_t *json, const Orrery__Dci__NetworkStat *network)
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

static void put_client(json_t *json, const Orrery__Dci__ClientStat *client)
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
    put_bool(row, "sampling_yields", client->sampling_yields);
    put_bool(row, "sampling_member", client->sampling_member);
    put_u64(row, "samples_missed", client->samples_missed);
    put_bool(row, "tracing", client->tracing);
    put_bool(row, "tracing_yields", client->tracing_yields);
    put_bool(row, "tracing_member", client->tracing_member);
    put_u64(row, "packets_missed", client->packets_missed);
    put_bool(row, "counting", client->counting);
    put_bool(row, "sleep_locks", client->sleep_locks);
    put_u64(row, "monitors", client->monitors);
    put_bool(row, "dref", client->dref);
}

// Adds the totals, which are those of the first response. The clients may come in several.
static void put_totals(json_t *account, const Orrery__Dci__ServerStat *stat)
{
    put_u64(account, "accepted", stat->accepted);
    put_u64(account, "refused", stat->refused);
    put_u64(account, "timed_out", stat->timed_out);
    put_u64(account, "without_role", stat->without_role);
    put_u64(account, "malformed", stat->malformed);
    put_u64(account, "denied", stat->denied);
    Orrery__Dci__NetworkStat none = ORRERY__DCI__NETWORK_STAT__INIT;
    put_network(account, stat->network != NULL ? stat->network : &none);
    put_array(account, "clients");
}

static int take_account(void *context, const dci_response *response)
{
    json_t *account = context;
    const Orrery__Dci__ServerStat *stat = response->server_stat;
    if (json_object_get(account, "clients") == NULL)
        put_totals(account, stat);
    json_t *clients = json_object_get(account, "clients");
    for (size_t i = 0; i < stat->n_clients && json_array_size(clients) < MAX_CLIENTS; i++) {
        text_make_printable(stat->clients[i]->address, false);
        put_client(clients, stat->clients[i]);
    }
    return KOV_OK;
}

int server_account_fetch(json_t *account)
{
    Orrery__Dci__ServerStatRequest body = ORRERY__DCI__SERVER_STAT_REQUEST__INIT;
    return dci_call(DCI_REQUEST(SERVER_STAT, server_stat, &body),
                    ORRERY__DCI__RESPONSE__BODY_SERVER_STAT, "cannot ask for the server's account",
                    take_account, account);
}

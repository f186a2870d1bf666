// SPDX-License-Identifier: MIT
// `kov server`: the DCI server's own account: its clients, what it refused, the network interface.
#include "commands/commands.h"
#include "machine/server_account.h"
#include "output/columns.h"
#include "wire/session.h"

#include <inttypes.h>

// Writes from where the client comes, and what it does.
static void from_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    (void)column;
    static const char *const uses[] = {"self",
                                       "sampling",
                                       "sampling_yields",
                                       "sampling_member",
                                       "counting",
                                       "tracing",
                                       "tracing_yields",
                                       "tracing_member",
                                       "dref",
                                       "sleep_locks",
                                       NULL};
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
    HIDDEN("sampling_yields"),
    HIDDEN("sampling_member"),
    HIDDEN("samples_missed"),
    HIDDEN("tracing"),
    HIDDEN("tracing_yields"),
    HIDDEN("tracing_member"),
    HIDDEN("packets_missed"),
    HIDDEN("counting"),
    HIDDEN("sleep_locks"),
    HIDDEN("monitors"),
    HIDDEN("dref"),
    COLUMN("FROM", "address", -1, .compose = from_text),
    COLUMNS_END,
};
static const struct sheet sheets[] = {{"clients", columns}, {NULL, NULL}};

static u64 number(const json_t *json, const char *key)
{
    return (u64)json_integer_value(json_object_get(json, key));
}

static void print_text(const json_t *account)
{
    const json_t *network = json_object_get(account, "network");
    printf("connections  accepted %" PRIu64 ", refused %" PRIu64 ", timed out %" PRIu64 "\n",
           number(account, "accepted"), number(account, "refused"), number(account, "timed_out"));
    printf("without role %" PRIu64 " connections\n", number(account, "without_role"));
    printf("requests     malformed %" PRIu64 ", denied %" PRIu64 "\n", number(account, "malformed"),
           number(account, "denied"));
    printf("received     %" PRIu64 " frames, %" PRIu64 " bytes, dropped %" PRIu64 "\n",
           number(network, "received_frames"), number(network, "received_bytes"),
           number(network, "receive_dropped"));
    printf("sent         %" PRIu64 " frames, %" PRIu64 " bytes, failed %" PRIu64 "\n",
           number(network, "sent_frames"), number(network, "sent_bytes"),
           number(network, "send_errors"));
    printf("interrupts   %" PRIu64 "\n\n", number(network, "interrupts"));
    columns_print(columns, json_object_get(account, "clients"), "");
}

static int run(const struct arguments *arguments)
{
    (void)arguments;
    int code = session_begin(true);
    if (code != KOV_OK)
        return code;
    json_t *account = json_object();
    code = server_account_fetch(account);
    if (code == KOV_OK && !document_for_programs(account, sheets))
        print_text(account);
    json_decref(account);
    return code;
}

const struct command command_server = {
    .name = "server",
    .synopsis = "",
    .summary = "Show the server's clients, what it refused, and its network",
    .details =
        "STALLS counts how often data for a client had to wait because the client did not take\n"
        "it. One that yields gives way to another that samples or traces; a member gets what\n"
        "another samples or traces. --json and --csv also tell what a member missed.",
    .has_csv = true,
    .run = run,
};

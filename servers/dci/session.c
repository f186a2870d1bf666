// SPDX-License-Identifier: MIT
// Requests about a client's session and the system: hello, system, server_stat, power_off.
#include "sampling.h"
#include "service.h"
#include "token.h"
#include "tracing.h"

#include <orrery/sys.h>
#include <string.h>

static u64 power_off_at = UINT64_MAX;

static s64 fill_system(dci_SystemInfo *to)
{
    struct sys_info info;

    s64 error = sys_info(&info);
    if (error != 0)
        return error;
    to->cpu_count = info.cpu_count;
    to->lockups = info.lockups;
    to->timebase_hz = info.timebase_hz;
    to->boot_time = info.boot_timebase;
    to->time = sys_time();
    to->memory_bytes = info.memory_bytes;
    to->free_bytes = info.free_bytes;
    to->build_id.size = SYS_BUILD_ID_SIZE;
    memcpy(to->build_id.bytes, info.build_id, SYS_BUILD_ID_SIZE);
    memcpy(to->version, info.version, sizeof(to->version) - 1);
    return 0;
}

static const dci_Limits limits = {
    .request_bytes = REQUEST_BYTES_MAX,
    .frame_bytes = FRAME_BYTES_MAX,
    .queue_bytes = PUSH_BLOCKS_MAX * BLOCK_BYTES,
    .clients = CLIENTS_MAX,
    .idle_seconds = IDLE_SECONDS,
    .hello_seconds = HELLO_SECONDS,
    .upload_bytes = UPLOAD_BYTES_MAX,
    .chunk_bytes = CHUNK_BYTES_MAX,
    .observers = OBSERVERS_MAX,
    .strangers = STRANGERS_MAX,
    .waiting_bytes = WAITING_BYTES_MAX,
};

static s64 wrong_token(struct client *client)
{
    server_counts.denied++;
    if (++client->wrong_tokens >= WRONG_TOKENS_MAX)
        client_close_after_reply(client);
    return client_error(client, E_PERM, "wrong token");
}

static s64 hello_begin(struct client *client, const dci_Request *request)
{
    const dci_HelloRequest *hello = &request->body.hello;
    dci_HelloReply reply = {.version = DCI_VERSION, .has_limits = true, .limits = limits};

    if (hello->version != DCI_VERSION) {
        client_close_after_reply(client);
        return client_error(client, E_NOTSUP, "protocol version %u is not supported, %u is",
                            (unsigned)hello->version, DCI_VERSION);
    }
    dci_Role role = token_role(hello->token);
    if (hello->token[0] != 0 && role == dci_Role_ROLE_NONE)
        return wrong_token(client);
    role = role > client->role ? role : client->role; // a later hello never lowers it
    if (client_seat(client, role) != 0) {
        server_counts.refused++;
        client_respond_full(client, client->request_id);
        client_close_after_reply(client);
        return REQUEST_REPLIED;
    }
    reply.has_system = role != dci_Role_ROLE_NONE;
    s64 error = reply.has_system ? fill_system(&reply.system) : 0;
    if (error != 0)
        return error;
    reply.role = client->role = role;
    reply.started = server_started;
    client_reply(client, dci_Response_hello_tag, dci_HelloReply_fields, &reply);
    return REQUEST_REPLIED;
}

static s64 system_begin(struct client *client, const dci_Request *request)
{
    dci_SystemInfo reply = dci_SystemInfo_init_zero;

    (void)request;
    s64 error = fill_system(&reply);
    if (error != 0)
        return error;
    client_reply(client, dci_Response_system_tag, dci_SystemInfo_fields, &reply);
    return REQUEST_REPLIED;
}

static void fill_network(dci_NetworkStat *to)
{
    struct sys_net_stat stat;

    if (sys_net_stat(&stat) != 0)
        return;
    *to = (dci_NetworkStat){
        .received_frames = stat.received_frames,
        .received_bytes = stat.received_bytes,
        .sent_frames = stat.sent_frames,
        .sent_bytes = stat.sent_bytes,
        .receive_dropped = stat.receive_dropped,
        .send_errors = stat.send_errors,
        .interrupts = stat.interrupts,
    };
}

static void add_client(struct frame *frame, const struct client *client, bool self)
{
    dci_ClientStat stat = {
        .number = client->number,
        .role = client->role,
        .self = self,
        .requests = client->requests,
        .frames_sent = client->frames_sent,
        .bytes_sent = client->bytes_sent,
        .queue_bytes = client->queue.bytes,
        .queue_bytes_max = client->queue.bytes_max,
        .stalls = client->stalls,
        .sampling = sampling_service.held_by(client) != 0,
        .counting = counting_service.held_by(client) != 0,
        .sleep_locks = sleep_locks_service.held_by(client) != 0,
        .tracing = tracing_service.held_by(client) != 0,
        .dref = dref_service.held_by(client) != 0,
        .runs = runs_service.held_by(client),
        .monitors = monitors_service.held_by(client),
        .console = console_service.held_by(client) != 0,
        .sampling_yields = shared_yields(&sampling_shared, client),
        .tracing_yields = shared_yields(&tracing.shared, client),
        .sampling_member = shared_joined(&sampling_shared, client),
        .tracing_member = shared_joined(&tracing.shared, client),
        .samples_missed = shared_member(&sampling_shared, client)->missed_all,
        .packets_missed = shared_member(&tracing.shared, client)->missed_all,
        .since = client->connected,
    };
    client_address(client, stat.address);
    frame_record(frame, dci_ServerStat_clients_tag, dci_ClientStat_fields, &stat);
}

static s64 server_stat_begin(struct client *client, const dci_Request *request)
{
    struct frame frame;
    dci_ServerStat stat = {
        .accepted = server_counts.accepted,
        .refused = server_counts.refused,
        .malformed = server_counts.malformed,
        .denied = server_counts.denied,
        .timed_out = server_counts.timed_out,
        .has_network = true,
        .without_role = clients_without_role(),
    };

    (void)request;
    fill_network(&stat.network);
    client_frame_begin(client, &frame, dci_Response_server_stat_tag);
    frame_message(&frame, dci_ServerStat_fields, &stat);
    for (u32 i = 0; i < SLOTS_MAX; i++)
        if (client_at(i) != NULL && client_at(i)->role != dci_Role_ROLE_NONE)
            add_client(&frame, client_at(i), client_at(i) == client);
    client_frame_end(client, &frame, false);
    return REQUEST_REPLIED;
}

static s64 power_off_begin(struct client *client, const dci_Request *request)
{
    (void)client;
    (void)request;
    power_off_at = sys_time() + server_ticks(POWER_OFF_DELAY_MS);
    return REQUEST_DONE;
}

static u64 power_off_work(u64 now)
{
    if (now >= power_off_at)
        sys_power_off(0);
    return power_off_at;
}

static const struct request_kind kinds[] = {
    REQUEST(hello, dci_Role_ROLE_NONE, hello_begin, NULL),
    REQUEST(system, dci_Role_ROLE_OBSERVER, system_begin, NULL),
    REQUEST(server_stat, dci_Role_ROLE_OBSERVER, server_stat_begin, NULL),
    REQUEST(power_off, dci_Role_ROLE_CONTROLLER, power_off_begin, NULL),
};

const struct service session_service = {
    .kinds = kinds, .kind_count = ARRAY_SIZE(kinds), .work = power_off_work};

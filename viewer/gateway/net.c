// SPDX-License-Identifier: MIT
// HTTP and WebSocket.
#include "gateway/net.h"
#include "gateway/assets.h"
#include "gateway/frames_in.h"
#include "gateway/header_lists.h"
#include "tools/interrupt.h"
#include "tools/kov.h"
#include "tools/memory.h"

#include <libwebsockets.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES 256
#define HEADERS_BYTES 2048
#define PAGE_BYTES 512 // of a page that says why a request is refused
#define CHUNK_BYTES 16384
// Limit of connections. Requests for files come and go beside the WebSockets.
#define CONNECTIONS_MAX (BROWSERS + STRANGERS + 32)
#define IDLE_SECONDS 5
#define SOCKET_PROTOCOL "orrery"

struct net {
    struct lws_context *context;
    struct hub *hub;
    u32 connections; // of any kind
    u32 strangers;   // WebSockets without a role
};

// A request or a WebSocket.
struct web_session {
    struct lws *wsi;
    struct net *net;
    struct browser *browser; // of a WebSocket
    bool ending;             // it ends as soon as what waits is sent
    u16 fault;               // it ends with this status, without what waits
    const u8 *body;          // what is being sent
    size_t left;
    char *made; // the body, if it was made for this request
    char input[MESSAGE_IN_BYTES];
    size_t input_size;
};

static struct net *net_of(struct lws *wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

// ---- who asks ----------------------------------------------------------------------------------

static bool header_is(struct lws *wsi, enum lws_token_indexes token, const struct access *access,
                      bool (*is_ours)(const struct access *access, const char *text))
{
    char text[PATH_BYTES];
    return lws_hdr_copy(wsi, text, sizeof(text), token) > 0 && is_ours(access, text);
}

static bool host_is_ours(struct lws *wsi)
{
    return header_is(wsi, WSI_TOKEN_HOST, &net_of(wsi)->hub->access, access_host_is_ours);
}

static bool protocol_is_ours(const struct access *access, const char *text)
{
    (void)access;
    return header_list_has(text, SOCKET_PROTOCOL);
}

static bool header_equals(struct lws *wsi, enum lws_token_indexes token, const char *value)
{
    char text[PATH_BYTES];
    return lws_hdr_copy(wsi, text, sizeof(text), token) > 0 && strcmp(text, value) == 0;
}

// ---- heads, and what is refused ----------------------------------------------------------------

static const char *const fixed_headers[][2] = {
    {"cache-control:", "no-store"},
    {"x-content-type-options:", "nosniff"},
    {"referrer-policy:", "no-referrer"},
    {"cross-origin-opener-policy:", "same-origin"},
    {"cross-origin-resource-policy:", "same-origin"},
    {"cross-origin-embedder-policy:", "require-corp"},
    {"x-frame-options:", "DENY"},
};

struct response {
    unsigned int status;
    const char *type;
    size_t size;
    const char *more[2][2]; // names and values of further headers
};

static int add_header(struct lws *wsi, const char *name, const char *value, u8 **at, u8 *end)
{
    return lws_add_http_header_by_name(wsi, (const u8 *)name, (const u8 *)value, (int)strlen(value),
                                       at, end);
}

static int send_head(struct lws *wsi, const struct response *response)
{
    u8 buffer[LWS_PRE + HEADERS_BYTES], *start = buffer + LWS_PRE, *at = start;
    u8 *end = buffer + sizeof(buffer) - 1;
    char policy[512];
    snprintf(policy, sizeof(policy),
             "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
             "worker-src 'self'; connect-src ws://%s; base-uri 'none'; form-action 'none'; "
             "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types orrery",
             net_of(wsi)->hub->access.host);
    if (lws_add_http_common_headers(wsi, response->status, response->type, response->size, &at,
                                    end) != 0 ||
        add_header(wsi, "content-security-policy:", policy, &at, end) != 0)
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(response->more); i++)
        if (response->more[i][0] != NULL &&
            add_header(wsi, response->more[i][0], response->more[i][1], &at, end) != 0)
            return -1;
    for (size_t i = 0; i < ARRAY_SIZE(fixed_headers); i++)
        if (add_header(wsi, fixed_headers[i][0], fixed_headers[i][1], &at, end) != 0)
            return -1;
    return lws_finalize_write_http_header(wsi, start, &at, end);
}

static bool is_head(struct lws *wsi)
{
    return lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
}

// Refuses a request with a page that says why. It ends the connection. The page of libwebsockets
// would want a style sheet that is not there.
static int refuse(struct lws *wsi, unsigned int status, const char *why)
{
    u8 buffer[LWS_PRE + PAGE_BYTES];
    int size = snprintf((char *)buffer + LWS_PRE, PAGE_BYTES,
                        "<!doctype html><title>%u</title><p>%u: %s</p>\n", status, status, why);
    struct response response = {status, "text/html; charset=utf-8", (size_t)size, {{NULL}}};
    if (status == HTTP_STATUS_METHOD_NOT_ALLOWED)
        response.more[0][0] = "allow:", response.more[0][1] = "GET, HEAD";
    if (status == HTTP_STATUS_UNAUTHORIZED)
        response.more[0][0] = "www-authenticate:", response.more[0][1] = "Bearer";
    if (send_head(wsi, &response) == 0 && !is_head(wsi)) {
        int written = lws_write(wsi, buffer + LWS_PRE, (size_t)size, LWS_WRITE_HTTP_FINAL);
        (void)written;
    }
    return -1;
}

// Refuses a request that names another host. If that is `localhost`, a person has typed it, and is
// told the name to use.
static int refuse_host(struct lws *wsi)
{
    static const char local[] = "localhost";
    const char *origin = net_of(wsi)->hub->access.origin;
    char host[PATH_BYTES], text[256];
    if (lws_hdr_copy(wsi, host, sizeof(host), WSI_TOKEN_HOST) <= 0 ||
        strncmp(host, local, strlen(local)) != 0)
        return refuse(wsi, HTTP_STATUS_FORBIDDEN, "not the name of this gateway");
    snprintf(text, sizeof(text),
             "kov serve answers to the name that it prints alone: open <a href=\"%s/\">%s</a>",
             origin, origin);
    return refuse(wsi, HTTP_STATUS_FORBIDDEN, text);
}

// Checks what asks to become something else, which may only be our own page's WebSocket. Without
// our protocol's name it would be a WebSocket of the first protocol, where nobody asks for a token.
// It looks the header up again: if libwebsockets has already refused it, its own pointer to the
// text dangles.
static int check_upgrade(struct lws *wsi)
{
    if (lws_hdr_total_length(wsi, WSI_TOKEN_UPGRADE) <= 0)
        return -1;
    if (net_of(wsi)->strangers >= STRANGERS)
        return refuse(wsi, HTTP_STATUS_SERVICE_UNAVAILABLE, "too many connections without a token");
    if (!frames_in_waits(lws_get_socket_fd(wsi)))
        return refuse(wsi, HTTP_STATUS_BAD_REQUEST, "frames before the answer");
    if (header_equals(wsi, WSI_TOKEN_UPGRADE, "websocket") && host_is_ours(wsi) &&
        header_is(wsi, WSI_TOKEN_ORIGIN, &net_of(wsi)->hub->access, access_origin_is_ours) &&
        header_is(wsi, WSI_TOKEN_PROTOCOL, &net_of(wsi)->hub->access, protocol_is_ours))
        return 0;
    return refuse(wsi, HTTP_STATUS_FORBIDDEN, "not a WebSocket of this gateway's page");
}

// ---- files and metrics -------------------------------------------------------------------------

#define METRICS_PATH "/metrics"
#define METRICS_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

static void forget_body(struct web_session *session)
{
    free(session->made);
    session->made = NULL;
    session->left = 0;
}

// Begins to send the session's body; of HEAD the head alone.
static int send_body(struct lws *wsi, struct web_session *session, struct response response)
{
    bool head = is_head(wsi);
    response.status = HTTP_STATUS_OK;
    response.size = session->left;
    if (send_head(wsi, &response) != 0)
        return -1;
    if (!head) {
        lws_callback_on_writable(wsi);
        return 0;
    }
    forget_body(session);
    return lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
}

static int serve_metrics(struct lws *wsi, struct web_session *session)
{
    const struct hub *hub = session->net->hub;
    struct exposition *expositions[HUB_MACHINES];
    if (hub->access.metrics[0] == 0)
        return refuse(wsi, HTTP_STATUS_NOT_FOUND, "started without --metrics");
    if (!header_is(wsi, WSI_TOKEN_HTTP_AUTHORIZATION, &hub->access, access_reads_metrics))
        return refuse(wsi, HTTP_STATUS_UNAUTHORIZED, "not the token of metrics");
    for (u32 i = 0; i < hub->machine_count; i++)
        expositions[i] = machine_exposition(hub->machines[i]);
    session->made = exposition_read(expositions, hub->machine_count, &session->left);
    session->body = (const u8 *)session->made;
    return send_body(wsi, session, (struct response){.type = METRICS_TYPE});
}

static bool takes_gzip(struct lws *wsi)
{
    char text[PATH_BYTES];
    return lws_hdr_copy(wsi, text, sizeof(text), WSI_TOKEN_HTTP_ACCEPT_ENCODING) > 0 &&
           header_list_takes_gzip(text);
}

static int serve_asset(struct lws *wsi, struct web_session *session, const struct asset *asset)
{
    struct response response = {.type = asset->type, .more = {{"vary:", "Accept-Encoding"}}};
    session->body = asset->data;
    session->left = (size_t)(asset->end - asset->data);
    if (takes_gzip(wsi)) {
        response.more[1][0] = "content-encoding:";
        response.more[1][1] = "gzip";
    } else {
        session->made = asset_unpack(asset, &session->left);
        session->body = (const u8 *)session->made;
    }
    return send_body(wsi, session, response);
}

static int serve_request(struct lws *wsi, struct web_session *session, const char *path)
{
    if (!host_is_ours(wsi))
        return refuse_host(wsi);
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0 && !is_head(wsi))
        return refuse(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED, "files can be got, and nothing else");
    session->net = net_of(wsi);
    forget_body(session);
    if (strcmp(path, METRICS_PATH) == 0)
        return serve_metrics(wsi, session);
    const struct asset *asset = asset_find(path);
    if (asset == NULL)
        return refuse(wsi, HTTP_STATUS_NOT_FOUND, "there is no such file");
    return serve_asset(wsi, session, asset);
}

static int send_part(struct lws *wsi, struct web_session *session)
{
    u8 buffer[LWS_PRE + CHUNK_BYTES];
    size_t size = session->left < CHUNK_BYTES ? session->left : CHUNK_BYTES;
    bool last = size == session->left;
    memcpy(buffer + LWS_PRE, session->body, size);
    session->body += size;
    session->left -= size;
    if (lws_write(wsi, buffer + LWS_PRE, size, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) !=
        (int)size)
        return -1;
    if (last) {
        forget_body(session);
        return lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
    }
    lws_callback_on_writable(wsi);
    return 0;
}

// Handles HTTP. It is also the callback of the first protocol, which a connection has before it
// asks for one.
static int http_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                         size_t size)
{
    struct web_session *session = user;
    (void)size;
    switch (reason) {
    case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
        return net_of(wsi)->connections >= CONNECTIONS_MAX ? -1 : 0;
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
        net_of(wsi)->connections++;
        frames_in_begin(lws_get_socket_fd(wsi));
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        if (net_of(wsi)->connections > 0)
            net_of(wsi)->connections--;
        return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return check_upgrade(wsi);
    case LWS_CALLBACK_HTTP:
        return serve_request(wsi, session, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return session == NULL || session->left == 0 ? 0 : send_part(wsi, session);
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL: // to become a WebSocket, for one
        if (session != NULL)
            forget_body(session);
        return 0;
    case LWS_CALLBACK_HTTP_BODY:
    case LWS_CALLBACK_RAW_ADOPT: // made by CONNECT: nothing would ever end it
    case LWS_CALLBACK_RAW_RX:
        return -1;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        hub_distribute(net_of(wsi)->hub);
        return 0;
    default:
        return 0;
    }
}

// ---- WebSockets --------------------------------------------------------------------------------

static void on_ready(void *connection, bool end)
{
    struct web_session *session = connection;
    if (end && !session->ending) {
        session->ending = true; // it does not get what it does not take in that time
        lws_set_timer_usecs(session->wsi, IDLE_SECONDS * LWS_USEC_PER_SEC);
    }
    if (session->ending || outbox_ready(&session->browser->outbox))
        lws_callback_on_writable(session->wsi);
}

static int end_session(struct web_session *session, enum lws_close_status status, const char *why)
{
    lws_close_reason(session->wsi, status, (u8 *)why, strlen(why));
    return -1;
}

// A frame broke a rule: the connection ends, at the latest when the timer comes.
static void on_fault(void *context, u16 status)
{
    struct web_session *session = context;
    session->fault = status;
    on_ready(session, true);
}

static void begin_session(struct lws *wsi, struct web_session *session)
{
    struct net *net = net_of(wsi);
    *session = (struct web_session){.wsi = wsi, .net = net};
    session->browser = hub_connect(net->hub, session);
    net->strangers++;
    frames_in_watch(lws_get_socket_fd(wsi), on_fault, session);
    lws_set_timer_usecs(wsi, HELLO_SECONDS * LWS_USEC_PER_SEC);
}

static void forget_session(struct web_session *session)
{
    frames_in_end(lws_get_socket_fd(session->wsi));
    session->net->strangers -= session->browser->role == ROLE_STRANGER;
    hub_disconnect(session->net->hub, session->browser);
    session->browser = NULL;
}

// Cuts a connection. The socket of one that takes nothing never becomes writable, so it is not
// asked.
static void cut(struct web_session *session)
{
    lws_set_timeout(session->wsi, NO_PENDING_TIMEOUT, LWS_TO_KILL_ASYNC);
}

static int on_timer(struct web_session *session)
{
    if (session->ending)
        cut(session);
    else if (session->browser->role == ROLE_STRANGER)
        return end_session(session, LWS_CLOSE_STATUS_POLICY_VIOLATION, "no token in time");
    return 0;
}

// Takes a part of a message, and keeps it until the whole is there.
static int receive_part(struct web_session *session, const char *part, size_t size)
{
    if (session->ending)
        return 0;
    if (lws_frame_is_binary(session->wsi))
        return end_session(session, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "messages are JSON");
    if (session->input_size + size > sizeof(session->input)) {
        cut(session); // the rest of it is not read
        return 0;
    }
    memcpy(session->input + session->input_size, part, size);
    session->input_size += size;
    if (!lws_is_final_fragment(session->wsi) || lws_remaining_packet_payload(session->wsi) != 0)
        return 0;
    bool stranger = session->browser->role == ROLE_STRANGER;
    hub_receive(session->net->hub, session->browser, session->input, session->input_size);
    session->input_size = 0;
    if (stranger && session->browser->role != ROLE_STRANGER) {
        session->net->strangers--;
        if (!session->ending)
            lws_set_timer_usecs(session->wsi, LWS_SET_TIMER_USEC_CANCEL);
    }
    return 0;
}

static int send_next(struct web_session *session)
{
    struct outbox *outbox = &session->browser->outbox;
    if (session->fault != 0)
        return end_session(session, session->fault, "");
    if (session->ending && outbox->first == NULL)
        return end_session(session, LWS_CLOSE_STATUS_POLICY_VIOLATION, "refused");
    struct block *block = outbox_next(outbox, LWS_PRE);
    if (block == NULL)
        return 0;
    int size = (int)(block->size - LWS_PRE);
    int sent = lws_write(session->wsi, block->data + LWS_PRE, (size_t)size,
                         block->frame ? LWS_WRITE_BINARY : LWS_WRITE_TEXT);
    block_release(block);
    if (sent < size)
        return -1;
    if (session->ending || outbox_ready(outbox))
        lws_callback_on_writable(session->wsi);
    return 0;
}

static int socket_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                           size_t size)
{
    struct web_session *session = user;
    switch (reason) {
    case LWS_CALLBACK_ESTABLISHED:
        begin_session(wsi, session);
        return 0;
    case LWS_CALLBACK_CLOSED:
        if (session->browser != NULL)
            forget_session(session);
        return 0;
    case LWS_CALLBACK_RECEIVE:
        return receive_part(session, in, size);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return send_next(session);
    case LWS_CALLBACK_TIMER:
        return on_timer(session);
    default:
        return http_callback(wsi, reason, NULL, in, size);
    }
}

// ---- the loop ----------------------------------------------------------------------------------

static const struct lws_protocols protocols[] = {
    // No browser can ask for this one: names of subprotocols have no spaces.
    {.name = "no subprotocol",
     .callback = http_callback,
     .per_session_data_size = sizeof(struct web_session)},
    {.name = SOCKET_PROTOCOL,
     .callback = socket_callback,
     .per_session_data_size = sizeof(struct web_session),
     .rx_buffer_size = 4096},
    {0},
};

struct net *net_open(struct hub *hub, int port)
{
    struct net *net = memory_get(sizeof(*net));
    net->hub = hub;
    struct lws_context_creation_info info = {
        .port = port,
        .iface = "127.0.0.1",
        .protocols = protocols,
        .user = net,
        .timeout_secs = IDLE_SECONDS,
        .keepalive_timeout = IDLE_SECONDS,
        .timeout_secs_ah_idle = IDLE_SECONDS,
        .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_DISABLE_IPV6,
    };
    lws_set_log_level(0, NULL);
    net->context = lws_create_context(&info);
    struct lws_vhost *vhost = net->context == NULL ? NULL : lws_create_vhost(net->context, &info);
    if (vhost == NULL) {
        fail(KOV_FAILED,
             "cannot listen on 127.0.0.1:%d: is something else there? --listen names another port",
             port);
        net_close(net);
        return NULL;
    }
    access_set_port(&hub->access, lws_get_vhost_listen_port(vhost));
    hub_init(hub, on_ready);
    return net;
}

void net_run(struct net *net)
{
    interrupt_wakes(net_wake, net); // a signal may come between checking and waiting
    while (!interrupted() && lws_service(net->context, 0) >= 0) {
    }
}

void net_wake(void *net)
{
    lws_cancel_service(((struct net *)net)->context);
}

void net_close(struct net *net)
{
    interrupt_wakes(NULL, NULL);
    if (net->context != NULL)
        lws_context_destroy(net->context);
    free(net);
}

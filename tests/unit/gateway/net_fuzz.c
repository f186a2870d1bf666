// SPDX-License-Identifier: MIT
// Mutated HTTP requests and WebSocket frames at a gateway that listens, with played machines. It
// stays alive, takes another browser afterwards, and memory stays flat.
//
//   gateway_net_fuzz                  a bounded run
//   KOV_FUZZ_ROUNDS=N KOV_FUZZ_SEED=S gateway_net_fuzz      N connections, or the same again
#include "unit.h"

#include "gateway/assets.h"
#include "gateway/net.h"
#include "played.h"
#include "tools/interrupt.h"
#include "tools/memory.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ROUNDS 2000
#define OPEN 24 // connections at once
#define INPUT_BYTES 40000
#define MEMORY_SLACK (1u << 20)
#define PATIENCE_MS 300000

// Of the sanitizer.
size_t __sanitizer_get_current_allocated_bytes(void);

static struct hub hub;
static struct net *net;
static u64 seed;
static int attackers[OPEN];
static u64 answered, upgraded; // bytes that came back; WebSockets that were made

static u32 any(u32 below)
{
    return (u32)(unit_random(&seed) >> 32) % below;
}

// In place of the page.
const struct asset *asset_find(const char *path)
{
    static const u8 data[100000];
    static const struct asset page = {"/", "text/html; charset=utf-8", data, data + sizeof(data)};
    return strcmp(path, "/") == 0 ? &page : NULL;
}

char *asset_unpack(const struct asset *asset, size_t *size)
{
    *size = (size_t)(asset->end - asset->data);
    return memcpy(memory_get(*size), asset->data, *size);
}

// ---- what is sent ------------------------------------------------------------------------------

struct input {
    u8 bytes[INPUT_BYTES];
    size_t size;
};

static void add(struct input *input, const void *bytes, size_t size)
{
    if (size > sizeof(input->bytes) - input->size)
        size = sizeof(input->bytes) - input->size;
    memcpy(input->bytes + input->size, bytes, size);
    input->size += size;
}

static void add_text(struct input *input, const char *text)
{
    add(input, text, strlen(text));
}

static const char *const requests[] = {"GET / HTTP/1.1\r\n",        "GET /metrics HTTP/1.1\r\n",
                                       "GET /../x HTTP/1.1\r\n",    "GET / HTTP/1.0\r\n",
                                       "GET /%2e%2e/ HTTP/1.1\r\n", "POST / HTTP/1.1\r\n",
                                       "HEAD / HTTP/1.1\r\n",       "CONNECT a:1 HTTP/1.1\r\n",
                                       "OPTIONS * HTTP/1.1\r\n",    "PRI * HTTP/2.0\r\n"};
static const char *const headers[] = {
    "Host: evil\r\n",
    "Connection: close\r\n",
    "Connection: keep-alive\r\n",
    "Content-Length: 5\r\n",
    "Accept-Encoding: gzip, *;q=0\r\n",
    "Accept-Encoding: ;q=, gzip;q\r\n",
    "Sec-WebSocket-Protocol: other, orrery\r\n",
    "Content-Length: -1\r\n",
    "Content-Length: 99999999999999999999\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n",
    "Upgrade: raw\r\n",
    "Sec-WebSocket-Extensions: permessage-deflate\r\n",
    "Range: bytes=0-1,5-\r\n",
    "Expect: 100-continue\r\n",
    "Accept-Encoding: gzip\r\n",
    "X: \xff\xfe\r\n",
};
static const char *const messages[] = {
    "{\"type\":\"credit\",\"bytes\":100}",
    "{\"type\":\"watch\",\"id\":1,\"machine\":\"one\",\"kind\":\"status\"}",
    "{\"type\":\"watch\",\"id\":2,\"machine\":\"two\",\"kind\":\"console\"}",
    "{\"type\":\"unwatch\",\"id\":1}",
    "{\"type\":\"ask\",\"id\":5,\"machine\":\"one\",\"what\":\"object\"}",
    "{\"type\":\"act\",\"id\":5,\"machine\":\"one\",\"do\":\"power_off\"}",
    "[[[[[[",
    "",
};

static void add_host(struct input *input)
{
    add_text(input, "Host: ");
    add_text(input, hub.access.host);
    add_text(input, "\r\n");
}

static void add_authorization(struct input *input)
{
    add_text(input, "Authorization: Bearer ");
    add_text(input, hub.access.metrics);
    add_text(input, "\r\n");
}

static void add_request(struct input *input)
{
    add_text(input, requests[any(ARRAY_SIZE(requests))]);
    if (any(8) != 0)
        add_host(input);
    if (any(2) == 0)
        add_authorization(input);
    for (u32 more = any(4); more > 0; more--)
        add_text(input, headers[any(ARRAY_SIZE(headers))]);
    add_text(input, "\r\n");
    if (any(4) == 0)
        add_text(input, "12345");
}

static void add_upgrade(struct input *input)
{
    add_text(input, "GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"
                    "Sec-WebSocket-Protocol: orrery\r\nOrigin: ");
    add_text(input, hub.access.origin);
    add_text(input, "\r\n");
    add_host(input);
    add_text(input, "\r\n");
}

// Mostly as it should be, masked with zeros; said: its length, which may be a lie.
static void add_frame(struct input *input, const void *payload, size_t size)
{
    u64 said = any(16) != 0 ? size : any(2) == 0 ? any(70000) : unit_random(&seed);
    u8 first = any(8) != 0 ? 0x81 : (u8)any(256);
    u8 masked = any(16) != 0 ? 0x80 : 0;
    if (said < 126)
        add(input, (u8[]){first, (u8)(masked | said)}, 2);
    else if (said < 65536)
        add(input, (u8[]){first, masked | 126, (u8)(said >> 8), (u8)said}, 4);
    else {
        add(input, (u8[]){first, masked | 127}, 2);
        for (u32 byte = 8; byte-- > 0;)
            add(input, (u8[]){(u8)(said >> (8 * byte))}, 1);
    }
    add(input, (u8[4]){0}, 4);
    add(input, payload, size);
}

static void add_frames(struct input *input)
{
    static const u8 zeros[20000];
    char hello[128];
    snprintf(hello, sizeof(hello), "{\"type\":\"hello\",\"token\":\"%s\",\"version\":1}",
             any(2) == 0 ? hub.access.observer : hub.access.controller);
    if (any(4) != 0)
        add_frame(input, hello, strlen(hello));
    for (u32 more = any(12); more > 0; more--) {
        const char *message = messages[any(ARRAY_SIZE(messages))];
        if (any(20) == 0)
            add_frame(input, zeros, any(sizeof(zeros)));
        else
            add_frame(input, message, strlen(message));
    }
}

static void change(struct input *input)
{
    for (u32 changes = any(4); changes > 0 && input->size > 0; changes--) {
        size_t at = any((u32)input->size);
        switch (any(4)) {
        case 0:
            input->bytes[at] ^= (u8)(1 << any(8));
            break;
        case 1:
            input->bytes[at] = (u8)any(256);
            break;
        case 2: // what comes behind it again
            add(input, input->bytes + at, (input->size - at) / 2);
            break;
        default:
            input->size = at;
        }
    }
}

// ---- connections -------------------------------------------------------------------------------

static int connect_gateway(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                  .sin_port = htons((u16)atoi(strchr(hub.access.host, ':') + 1))};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

// Most are cut, or their ports would be waited for.
static void disconnect(int fd)
{
    const struct linger cut = {.l_onoff = 1};
    if (any(16) != 0)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &cut, sizeof(cut));
    close(fd);
}

// What is there, or the next that comes; 0: nothing, or its end.
static size_t receive(int fd, char *text, size_t size, bool wait)
{
    ssize_t got = recv(fd, text, size - 1, wait ? 0 : MSG_DONTWAIT);
    text[got > 0 ? got : 0] = 0;
    answered += got > 0 ? (u64)got : 0;
    return got > 0 ? (size_t)got : 0;
}

static void attack(int fd)
{
    static struct input input;
    static char reply[65536];
    input.size = 0;
    if (any(2) == 0) {
        for (u32 several = 1 + any(3); several > 0; several--)
            add_request(&input);
        if (any(4) == 0)
            add_upgrade(&input);
    } else {
        add_upgrade(&input);
        send(fd, input.bytes, input.size, MSG_NOSIGNAL);
        receive(fd, reply, sizeof(reply), true);
        upgraded += strstr(reply, " 101 ") != NULL;
        input.size = 0;
        add_frames(&input);
    }
    change(&input);
    send(fd, input.bytes, input.size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (any(2) == 0)
        receive(fd, reply, sizeof(reply), false);
}

static void play_machines(void)
{
    for (u32 machine = 0; machine < PLAYED_MACHINES; machine++) {
        for (struct post *request; (request = played_request(machine)) != NULL;
             post_free(request)) {
            if (request->kind == REQUEST_ASK || request->kind == REQUEST_ACT)
                played_answer(&hub, request, "done");
            else if (request->kind != REQUEST_UNWATCH)
                played_publish(&hub, request->topic, any(3000), any(2) == 0);
        }
        if (any(16) == 0)
            played_names(&hub, machine, 1, any(2) == 0);
        if (any(16) == 0)
            played_tell(&hub, machine, "live");
    }
}

static void run(u64 connections)
{
    for (u64 i = 0; i < connections; i++) {
        int *attacker = &attackers[any(OPEN)];
        if (*attacker >= 0)
            disconnect(*attacker);
        *attacker = connect_gateway();
        attack(*attacker);
        if (any(4) == 0)
            play_machines();
    }
}

// ---- before and after --------------------------------------------------------------------------

static u32 open_files(void)
{
    u32 count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

// All go, and the gateway has noticed.
static void leave_all(u32 files)
{
    for (u32 i = 0; i < OPEN; i++) {
        if (attackers[i] >= 0)
            disconnect(attackers[i]);
        attackers[i] = -1;
    }
    for (u32 waited = 0; open_files() > files && waited < PATIENCE_MS; waited += 10)
        poll(NULL, 0, 10);
    assert_int_equal(open_files(), files);
    play_machines(); // what was requested last
    for (u32 machine = 0; machine < PLAYED_MACHINES; machine++)
        played_names(&hub, machine, 1, true);
}

static void another_browser_gets_in(void)
{
    static struct input input;
    static char reply[65536];
    int fd = connect_gateway();
    char hello[128];
    input.size = 0;
    add_upgrade(&input);
    assert_int_equal(send(fd, input.bytes, input.size, MSG_NOSIGNAL), input.size);
    assert_true(receive(fd, reply, sizeof(reply), true) > 0);
    assert_non_null(strstr(reply, " 101 "));
    input.size = 0;
    snprintf(hello, sizeof(hello), "{\"type\":\"hello\",\"token\":\"%s\",\"version\":1}",
             hub.access.observer);
    u8 head[6] = {0x81, (u8)(0x80 | strlen(hello))};
    add(&input, head, sizeof(head));
    add(&input, hello, strlen(hello));
    assert_int_equal(send(fd, input.bytes, input.size, MSG_NOSIGNAL), input.size);
    size_t size = 0, more;
    while (memmem(reply, size, "welcome", 7) == NULL) {
        assert_true((more = receive(fd, reply + size, sizeof(reply) - size, true)) > 0);
        size += more;
    }
    close(fd);
}

// More than one part of what is sent.
static void expose_much(struct exposition *exposition)
{
    struct exposition_draft draft;
    char pid[16];
    exposition_draft_begin(&draft, "one");
    for (u32 i = 0; i < 1000; i++) {
        snprintf(pid, sizeof(pid), "%u", i);
        exposition_add(&draft, EXPOSED_PROCESS_CPU, i, "pid", pid, LABELS_END);
    }
    exposition_put(exposition, &draft);
}

static void *serve(void *context)
{
    net_run(context);
    return NULL;
}

static void random_connections_harm_nobody(void **state)
{
    const char *request = getenv("KOV_FUZZ_SEED");
    u64 rounds = unit_fuzz_rounds(ROUNDS);
    pthread_t thread;
    (void)state;
    seed = request != NULL ? strtoull(request, NULL, 0) : 42;
    printf("again: KOV_FUZZ_ROUNDS=%lu KOV_FUZZ_SEED=%lu\n", rounds, seed);
    memset(attackers, -1, sizeof(attackers));
    interrupt_catch();
    net = net_open(&hub, 0);
    assert_non_null(net);
    played_begin(&hub, net_wake, net);
    access_open_metrics(&hub.access);
    expose_much(played_machines[0].exposition = exposition_new());
    pthread_create(&thread, NULL, serve, net);
    u32 files = open_files();
    another_browser_gets_in();
    run(rounds / 2);
    leave_all(files);
    size_t before = __sanitizer_get_current_allocated_bytes();
    run(rounds - rounds / 2);
    leave_all(files);
    size_t after = __sanitizer_get_current_allocated_bytes();
    printf("%lu WebSockets, %lu bytes of answers; memory in use %zu, then %zu bytes\n", upgraded,
           answered, before, after);
    another_browser_gets_in();
    assert_true(after <= before + MEMORY_SLACK);
    assert_true(upgraded > rounds / 4);
    raise(SIGTERM);
    pthread_join(thread, NULL);
    for (u32 machine = 0; machine < PLAYED_MACHINES; machine++)
        played_drop_requests(machine);
    played_end(&hub);
    net_close(net);
    exposition_free(played_machines[0].exposition);
    hub_free(&hub);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_connections_harm_nobody)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

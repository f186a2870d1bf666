// SPDX-License-Identifier: MIT
// Kinds of hostile programs that no other test has as a program: nonsense to servers, spoilt rings,
// connections that say anything, monitors that nobody reads, code that changes while it runs.
#include "siege.h"

#include <arpa/inet.h>
#include <ipc/names.h>
#include <ipc/net.h>
#include <ipc/net_session.h>
#include <net/map.h>
#include <net/protocol.h>
#include <netinet/in.h>
#include <orrery/ipc.h>
#include <orrery/memory.h>
#include <orrery/monitors.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <user/ipc.h>
#include <user/thread.h>
#include <user/time.h>

#define PAUSE_US 1000
#define MONITOR_BYTES_WANTED 0x40000
#define MONITORS 20 // more than it gets
#define ALL_KINDS 0xff
#define CONNECTIONS 30
#define DCI 4242 // the port of the server with the tokens
#define WRITES 200

static u32 random_number(u32 below)
{
    static u32 seed;

    if (seed == 0)
        seed = (u32)time_now() | 1;
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

// ---- calls of servers ---------------------------------------------------------------------------

static void call_with_anything(cap_t server)
{
    u64 bulk[32], answer[64];
    struct ipc_message message = {.send = bulk,
                                  .send_bytes = random_number(sizeof(bulk) + 1),
                                  .receive = answer,
                                  .receive_max = sizeof(answer),
                                  .send_cap = random_number(4) == 0 ? random_number(40) : 0};

    for (u32 i = 0; i < ARRAY_SIZE(bulk); i++)
        bulk[i] = (u64)random_number(1 << 24) << random_number(41);
    bulk[0] = random_number(300);
    memcpy(&bulk[1], "/data/x", 8);
    for (u32 i = 0; i < MESSAGE_WORDS; i++)
        message.words[i] = random_number(3) != 0 ? random_number(300)
                                                 : (u64)random_number(1 << 24) << random_number(41);
    message.words[0] = random_number(30);
    if (ipc_call(server, &message) >= 0 && message.received_cap != 0)
        sys_cap_drop(message.received_cap);
}

static void calls(void)
{
    static const char *const names[] = {"fs", "proc", "net", "log", "sched"};

    for (u32 turn = 0;; turn++) {
        cap_t server = CAP_NAMES;
        const char *name = names[turn % ARRAY_SIZE(names)];
        if (turn % 3 != 0 && names_lookup(CAP_NAMES, name, &server) != 0)
            continue;
        for (u32 i = 0; i < 100; i++)
            call_with_anything(server);
        if (server != CAP_NAMES)
            sys_cap_drop(server);
    }
}

// ---- the network --------------------------------------------------------------------------------

static s64 ignore(struct ipc_request *request)
{
    return request->call != 0 ? IPC_LATER : 0;
}

static cap_t open_session(cap_t *doorbell)
{
    cap_t service, session = 0;
    s64 wake = ipc_endpoint(ignore, NULL);

    if (names_lookup(CAP_NAMES, NET_SERVICE, &service) != 0)
        return 0;
    if (net_open(service, (cap_t)wake, &session) != 0 ||
        net_session_doorbell(session, doorbell) != 0)
        session = 0;
    sys_cap_drop(service);
    return session;
}

// Connects, and writes anything into the memory that it shares with the server.
static void spoil_one(cap_t session, cap_t doorbell)
{
    static const u64 nothing[MESSAGE_WORDS];
    u32 number, wake, kept;
    void *address;
    cap_t memory;

    if (net_session_create(session, &number, &memory) != 0)
        return;
    if (net_map(memory, &address) == 0) {
        net_session_connect(session, number, INADDR_LOOPBACK, DCI, &wake);
        for (u32 i = 0; i < WRITES; i++) {
            ((u32 *)address)[random_number(sizeof(struct net_shared) / sizeof(u32))] =
                random_number(1 << 24) << random_number(9);
            if (i % 10 == 0)
                ipc_send(doorbell, -1, nothing);
        }
        net_unmap(address);
    }
    sys_cap_drop(memory);
    net_session_close(session, number, random_number(2), &kept, &wake);
}

static void rings(void)
{
    cap_t doorbell = 0, session = open_session(&doorbell);

    while (session != 0)
        spoil_one(session, doorbell);
}

// A connection to a server that believes who shows a token: it says anything, and reads nothing.
static int connect_and_talk(void)
{
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(DCI), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    u32 words[64];
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    if (fd < 0)
        return -1;
    for (u32 i = 0; i < ARRAY_SIZE(words); i++)
        words[i] = random_number(1 << 24) << random_number(9);
    words[0] = htonl(random_number(256));
    if (connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0 &&
        send(fd, words, random_number(sizeof(words)), 0) >= 0 && random_number(2) == 0)
        shutdown(fd, SHUT_WR);
    return fd;
}

static void connections(void)
{
    int fds[CONNECTIONS];

    memset(fds, -1, sizeof(fds));
    for (u32 i = 0;; i = (i + 1) % CONNECTIONS) {
        if (fds[i] >= 0)
            close(fds[i]);
        fds[i] = connect_and_talk();
        thread_sleep_us(PAUSE_US);
    }
}

// ---- the kernel ---------------------------------------------------------------------------------

static void monitors(void)
{
    for (u32 i = 0; i < MONITORS; i++) {
        u64 bytes = MONITOR_BYTES_WANTED;
        s64 monitor = sys_monitor_create(&bytes);
        if (monitor <= 0)
            break;
        sys_monitor_track_pid((cap_t)monitor, (u32)getpid(), 0, i, ALL_KINDS);
        sys_monitor_resume((cap_t)monitor);
    }
    for (;;)
        getpid(), thread_yield();
}

extern u32 besieged_patch[];

static u32 __attribute__((noinline)) patched(void)
{
    u32 number;

    __asm__ volatile(".globl besieged_patch\n"
                     "besieged_patch: li %0,0"
                     : "=r"(number));
    return number;
}

static s64 run_patched(void *argument)
{
    volatile u32 sum = 0;

    (void)argument;
    for (;;)
        sum += patched();
    return sum;
}

// One thread changes what another one runs.
static void code(void)
{
    u32 now = besieged_patch[0];

    if (thread_create(NULL, NULL, run_patched, NULL) != 0)
        return;
    for (;;) {
        u32 next = (now & 0xffff0000) | random_number(0x8000);
        if (sys_text_patch((u64)besieged_patch, now, next) == 0)
            now = next;
        thread_yield();
    }
}

// ---- all ----------------------------------------------------------------------------------------

int attack(const char *kind)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } attackers[] = {{"calls", calls},
                     {"rings", rings},
                     {"connections", connections},
                     {"monitors", monitors},
                     {"code", code}};

    for (u32 i = 0; i < ARRAY_SIZE(attackers); i++)
        if (strcmp(attackers[i].name, kind) == 0)
            attackers[i].run();
    return 1;
}

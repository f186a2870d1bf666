// SPDX-License-Identifier: MIT
// A process that writes nonsense into the memory it shares with the server: its own connection
// breaks, nothing else.
#include "tests.h"

#include <ipc/net.h>
#include <ipc/net_session.h>
#include <ipc/names.h>
#include <net/map.h>
#include <net/protocol.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <user/ipc.h>
#include <user/thread.h>
#include <waiting.h>

#define PORT 6300

static s64 ignore(struct ipc_request *request)
{
    return request->call != 0 ? IPC_LATER : 0;
}

static cap_t open_own_session(cap_t *doorbell)
{
    cap_t service = 0, session = 0;

    s64 wake = ipc_endpoint(ignore, NULL);
    EXPECT(wake > 0);
    EXPECT(names_lookup(CAP_NAMES, NET_SERVICE, &service) == 0);
    EXPECT(net_open(service, (cap_t)wake, &session) == 0);
    EXPECT(net_session_doorbell(session, doorbell) == 0);
    sys_cap_drop(service);
    return session;
}

static struct net_shared *connect_own(cap_t session, u32 *number)
{
    void *address = NULL;
    cap_t memory = 0;
    u32 wake;

    EXPECT(net_session_create(session, number, &memory) == 0);
    EXPECT(net_map(memory, &address) == 0);
    sys_cap_drop(memory);
    EXPECT(net_session_connect(session, *number, INADDR_LOOPBACK, PORT, &wake) == 0);
    struct net_shared *shared = address;
    EXPECT(WAIT_FOR(shared_load(&shared->state) != NET_CONNECTING));
    EXPECT(shared_load(&shared->state) == NET_OPENED);
    return shared;
}

static s64 close_own(cap_t session, u32 number)
{
    u32 kept = 1, wake;

    s64 error = net_session_close(session, number, 0, &kept, &wake);
    EXPECT(error != 0 || kept == 0);
    return error;
}

static void ring(cap_t doorbell)
{
    static const u64 nothing[MESSAGE_WORDS];
    ipc_send(doorbell, -1, nothing);
}

static bool fails_soon(const struct net_shared *shared)
{
    return WAIT_FOR(shared_load(&shared->state) == NET_FAILED) &&
           shared_load(&shared->error) == E_PROTO;
}

static void impossible_indices(int listener, cap_t session, cap_t doorbell)
{
    for (int which = 0; which < 2; which++) {
        u32 number;
        struct net_shared *shared = connect_own(session, &number);
        int peer = accept_one(listener);
        if (which == 0)
            shared_store(&shared->send.head, NET_RING_BYTES + 1); // more than it holds
        else
            shared_store(&shared->receive.tail, 1); // what never came
        ring(doorbell);
        EXPECT(fails_soon(shared));
        EXPECT(close_own(session, number) == 0);
        net_unmap(shared);
        close(peer);
    }
}

// Whatever it writes, at any time.
static void noise(int listener, cap_t session, cap_t doorbell)
{
    srand(99);
    for (int round = 0; round < 20; round++) {
        u32 number;
        struct net_shared *shared = connect_own(session, &number);
        int peer = accept_one(listener);
        for (int i = 0; i < 200; i++) {
            u32 *words = (u32 *)shared;
            words[(u32)rand() % (sizeof(*shared) / sizeof(u32))] = (u32)rand();
            if (i % 10 == 0)
                ring(doorbell);
        }
        close_own(session, number);
        net_unmap(shared);
        close(peer);
    }
}

// It writes into the memory that it has kept of a closed socket: the next one begins afresh there.
static void kept_memory(int listener, cap_t session)
{
    u32 first, second, kept = 0, wake;
    cap_t memory = 0;
    char byte = 0;

    struct net_shared *shared = connect_own(session, &first);
    int peer = accept_one(listener);
    EXPECT(net_session_close(session, first, 1, &kept, &wake) == 0 && kept != 0);
    close(peer);
    memset(shared, 0xff, NET_SOCKET_BYTES);
    EXPECT(net_session_create(session, &second, &memory) == 0);
    EXPECT(second == first && memory == 0);
    EXPECT(shared_load(&shared->state) == NET_IDLE && shared_load(&shared->send.head) == 0);
    EXPECT(net_session_connect(session, second, INADDR_LOOPBACK, PORT, &wake) == 0);
    peer = accept_one(listener);
    EXPECT(shared_load(&shared->state) == NET_OPENED);
    ((u8 *)shared)[NET_CONTROL_BYTES] = 'x';
    shared_store(&shared->send.head, 1);
    EXPECT(net_session_poll(session, second, &wake) == 0);
    EXPECT(recv(peer, &byte, 1, 0) == 1 && byte == 'x');
    EXPECT(close_own(session, second) == 0);
    net_unmap(shared);
    close(peer);
}

static void no_more_is_kept_than_the_limit(cap_t session)
{
    u32 numbers[NET_KEPT_MAX + 2], total = 0;

    for (u32 i = 0; i < ARRAY_SIZE(numbers); i++) {
        cap_t memory = 0;
        EXPECT(net_session_create(session, &numbers[i], &memory) == 0 && memory != 0);
        sys_cap_drop(memory);
    }
    for (u32 i = 0; i < ARRAY_SIZE(numbers); i++) {
        u32 kept = 0, wake;
        EXPECT(net_session_abort(session, numbers[i], 1, &kept, &wake) == 0);
        total += kept;
    }
    EXPECT(total == NET_KEPT_MAX);
}

static void wrong_numbers(cap_t session)
{
    u32 bound, wake;
    struct net_names names;

    EXPECT(close_own(session, 0) == E_NOENT);
    EXPECT(close_own(session, UINT32_MAX) == E_NOENT);
    EXPECT(net_session_poll(session, 0, &wake) == E_NOENT);
    EXPECT(net_session_poll(session, UINT32_MAX, &wake) == E_NOENT);
    EXPECT(net_session_bind(session, 77, 0, 80, &bound) == E_NOENT);
    EXPECT(net_session_names(session, NET_SOCKETS_MAX, &names) == E_NOENT);
    EXPECT(net_session_connect(session, 3, 0, 70000, &wake) == E_NOENT);
}

void test_hostile(void)
{
    cap_t doorbell = 0;
    int ends[2];

    connect_pair(PORT + 1, ends); // lives through all of it
    int listener = listen_on(PORT);
    cap_t session = open_own_session(&doorbell);
    wrong_numbers(session);
    impossible_indices(listener, session, doorbell);
    noise(listener, session, doorbell);
    kept_memory(listener, session);
    no_more_is_kept_than_the_limit(session);
    EXPECT(send_pattern(ends[0], 50000, 9) && receive_pattern(ends[1], 50000, 9));
    close(ends[0]);
    close(ends[1]);
    close(listener);
    sys_cap_drop(session);
    sys_cap_drop(doorbell);
}

// SPDX-License-Identifier: MIT
// The net server: its start, its loop, and what lwIP asks of a platform.
#include "ethernet.h"
#include "server.h"
#include "session.h"
#include "socket.h"

#include <lwip/init.h>
#include <lwip/netif.h>
#include <lwip/sys.h>
#include <lwip/timeouts.h>
#include <ipc/names.h>
#include <net/protocol.h>
#include <stdio.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

#define FRAMES_A_ROUND 256 // then timers and the clients have their turn

static u64 random_state;

// ---- what lwIP asks for ------------------------------------------------------------------------

u32 sys_now(void)
{
    return (u32)(time_to_us(time_now()) / 1000);
}

// xorshift64*: port and sequence numbers, no secrets.
u32 net_random(void)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (u32)((random_state * 0x2545F4914F6CDD1D) >> 32);
}

void net_assertion_failed(const char *message)
{
    user_panic("net: assertion failed: %s", message);
}

// ---- the loop ----------------------------------------------------------------------------------

static void __attribute__((noreturn)) run(void)
{
    for (;;) {
        mutex_lock(&net_lock);
        bool more = ethernet_receive(FRAMES_A_ROUND);
        sys_check_timeouts();
        more |= server_work();
        sessions_wake(time_now());
        u64 until = server_deadline();
        mutex_unlock(&net_lock);
        if (!more)
            thread_park(until);
    }
}

// The interface is the root of all sessions and sockets.
static u32 count_children(void)
{
    return sessions_count() + sockets_unheld(NULL, 0);
}

static u32 list_children(coid_t *out, u32 max)
{
    u32 count = sessions_coids(out, max);
    return count + sockets_unheld(out + count, max - count);
}

static s64 start(void)
{
    server_begin();
    random_state = time_now() | 1;
    lwip_init();
    NETIF_SET_CHECKSUM_CTRL(netif_find("lo0"), NETIF_CHECKSUM_DISABLE_ALL);
    return ethernet_start(count_children, list_children);
}

int main(void)
{
    cap_t service;

    s64 error = start();
    error = error ? error : sessions_start(&service);
    error = error ? error : names_register(CAP_NAMES, NET_SERVICE, service);
    if (error != 0) {
        fprintf(stderr, "net: no service: %s\n", orrery_strerror(error));
        return 1;
    }
    run();
}

// SPDX-License-Identifier: MIT
// The lock, who does what there is to do, and who is woken for it.
#include "server.h"

#include "ethernet.h"
#include "holder.h"
#include "session.h"
#include "socket.h"

#include <lwip/netif.h>
#include <lwip/priv/tcp_priv.h>
#include <lwip/timeouts.h>
#include <user/thread.h>
#include <user/time.h>

#define SOCKETS_A_TURN 64           // then others may have the lock
#define LONGEST_SLEEP_US 3600000000 // lwIP compares times modulo 49 days

struct mutex net_lock;

static struct thread *main_thread;
static u64 main_looks;  // at the latest
static bool main_times; // it has seen that there are connections

void server_begin(void)
{
    main_thread = thread_current();
}

void server_wake(void)
{
    thread_unpark(main_thread);
}

// Delivers what the machine has sent to itself.
static void poll_interfaces(void)
{
    for (struct netif *netif = netif_list; netif != NULL; netif = netif->next) {
        if (netif->loop_first != NULL)
            netif_poll(netif);
    }
}

bool server_work(void)
{
    for (u32 i = 0; i < SOCKETS_A_TURN; i++) {
        poll_interfaces();
        if (tcp_tw_pcbs != NULL)
            sockets_release_ended();
        if (!sockets_work())
            return false;
    }
    return true;
}

// Only connections depend on time: while there is none,
// lwIP's tables of addresses and fragments may age later.
static bool connections_exist(void)
{
    return tcp_active_pcbs != NULL || tcp_tw_pcbs != NULL;
}

void server_turn(void)
{
    bool more = server_work();

    if (holders != NULL)
        sessions_wake(time_now());
    if (more || sessions_deadline() < main_looks || ethernet_due() ||
        (connections_exist() && !main_times))
        server_wake();
}

static u64 timers_deadline(void)
{
    if (!main_times)
        return time_after_us(LONGEST_SLEEP_US);
    u32 ms = sys_timeouts_sleeptime();
    return ms == SYS_TIMEOUTS_SLEEPTIME_INFINITE ? UINT64_MAX : time_after_us((u64)ms * 1000);
}

u64 server_deadline(void)
{
    u64 wakes = sessions_deadline();

    main_times = connections_exist();
    u64 timers = timers_deadline();
    main_looks = timers < wakes ? timers : wakes;
    return main_looks;
}

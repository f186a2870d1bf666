// SPDX-License-Identifier: MIT
// The net server: its start, its loop, and what lwIP asks of a platform.
#include "ethernet.h"
#include "server.h"
#include "session.h"
#include "socket.h"

#include <lwip/init.h>
#include <lwip/priv/tcp_priv.h>
#include <lwip/sys.h>
#include <lwip/timeouts.h>
#include <ipc/names.h>
#include <net/protocol.h>
#include <stdio.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

#define FRAMES_A_ROUND 256          // then timers and the clients have their turn
#define LONGEST_SLEEP_US 3600000000 // lwIP compares times modulo 49 days

static u64 frames_kick; // bit of EVENT_KICK
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

// All that can be done now: true when it was anything.
static bool work(void)
{
    bool any = ethernet_receive(FRAMES_A_ROUND) > 0;
    any |= sockets_work();
    sys_check_timeouts();
    return any;
}

// Asks everybody to be woken, and looks once more for what came before that.
static bool await(void)
{
    ethernet_await(frames_kick);
    bool any = ethernet_receive(FRAMES_A_ROUND) > 0;
    any |= sockets_await();
    return any;
}

// Only connections depend on time: while there is none,
// lwIP's tables of addresses and fragments may age later.
static u64 timers_deadline(void)
{
    if (tcp_active_pcbs == NULL && tcp_tw_pcbs == NULL)
        return time_after_us(LONGEST_SLEEP_US);
    u32 ms = sys_timeouts_sleeptime();
    return ms == SYS_TIMEOUTS_SLEEPTIME_INFINITE ? UINT64_MAX : time_after_us((u64)ms * 1000);
}

static u64 deadline(void)
{
    u64 wakes = sessions_deadline();
    u64 timers = timers_deadline();
    return timers < wakes ? timers : wakes;
}

static void __attribute__((noreturn)) run(void)
{
    for (;;) {
        mutex_lock(&net_lock);
        bool busy = work() || await();
        sessions_wake(time_now());
        u64 until = deadline();
        mutex_unlock(&net_lock);
        if (!busy)
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
    s64 bit = user_on_kick(server_wake);
    if (bit < 0)
        return bit;
    frames_kick = 1ul << bit;
    random_state = time_now() | 1;
    lwip_init();
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

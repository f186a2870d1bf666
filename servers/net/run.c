// SPDX-License-Identifier: MIT
// The network server's start, its loop, and what lwIP asks of a platform.
#include "interface.h"

#include <lwip/init.h>
#include <lwip/sys.h>
#include <lwip/timeouts.h>
#include <net/stream.h>
#include <orrery/errors.h>
#include <orrery/sys.h>
#include <string.h>

#define FRAMES_A_ROUND 256 // then timers and the clients have their turn

static u64 ticks_per_ms;
static u64 random_state;

u32 sys_now(void)
{
    return (u32)(sys_time() / ticks_per_ms);
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
    static const char prefix[] = "net: stopped, assertion failed: ";

    sys_console_write(prefix, sizeof(prefix) - 1);
    sys_console_write(message, strlen(message));
    sys_console_write("\n", 1);
    for (;;)
        sys_thread_park(UINT64_MAX);
}

s64 stream_start(void)
{
    struct sys_info info;

    s64 error = sys_info(&info);
    if (error != 0)
        return error;
    ticks_per_ms = info.timebase_hz / 1000;
    random_state = sys_time() | 1;
    lwip_init();
    return interface_start();
}

static u64 next_wake(u64 deadline)
{
    u32 ms = sys_timeouts_sleeptime();
    if (ms == SYS_TIMEOUTS_SLEEPTIME_INFINITE)
        return deadline;
    u64 timer = sys_time() + (u64)ms * ticks_per_ms;
    return timer < deadline ? timer : deadline;
}

// Sleeps until a frame comes or the deadline. What came before the notification was on does not
// wake, so it looks once more in between.
static void wait_for_frames(u64 deadline)
{
    if (deadline <= sys_time())
        return;
    sys_net_notify();
    if (interface_receive(FRAMES_A_ROUND) == 0)
        sys_thread_park(deadline);
}

void stream_run(u64 deadline)
{
    if (interface_receive(FRAMES_A_ROUND) == 0) {
        wait_for_frames(next_wake(deadline));
        interface_receive(FRAMES_A_ROUND);
    }
    sys_check_timeouts();
}

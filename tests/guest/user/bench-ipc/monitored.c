// SPDX-License-Identifier: MIT
// What monitors cost a call and its return, which is two switches. It measures while none records,
// while one records that tracks neither side, and while 1, 2 and 8 track both, so that each gets
// four records. On the fast path, and with so many bytes that the scheduler is asked.
#include "bench.h"

#include <orrery/monitors.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <user/process.h>
#include <user/time.h>

#include "told.h"

#define ROUNDS 500
#define RING_BYTES 0x80000 // for more records than there will be
#define SWITCHES (1u << SYS_MONITOR_SWITCH)

static const struct {
    const char *name;
    u32 bytes;
} paths[] = {{"call", 0}, {"call_16384", 16384}};

static void measure(const struct peer *server, const char *who)
{
    for (u32 i = 0; i < ARRAY_SIZE(paths); i++) {
        u64 ticks = raw_ticks(server->cap, ROUNDS, paths[i].bytes);
        told(ROUNDS);
        printf("BENCH monitors.%s_%s %.1f ns\n", paths[i].name, who,
               (double)ticks * 1e9 / (double)time_hz() / ROUNDS);
    }
}

// A monitor that runs and tracks a process.
static cap_t record(u32 pid)
{
    u64 bytes = RING_BYTES;
    s64 monitor = sys_monitor_create(&bytes);

    if (monitor < 0 || sys_monitor_track_pid((cap_t)monitor, pid, 0, 1, SWITCHES) != 0 ||
        sys_monitor_resume((cap_t)monitor) != 0)
        printf("bench-ipc: no monitor (%ld)\n", (long)monitor);
    return (cap_t)monitor;
}

// At once: the last capability's end alone leaves that to the reaper.
static void end(cap_t monitor)
{
    sys_monitor_terminate(monitor);
    sys_cap_drop(monitor);
}

static void with_monitors(const struct peer *server, u32 count)
{
    cap_t monitors[SYS_MONITORS_PROCESS];
    char name[4];

    for (u32 i = 0; i < count; i++) {
        monitors[i] = record(server->pid);
        sys_monitor_track(monitors[i], 0, 0, 2, SWITCHES);
    }
    snprintf(name, sizeof(name), "%u", (unsigned)count);
    measure(server, name);
    for (u32 i = 0; i < count; i++)
        end(monitors[i]);
}

void monitored_calls(void)
{
    struct peer server, bystander;

    if (!peer_start(&server, "raw", PROCESS_HERE) || !peer_start(&bystander, "raw", PROCESS_HERE))
        return;
    measure(&server, "off");
    cap_t other = record(bystander.pid);
    measure(&server, "not_tracked");
    end(other);
    for (u32 count = 1; count <= 8; count += count == 1 ? 1 : 6)
        with_monitors(&server, count);
    peer_end(&server);
    peer_end(&bystander);
}

// SPDX-License-Identifier: MIT
// Calls counted by domain are those that were made, and those of the trace, exactly.
#include "tests.h"

#include <expect.h>
#include <orrery/memory.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <trace/events.h>
#include <trace/layout.h>
#include <user/scheduler.h>

#define PACKET 0x10000
#define PAIRS 2
#define CALLS 5000UL // of a pair in a round: the trace of a round fits its buffers
#define ROUNDS 10
#define SWITCHES 2000 // off and on in turn
#define IPC_CALL_ID (TRACE_MAJOR_IPC << 16 | TRACE_IPC_IPC_CALL)

static u64 packet[PACKET / sizeof(u64)];

// ---- the trace ----------------------------------------------------------------------------------

// ipc_call events in a packet with this process as the server: their third word.
static u64 calls_in(const struct trace_packet *packet_read, u32 server)
{
    u64 words = (packet_read->content_bits / 8 - sizeof(*packet_read)) / 8, calls = 0;

    for (u64 at = 0; at < words; at += trace_event_length(packet_read->events[at]))
        calls += trace_event_id(packet_read->events[at]) == IPC_CALL_ID &&
                 packet_read->events[at + 3] == server;
    return calls;
}

static u64 traced_calls(void)
{
    u64 calls = 0;
    struct sys_trace_stat stat;

    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        while (sys_trace_read(cpu, true, packet, sizeof(packet)) > 0)
            calls += calls_in((const struct trace_packet *)packet, (u32)sys_process_pid(0));
        EXPECT(sys_trace_stat(cpu, &stat) == 0 && stat.discarded == 0);
    }
    return calls;
}

static void trace_begin(void)
{
    EXPECT(sys_trace_set_mask(0) == 0);
    EXPECT(sys_trace_set_mode(SYS_TRACE_DISCARD) == 0);
    EXPECT(sys_trace_set_mask(1UL << TRACE_MAJOR_IPC) == 0);
}

static u64 trace_end(void)
{
    EXPECT(sys_trace_set_mask(0) == 0);
    u64 calls = traced_calls();
    EXPECT(sys_trace_set_mode(SYS_TRACE_OVERWRITE) == 0);
    return calls;
}

// ---- rounds -------------------------------------------------------------------------------------

// Clients in domains 1 and 2, which call this process, each on a CPU of its own if there are
// enough.
static void make_calls(void)
{
    u32 pids[PAIRS];

    for (u32 i = 0; i < PAIRS; i++) {
        struct child child = {
            .role = "call", .argument = CALLS, .cpu = i % user_cpu_count(), .domain = i + 1};
        pids[i] = child_start(&child);
    }
    for (u32 i = 0; i < PAIRS; i++)
        EXPECT(child_end(pids[i]) == 0);
}

static void count_round(u8 *const areas[ORRERY_MAX_CPUS])
{
    u64 before[PAIRS + 1], called = master_called();

    for (u32 domain = 1; domain <= PAIRS; domain++)
        before[domain] = calls_of(areas, domain);
    trace_begin();
    make_calls();
    u64 traced = trace_end();
    for (u32 domain = 1; domain <= PAIRS; domain++)
        EXPECT(calls_of(areas, domain) - before[domain] == CALLS);
    EXPECT(master_called() - called == PAIRS * CALLS);
    EXPECT(traced == PAIRS * CALLS);
}

// ---- less data ----------------------------------------------------------------------------------

static void a_third_is_logged(u8 *const areas[ORRERY_MAX_CPUS])
{
    u64 before = calls_of(areas, 1);

    set_threshold(areas, LOG_CALL_SENT, 1, 3);
    make_calls();
    set_threshold(areas, LOG_CALL_SENT, 1, 0);
    EXPECT(calls_of(areas, 1) - before == CALLS / 3);
}

static void nothing_is_logged_within_a_domain(u8 *const areas[ORRERY_MAX_CPUS])
{
    u64 one = calls_of(areas, 1), two = calls_of(areas, 2);

    EXPECT(sys_log_domain((u32)sys_process_pid(0), 0, 1) == 0);
    make_calls();
    EXPECT(sys_log_domain((u32)sys_process_pid(0), 0, 0) == 0);
    EXPECT(calls_of(areas, 1) == one);
    EXPECT(calls_of(areas, 2) - two == CALLS);
}

static void nothing_is_logged_while_off(u8 *const areas[ORRERY_MAX_CPUS])
{
    u64 before = calls_of(areas, 1);

    EXPECT(sys_log_enable(LOG_OF_CALLS, false) == 0);
    make_calls();
    EXPECT(calls_of(areas, 1) == before);
    EXPECT(sys_log_enable(LOG_OF_CALLS, true) == 0);
}

// Then the next round is as exact as the ones before.
static void switch_often(void)
{
    for (u32 i = 0; i < SWITCHES; i++)
        if (sys_log_enable(LOG_OF_CALLS, i % 2 != 0) != 0)
            EXPECT(false);
}

void counts(void)
{
    u8 *areas[ORRERY_MAX_CPUS];
    bool laid_out = lay_out_counts(areas);

    EXPECT(laid_out);
    if (!laid_out)
        return;
    EXPECT(sys_log_enable(LOG_OF_CALLS, true) == 0);
    for (u32 round = 0; round < ROUNDS; round++)
        count_round(areas);
    a_third_is_logged(areas);
    nothing_is_logged_within_a_domain(areas);
    nothing_is_logged_while_off(areas);
    switch_often();
    count_round(areas);
    printf("test-logs: %lu calls of domain 1, %lu of domain 2\n", calls_of(areas, 1),
           calls_of(areas, 2));
    EXPECT(sys_log_close() == 0);
    forget_counts(areas);
}

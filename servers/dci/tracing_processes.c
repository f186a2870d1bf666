// SPDX-License-Identifier: MIT
// Trace packets of processes. Live ones are asked one by one, so a round may take a while: it goes on
// from call to call. Packets of processes that have ended are with the kernel, and are read in the same way.
#include "tracing_processes.h"

#include "ask.h"
#include "requests.h"
#include "scope.h"

#include <orrery/monitor.h>
#include <orrery/sys.h>
#include <orrery/user.h>
#include <string.h>

#define STREAM_PACKETS_MAX 256 // of one stream in a round

enum round_state { ROUND_OVER, ROUND_NEXT_PROCESS, ROUND_STREAMS };

static dci_Scope scope;
static u32 only_pid;

static struct {
    enum round_state state;
    u64 cursor;
    struct sys_trace_process process;
    u32 cpu;
    u32 packets; // of this stream
    bool flush;
} round;
static u64 next_round;

// A packet of the round's stream that the subscriber had no room for yet. It waits here, not as an answer,
// for which others' questions would have to wait too.
static u8 packet[MONITOR_BYTES] __attribute__((aligned(8)));
static u32 packet_bytes; // 0: none

// Masks to be set after a subscriber has gone.
static struct {
    bool wanted;
    u64 mask;
    u64 cursor;
    u32 pid;
} mask_back;

void trace_processes_begin(dci_Scope wanted_scope, u32 pid)
{
    scope = wanted_scope;
    only_pid = pid;
    round.state = ROUND_OVER;
    next_round = 0;
    mask_back.wanted = false;
    ask_forget(&mask_back);
}

dci_Scope trace_processes_scope(void)
{
    return scope;
}

u32 trace_processes_pid(void)
{
    return only_pid;
}

// ---- rounds ------------------------------------------------------------------------------------

static void begin_round(bool flush)
{
    round.state = ROUND_NEXT_PROCESS;
    round.cursor = 0;
    round.flush = flush;
}

static void next_process(void)
{
    s64 bytes = sys_trace_process_list(&round.cursor, &round.process, sizeof(round.process));

    round.state = bytes <= 0 ? ROUND_OVER : ROUND_STREAMS;
    round.cpu = 0;
    round.packets = 0;
    if (scope == dci_Scope_SCOPE_PROCESS && round.process.pid != only_pid)
        round.process.cpu_mask = 0;
}

static void next_stream(void)
{
    round.packets = 0;
    if (++round.cpu == ORRERY_MAX_CPUS)
        round.state = ROUND_NEXT_PROCESS;
}

// The next packet of the round's stream: 1, 0 when it has none now, E_AGAIN: later.
static s64 get_packet(void)
{
    const u64 arguments[4] = {round.cpu, round.flush};
    struct answer answer;

    if (packet_bytes > 0)
        return 1;
    s64 bytes = ask(&round, round.process.pid, ASK_TRACE_READ, arguments, &answer);
    if (bytes <= 0)
        return bytes == E_AGAIN ? E_AGAIN : 0;
    packet_bytes = (u32)bytes;
    memcpy(packet, answer.bytes, packet_bytes);
    return 1;
}

// The same, into the subscriber's queue.
static s64 push_packet(struct client *subscriber)
{
    struct frame frame;

    s64 result = get_packet();
    if (result <= 0)
        return result;
    if (!client_push_begin(subscriber, &frame, dci_Event_packet_tag))
        return E_AGAIN;
    u32 mark = frame_open(&frame, dci_TracePacket_data_tag);
    frame_bytes(&frame, packet, packet_bytes);
    frame_close(&frame, mark);
    frame_varint(&frame, dci_TracePacket_cpu_tag, round.cpu);
    frame_varint(&frame, dci_TracePacket_pid_tag, round.process.pid);
    client_push_end(subscriber, &frame);
    packet_bytes = 0;
    return 1;
}

// Goes on with the round: false when it has to wait.
static bool go_round(struct client *subscriber)
{
    while (round.state != ROUND_OVER) {
        s64 result = 0;
        if (round.state == ROUND_NEXT_PROCESS) {
            next_process();
            continue;
        }
        if ((round.process.cpu_mask >> round.cpu & 1) != 0 && round.packets < STREAM_PACKETS_MAX)
            result = push_packet(subscriber);
        if (result == E_AGAIN)
            return false;
        round.packets++;
        if (result == 0)
            next_stream();
    }
    return true;
}

// ---- masks after the end -----------------------------------------------------------------------

void trace_processes_release(u64 mask)
{
    ask_forget(&round);
    packet_bytes = 0;
    round.state = ROUND_OVER;
    mask_back.wanted = scope != dci_Scope_SCOPE_KERNEL;
    if (scope == dci_Scope_SCOPE_ALL)
        sys_trace_set_process_mask(mask);
    mask_back.mask = mask;
    mask_back.cursor = 0;
    mask_back.pid = scope == dci_Scope_SCOPE_PROCESS ? only_pid : 0;
}

static bool set_masks_back(void)
{
    const u64 arguments[4] = {mask_back.mask, 0};
    struct sys_process_info info;
    struct answer answer;

    while (mask_back.wanted) {
        if (mask_back.pid == 0) {
            mask_back.wanted = scope == dci_Scope_SCOPE_ALL &&
                               sys_process_list(&mask_back.cursor, &info, sizeof(info)) > 0;
            mask_back.pid = mask_back.wanted ? info.pid : 0;
            continue;
        }
        if (ask(&mask_back, mask_back.pid, MONITOR_TRACE_MASK, arguments, &answer) == E_AGAIN)
            return false;
        mask_back.pid = 0;
    }
    return true;
}

// ---- turns -------------------------------------------------------------------------------------

u64 trace_processes_work(struct client *subscriber, u64 now, bool flush)
{
    if (subscriber == NULL)
        return set_masks_back() ? UINT64_MAX : now;
    if (scope == dci_Scope_SCOPE_KERNEL)
        return UINT64_MAX;
    if (round.state == ROUND_OVER && !flush && now < next_round)
        return next_round;
    if (round.state == ROUND_OVER)
        begin_round(flush);
    next_round = now + server_ticks(PROCESS_TRACE_INTERVAL_MS);
    return go_round(subscriber) ? next_round : now + server_ticks(1);
}

void trace_processes_end_begin(void)
{
    begin_round(true);
}

s64 trace_processes_end_step(struct client *subscriber)
{
    if (scope == dci_Scope_SCOPE_KERNEL)
        return REQUEST_DONE;
    return go_round(subscriber) ? REQUEST_DONE : REQUEST_WAITS;
}

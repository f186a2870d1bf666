// SPDX-License-Identifier: MIT
// Trace packets of processes. Live processes are asked all at once, in rounds that go on from call
// to call. The kernel has the packets of processes that have ended; they are read after the live
// ones.
#include "tracing_processes.h"

#include "round.h"
#include "scope.h"
#include "service.h"
#include "tracing.h"
#include "tracing_settings.h"

#include <orrery/inspect.h>
#include <orrery/sys.h>
#include <orrery/user.h>
#include <string.h>

static dci_Scope scope;
static u32 only_pid;

static struct {
    bool under_way;
    bool flush;
    struct round *live;               // over live processes; NULL: not begun, or over
    u64 cursor;                       // in the kernel's list of processes with packets
    struct sys_trace_process process; // of the list: the ended process that is read
    bool ended;                       // there is such a process
    u32 cpu;                          // its stream that is read
    u32 packets;                      // of this stream so far
} round;
static u64 next_round, next_flush; // time
static bool flush_wanted;          // since the last round that flushed

// Processes that have not answered in time. Each may keep a packet that it took out of its ring for
// that, so it is asked once more for all that it has.
#define LATE_MAX 8
static u32 late[LATE_MAX]; // 0: none; of more the earliest ones have to wait for a flush
static u32 late_count;     // since the beginning

static struct round *masks_back; // sets masks after a subscriber has gone; NULL: none to set

void trace_processes_begin(dci_Scope wanted_scope, u32 pid)
{
    scope = wanted_scope;
    only_pid = pid;
    round.under_way = false;
    next_round = next_flush = 0;
    flush_wanted = false;
    memset(late, 0, sizeof(late));
    round_end(masks_back);
    masks_back = NULL;
}

struct walk trace_processes_scope(void)
{
    return walk_over(scope, only_pid);
}

// ---- live processes -----------------------------------------------------------------------------

static u32 *late_place(u32 pid)
{
    for (u32 i = 0; i < LATE_MAX; i++)
        if (late[i] == pid)
            return &late[i];
    return NULL;
}

// Returns the CPUs of which the process that is listed has something for this round. Without a
// flush none is asked that would have to say no: it would be woken for it.
static u32 wanted_cpus(void)
{
    bool all = round.flush || late_place(round.process.pid) != NULL;

    return all ? round.process.cpu_mask : round.process.full_mask;
}

// Takes the next wanted process of the kernel's list. Live ones come first. Returns false at the
// end.
static bool next_listed(void)
{
    for (;;) {
        s64 bytes = sys_trace_process_list(&round.cursor, &round.process, sizeof(round.process));
        if (bytes <= 0)
            return false;
        bool wanted = scope == dci_Scope_SCOPE_ALL || round.process.pid == only_pid;
        if (wanted && (round.process.live == 0 || wanted_cpus() != 0))
            return true;
    }
}

// Visits a live process. The visit's part is a CPU, and its data the mask of CPUs that are left.
static bool next_live(struct round *live, struct visit *visit)
{
    (void)live;
    if (!next_listed())
        return false;
    round.ended = round.process.live == 0;
    visit->pid = round.process.pid;
    visit->data = wanted_cpus();
    visit->part = (u32)__builtin_ctz(wanted_cpus() | 1u << (ORRERY_MAX_CPUS - 1));
    u32 *was_late = late_place(visit->pid);
    if (was_late != NULL)
        *was_late = 0;
    return !round.ended;
}

static u32 ask_packet(const struct round *live, const struct visit *visit, u64 arguments[4],
                      u32 *room)
{
    (void)live;
    *room = INSPECT_BYTES;
    arguments[0] = visit->part;
    arguments[1] = round.flush;
    return INSPECT_TRACE_READ;
}

// The kernel has checked the packet itself.
static enum answer_flaw check_packet(struct visit *visit, u64 now)
{
    const struct question *question = visit->question;

    (void)now;
    return question->answer.status == question->count ? ANSWER_SOUND : ANSWER_SIZE;
}

// Reads a stream until its end, then the next one. What it logs from then on, also by answering, is
// left for the next round; and so is the rest after VISIT_PACKETS_MAX.
static bool advance_packet(struct visit *visit)
{
    if (visit->questions >= VISIT_PACKETS_MAX)
        return false;
    if (visit->question->count > 0 && visit->question->answer.results[1] == 0)
        return true;
    visit->data &= ~(1ul << visit->part);
    if (visit->data == 0)
        return false;
    visit->part = (u32)__builtin_ctzl(visit->data);
    return true;
}

static const struct round_kind packets_kind = {.ask = ask_packet,
                                               .check = check_packet,
                                               .advance = advance_packet,
                                               .next = next_live,
                                               .questions_max = VISIT_PACKETS_MAX,
                                               .bytes_max = VISIT_PACKETS_MAX * INSPECT_BYTES,
                                               .nothing = E_NOENT};

// Pushes a packet that lies at `bytes`, or that the kernel has (bytes NULL). Returns 1, 0 if there
// is none, or E_AGAIN if there is no room.
static s64 push_packet(u32 pid, u32 cpu, const u8 *bytes, u32 count)
{
    struct frame frame;
    u32 room;

    if (!tracing_packet_begin(&frame))
        return E_AGAIN;
    u32 mark = frame_open(&frame, dci_TracePacket_data_tag);
    if (bytes != NULL) {
        frame_bytes(&frame, bytes, count);
    } else {
        u8 *space = frame_space(&frame, &room);
        s64 result = sys_trace_read_process(pid, cpu, true, space, room);
        if (result <= 0)
            return result == E_NOMEM ? E_AGAIN : 0;
        frame_wrote(&frame, (u32)result);
    }
    frame_close(&frame, mark);
    frame_varint(&frame, dci_TracePacket_cpu_tag, cpu);
    frame_varint(&frame, dci_TracePacket_pid_tag, pid);
    tracing_packet_end(&frame);
    return 1;
}

// Goes on with live processes. Returns false if it has to wait for answers or for room.
static bool go_live(void)
{
    struct visit *visit;

    while ((visit = round_next(round.live)) != NULL) {
        const struct question *question = visit->question;
        if (visit->failure.error == E_TIMEOUT && late_place(visit->pid) == NULL)
            late[late_count++ % LATE_MAX] = visit->pid;
        if (visit->failure.error == 0 && question->count > 0 &&
            push_packet(visit->pid, visit->part, question->bytes, question->count) == E_AGAIN)
            return false;
        round_used(round.live, visit);
    }
    return round_over(round.live);
}

// ---- ended processes ----------------------------------------------------------------------------

static void next_stream(void)
{
    round.packets = 0;
    if (++round.cpu < ORRERY_MAX_CPUS)
        return;
    round.cpu = 0;
    do
        round.ended = next_listed();
    while (round.ended && round.process.live != 0);
}

static bool go_ended(void)
{
    while (round.ended) {
        s64 result = 0;
        if ((round.process.cpu_mask >> round.cpu & 1) != 0 && round.packets < VISIT_PACKETS_MAX)
            result = push_packet(round.process.pid, round.cpu, NULL, 0);
        if (result == E_AGAIN)
            return false;
        round.packets++;
        if (result == 0)
            next_stream();
    }
    return true;
}

// ---- rounds -------------------------------------------------------------------------------------

static void end_live(void)
{
    round_end(round.live);
    round.live = NULL;
}

static void begin_round(bool flush)
{
    end_live();
    round.under_way = true;
    round.flush = flush;
    round.cursor = 0;
    round.ended = false;
    round.cpu = round.packets = 0;
    round.live = round_begin(&packets_kind, dci_Scope_SCOPE_ALL, 0);
    round.under_way = round.live != NULL; // without memory it is left out
}

// Goes on with the round. Returns false if it has to wait.
static bool go_round(void)
{
    if (!round.under_way)
        return true;
    if (round.live != NULL) {
        if (!go_live())
            return false;
        end_live();
    }
    round.under_way = !go_ended();
    return !round.under_way;
}

// ---- masks after the end -----------------------------------------------------------------------

void trace_processes_release(u64 mask, dci_TraceMode mode)
{
    end_live();
    round.under_way = false;
    if (scope == dci_Scope_SCOPE_ALL)
        sys_trace_set_process_mask(mask);
    masks_back = round_begin(&trace_mask_kind, scope, only_pid);
    if (masks_back != NULL) {
        masks_back->values[0] = mask;
        masks_back->values[1] = (u64)mode;
    }
}

static bool set_masks_back(void)
{
    struct visit *visit;

    if (masks_back == NULL)
        return true;
    while ((visit = round_next(masks_back)) != NULL)
        round_used(masks_back, visit);
    if (!round_over(masks_back))
        return false;
    round_end(masks_back);
    masks_back = NULL;
    return true;
}

// ---- turns -------------------------------------------------------------------------------------

u64 trace_processes_work(u64 now, bool flush)
{
    if (tracing.shared.owner.client == NULL) {
        set_masks_back();
        return UINT64_MAX; // answers wake the loop
    }
    if (scope == dci_Scope_SCOPE_KERNEL)
        return UINT64_MAX;
    flush_wanted |= flush;
    bool due = flush_wanted && now >= next_flush;
    if (!round.under_way && !due && now < next_round)
        return next_round;
    if (!round.under_way) {
        next_flush = due ? now + server_ticks(PROCESS_FLUSH_MS) : next_flush;
        flush_wanted &= !due;
        begin_round(due);
    }
    next_round = now + server_ticks(PROCESS_TRACE_INTERVAL_MS);
    go_round();
    return next_round;
}

void trace_processes_end_begin(void)
{
    begin_round(true);
}

s64 trace_processes_end_step(void)
{
    if (scope == dci_Scope_SCOPE_KERNEL)
        return REQUEST_DONE;
    return go_round() ? REQUEST_DONE : REQUEST_WAITS;
}

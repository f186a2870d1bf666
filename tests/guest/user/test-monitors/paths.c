// SPDX-License-Identifier: MIT
// A call takes the fast path, or, with more bytes, the one through the scheduler: monitors get the
// same records of both. And the records of calls, which both sides' join.
#include "tests.h"

#include <orrery/ipc.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <trace/reasons.h>
#include <user/ipc.h>
#include <user/sensor.h>

#define ROUNDS 300
#define SLOW_BYTES 8192 // more than the fast path takes
#define RECORDS 8192
#define SLOT_ENDPOINT 3
#define SENSOR_ROUND 5

enum { SELF = 1, CHILD = 2 };

// A switch between the two, by a call or an answer.
struct change {
    u32 from, to;
    u8 reason;
    bool fast; // on the fast path
};

static struct sys_monitor_record records[RECORDS];
static struct change changes[2][RECORDS];
static cap_t monitor;
static u64 kinds; // that it records
static u8 sent[SLOW_BYTES];

static int call(u32 bytes)
{
    for (u32 i = 0; i < ROUNDS; i++) {
        struct ipc_message message = {.send = sent, .send_bytes = bytes};
        sensor(SENSOR_ROUND, i, bytes);
        CHECK_IS(ipc_call(SLOT_ENDPOINT, &message), 0);
    }
    return failures != 0;
}

int child_calls_fast(void)
{
    return call(0);
}

int child_calls_slowly(void)
{
    return call(SLOW_BYTES);
}

static s64 answer(struct ipc_request *request)
{
    (void)request;
    return 0;
}

static void follow(u32 pid, void *unused)
{
    (void)unused;
    CHECK_IS(sys_monitor_track_pid(monitor, pid, 0, CHILD, kinds), 0);
}

// What of the records are changes between the two. How many.
static u32 pick(u64 count, struct change *to)
{
    u32 found = 0;

    for (u64 i = 0; i + 1 < count; i++) {
        const struct sys_monitor_record *left = &records[i], *came = &records[i + 1];
        if (left->word[0] != SYS_MONITOR_LEAVES ||
            (left->reason != REASON_CALL && left->reason != REASON_REPLY))
            continue;
        CHECK_IS(came->word[0], SYS_MONITOR_COMES);
        CHECK_IS(came->time, left->time);
        CHECK_IS(came->reason, 0);
        CHECK_IS(came->word[1], left->word[1]);
        CHECK_IS(left->lost | came->lost, 0);
        to[found++] = (struct change){.from = left->id,
                                      .to = came->id,
                                      .reason = left->reason,
                                      .fast = left->word[1] == SYS_MONITOR_FAST_PATH};
    }
    return found;
}

// How many records there are of a child that calls.
static u64 run(const char *role, cap_t endpoint)
{
    struct process_spawn how = PROCESS_SPAWN;
    struct process_grant grant = {.slot = SLOT_ENDPOINT, .cap = endpoint};

    monitor = make(RECORDS * sizeof(records[0]));
    CHECK_IS(sys_monitor_track(monitor, 0, 0, SELF, kinds), 0);
    CHECK_IS(sys_monitor_resume(monitor), 0);
    how.made = follow;
    how.grants = &grant;
    how.grant_count = 1;
    CHECK_IS(end_of(spawn(role, &how)), 0);
    CHECK_IS(sys_monitor_suspend(monitor), 0);
    u64 count = 0;
    s64 bytes;
    do {
        bytes = sys_monitor_read(monitor, 0, (u64)&records[count], 0x4000);
        count += bytes > 0 ? (u64)bytes / sizeof(records[0]) : 0;
    } while (bytes > 0 && count + 0x4000 / sizeof(records[0]) <= RECORDS);
    CHECK_IS(stat_of(monitor, 0).lost, 0);
    CHECK_IS(sys_cap_drop(monitor), 0);
    return count;
}

// Each is one that there can be; a slice may end in a call, on one path and not on the other, so
// that some are missing.
static void check(u32 which, u32 count, u32 fast_min, u32 fast_max)
{
    u32 fast = 0;

    CHECK_IS(count >= ROUNDS && count <= 2 * ROUNDS, true);
    for (u32 i = 0; i < count; i++) {
        const struct change *at = &changes[which][i];
        CHECK_IS(at->from, at->reason == REASON_CALL ? CHILD : SELF);
        CHECK_IS(at->to, at->reason == REASON_CALL ? SELF : CHILD);
        fast += at->fast;
    }
    CHECK_IS(fast >= fast_min && fast <= fast_max, true);
}

void both_paths_of_calls_are_told_alike(void)
{
    s64 endpoint = ipc_endpoint(answer, NULL);
    kinds = SWITCHES;
    u32 fast = pick(run("fast", (cap_t)endpoint), changes[0]);
    u32 slow = pick(run("slow", (cap_t)endpoint), changes[1]);

    check(0, fast, ROUNDS, fast);
    check(1, slow, 0, ROUNDS); // answers have no bulk
    printf("test-monitors: %u switches by calls and answers on the fast path, %u on the other\n",
           (unsigned)fast, (unsigned)slow);
    ipc_endpoint_close((cap_t)endpoint);
}

// What the child tells of itself lies between the kernel's records of its turns.
static void check_told(u64 count)
{
    u32 running = CHILD;
    u64 next = 0;

    for (u64 i = 0; i < count; i++) {
        const struct sys_monitor_record *at = &records[i];
        CHECK_IS(i == 0 || at->time >= at[-1].time, true);
        if (at->kind == SYS_MONITOR_SWITCH) {
            running = at->word[0] == SYS_MONITOR_LEAVES ? 0 : at->id;
        } else {
            CHECK_IS(at->kind, SYS_MONITOR_SENSOR);
            CHECK_IS(at->id, CHILD);
            CHECK_IS(running, CHILD);
            CHECK_IS(at->word[0], next++);
        }
    }
    CHECK_IS(next, ROUNDS);
}

void what_is_told_stands_between_switches(void)
{
    s64 endpoint = ipc_endpoint(answer, NULL);

    kinds = SWITCHES | 1UL << SYS_MONITOR_SENSOR;
    check_told(run("fast", (cap_t)endpoint));
    check_told(run("slow", (cap_t)endpoint));
    ipc_endpoint_close((cap_t)endpoint);
}

// ---- calls --------------------------------------------------------------------------------------

// How many records of a side tell this of a call.
static u32 told(u64 count, u32 side, enum sys_monitor_call what, u64 call)
{
    u32 found = 0;

    for (u64 i = 0; i < count; i++)
        found += records[i].id == side && records[i].word[0] == what && records[i].word[1] == call;
    return found;
}

// Each call that was served was made, and answered, under the same id. The child calls others, too.
void calls_are_joined_by_their_ids(void)
{
    s64 endpoint = ipc_endpoint(answer, NULL);
    u32 served = 0;

    kinds = 1UL << SYS_MONITOR_CALL;
    u64 count = run("fast", (cap_t)endpoint);
    for (u64 i = 0; i < count; i++) {
        CHECK_IS(records[i].kind, SYS_MONITOR_CALL);
        CHECK_IS(records[i].reason, 0);
        if (records[i].id != SELF || records[i].word[0] != SYS_MONITOR_CALL_SERVED)
            continue;
        served++;
        CHECK_IS(told(count, CHILD, SYS_MONITOR_CALL_MADE, records[i].word[1]), 1);
        CHECK_IS(told(count, SELF, SYS_MONITOR_CALL_SERVED, records[i].word[1]), 1);
        CHECK_IS(told(count, SELF, SYS_MONITOR_CALL_ANSWERED, records[i].word[1]), 1);
    }
    CHECK_IS(served, ROUNDS);
    ipc_endpoint_close((cap_t)endpoint);
}

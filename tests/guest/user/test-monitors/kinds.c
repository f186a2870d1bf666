// SPDX-License-Identifier: MIT
// Kinds of records beside hand counts: page faults at known places, system calls while the trace
// logs them too, answers that wake; and processes that are killed while all of these fire.
#include "tests.h"

#include <orrery/ipc.h>
#include <orrery/memory.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <syscalls/numbers.h>
#include <trace/events.h>
#include <trace/layout.h>
#include <trace/reasons.h>
#include <user/ipc.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <waiting.h>

#define RING 0x20000
#define PAGE 4096
#define SLOT_ENDPOINT 3

static cap_t watch_oneself(u64 kinds)
{
    cap_t monitor = make(RING);

    CHECK_IS(sys_monitor_track(monitor, 0, 0, 9, kinds), 0);
    return monitor;
}

// ---- page faults --------------------------------------------------------------------------------

#define PAGES 64

static u64 first_page;
static u32 faults[PAGES], accesses[PAGES];

static void see_fault(const struct sys_monitor_record *record)
{
    u64 page = (record->word[0] - first_page) / PAGE;

    CHECK_IS(record->kind, SYS_MONITOR_FAULT);
    if (record->word[0] < first_page || page >= PAGES)
        return;
    CHECK_IS(record->word[0] - first_page, page * PAGE + 8 * page);
    faults[page]++;
    accesses[page] = (u32)record->word[1];
}

// Loads, stores, and the kernel's stores for a system call, in turns; each page twice.
static void touch(u32 page)
{
    u64 address = first_page + page * PAGE + 8 * page;

    if (page % 3 == 0)
        (void)*(volatile u64 *)address;
    else if (page % 3 == 1)
        *(volatile u64 *)address = 1;
    else
        sys_info((struct sys_info *)address);
}

static void each_fault_is_there_once(void)
{
    cap_t monitor = watch_oneself(FAULTS);

    first_page = (u64)user_pages(0, PAGES * PAGE);
    CHECK_IS(sys_monitor_resume(monitor), 0);
    for (u32 i = 0; i < 2 * PAGES; i++)
        touch(i % PAGES);
    CHECK_IS(sys_monitor_suspend(monitor), 0);
    check_sums(monitor, read_all(monitor, see_fault));
    for (u32 page = 0; page < PAGES; page++) {
        CHECK_IS(faults[page], 1);
        CHECK_IS(accesses[page], page % 3 == 0 ? PROT_R : PROT_W);
    }
    user_pages_free((void *)first_page, PAGES * PAGE);
    sys_cap_drop(monitor);
}

// ---- system calls -------------------------------------------------------------------------------

#define CALLS 100

static u64 good, bad, traced;

static void see_call(const struct sys_monitor_record *record)
{
    CHECK_IS(record->kind, SYS_MONITOR_SYSCALL);
    if (record->word[0] != SYS_PROCESS_PID)
        return;
    good += record->word[1] == 1;
    bad += (s64)record->word[1] == E_NOENT;
}

static void call_some(void)
{
    for (u32 i = 0; i < CALLS; i++) {
        CHECK_IS(sys_process_pid(0), 1);
        CHECK_IS(sys_process_pid(4000), E_NOENT);
    }
}

static void count_traced(u32 cpu)
{
    static u8 data[0x10000] __attribute__((aligned(8)));
    const struct trace_packet *packet = (const struct trace_packet *)data;

    while (sys_trace_read(cpu, true, data, sizeof(data)) > 0) {
        u64 words = (packet->content_bits / 8 - sizeof(*packet)) / 8;
        for (u64 at = 0; at < words; at += trace_event_length(packet->events[at])) {
            const u64 *event = &packet->events[at];
            u32 id = trace_event_id(event[0]);
            traced += id == (TRACE_MAJOR_SYSCALL << 16 | TRACE_SYSCALL_SYSCALL_EXIT) &&
                      event[1] == SYS_PROCESS_PID;
        }
    }
}

static void trace_calls(bool on)
{
    CHECK_IS(sys_trace_set_mask(on ? 1UL << TRACE_MAJOR_SYSCALL : 0), 0);
}

static void check_calls(cap_t monitor, u64 monitored_rounds, u64 traced_rounds)
{
    static u64 read;

    good = bad = traced = 0;
    read += read_all(monitor, see_call);
    check_sums(monitor, read);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        count_traced(cpu);
    CHECK_IS(good, monitored_rounds * CALLS);
    CHECK_IS(bad, monitored_rounds * CALLS);
    CHECK_IS(traced, 2 * traced_rounds * CALLS);
}

// The two share what stands in place of the calls' functions.
static void calls_are_counted_with_and_without_a_trace(void)
{
    cap_t monitor = watch_oneself(SYSCALLS);

    trace_calls(false);
    CHECK_IS(sys_trace_set_mode(SYS_TRACE_DISCARD), 0);
    call_some();
    CHECK_IS(sys_monitor_resume(monitor), 0);
    call_some();
    trace_calls(true);
    call_some();
    trace_calls(false);
    call_some();
    CHECK_IS(sys_monitor_suspend(monitor), 0);
    check_calls(monitor, 3, 1);
    trace_calls(true);
    call_some();
    CHECK_IS(sys_monitor_resume(monitor), 0);
    call_some();
    CHECK_IS(sys_monitor_suspend(monitor), 0);
    call_some();
    trace_calls(false);
    call_some();
    check_calls(monitor, 1, 3);
    sys_cap_drop(monitor);
}

// ---- wake-ups -----------------------------------------------------------------------------------

#define ANSWERS 200

static volatile u64 call_to_answer; // 0: none waits
static bool asleep;
static u64 answered, wake_records;

int child_asks(void)
{
    for (u32 i = 0; i < ANSWERS; i++) {
        struct ipc_message message = {0};
        CHECK_IS(ipc_call(SLOT_ENDPOINT, &message), 0);
    }
    return failures != 0;
}

static s64 answer_later(struct ipc_request *request)
{
    call_to_answer = request->call;
    return IPC_LATER;
}

static void see_wake(const struct sys_monitor_record *record)
{
    if (record->kind == SYS_MONITOR_SWITCH) {
        asleep = record->word[0] == SYS_MONITOR_LEAVES && record->reason != REASON_PREEMPTED &&
                 record->reason != REASON_YIELD && record->reason != REASON_PAGE;
        return;
    }
    CHECK_IS(record->kind, SYS_MONITOR_WAKE);
    answered += record->reason == REASON_ANSWER;
    CHECK_IS(record->word[1], 0);
    CHECK_IS(asleep || record->reason == REASON_START, 1);
}

static bool waits_for_answer(cap_t monitor)
{
    wake_records += read_all(monitor, see_wake);
    return call_to_answer != 0 && asleep;
}

static void track_child(u32 pid, void *monitor)
{
    CHECK_IS(sys_monitor_track_pid(*(cap_t *)monitor, pid, 0, 9, SWITCHES | WAKES), 0);
}

static void each_answer_wakes_once(void)
{
    struct process_spawn how = PROCESS_SPAWN;
    s64 endpoint = ipc_endpoint(answer_later, NULL);
    struct process_grant grant = {.slot = SLOT_ENDPOINT, .cap = (cap_t)endpoint};
    cap_t monitor = make(RING);

    CHECK_IS(sys_monitor_resume(monitor), 0);
    how.made = track_child;
    how.made_context = &monitor;
    how.grants = &grant;
    how.grant_count = 1;
    s64 pid = spawn("asker", &how);
    for (u32 i = 0; i < ANSWERS; i++) {
        CHECK_IS(WAIT_FOR(waits_for_answer(monitor)), 1);
        CHECK_IS(answered, i);
        u64 call = call_to_answer;
        call_to_answer = 0;
        CHECK_IS(ipc_answer(call, 0, NULL), 0);
    }
    CHECK_IS(end_of(pid), 0);
    CHECK_IS(sys_monitor_suspend(monitor), 0);
    wake_records += read_all(monitor, see_wake);
    check_sums(monitor, wake_records);
    CHECK_IS(answered, ANSWERS);
    ipc_endpoint_close((cap_t)endpoint);
    sys_cap_drop(monitor);
}

// ---- answers from another CPU -------------------------------------------------------------------

static u64 calls_told[SYS_MONITOR_CALL_ANSWERED + 1];

static void see_side(const struct sys_monitor_record *record)
{
    CHECK_IS(record->kind, SYS_MONITOR_CALL);
    CHECK_IS(record->word[0] <= SYS_MONITOR_CALL_ANSWERED, 1);
    calls_told[record->word[0] % ARRAY_SIZE(calls_told)]++;
}

// The last CPU asks and takes; the answers come from this one.
static void each_answer_is_told_where_it_is_given(void)
{
    struct process_spawn how = PROCESS_SPAWN;
    s64 endpoint = ipc_endpoint(answer_later, NULL);
    struct process_grant grant = {.slot = SLOT_ENDPOINT, .cap = (cap_t)endpoint};
    cap_t monitor = watch_oneself(1UL << SYS_MONITOR_CALL);

    CHECK_IS(sys_monitor_resume(monitor), 0);
    how.cpu = user_cpu_count() - 1;
    how.grants = &grant;
    how.grant_count = 1;
    s64 pid = spawn("asker", &how);
    for (u32 i = 0; i < ANSWERS; i++) {
        CHECK_IS(WAIT_FOR(call_to_answer != 0), 1);
        u64 call = call_to_answer;
        call_to_answer = 0;
        CHECK_IS(ipc_answer(call, 0, NULL), 0);
    }
    CHECK_IS(end_of(pid), 0);
    CHECK_IS(sys_monitor_suspend(monitor), 0);
    check_sums(monitor, read_all(monitor, see_side));
    CHECK_IS(calls_told[SYS_MONITOR_CALL_SERVED], ANSWERS);
    CHECK_IS(calls_told[SYS_MONITOR_CALL_ANSWERED], ANSWERS);
    ipc_endpoint_close((cap_t)endpoint);
    sys_cap_drop(monitor);
}

// ---- killed -------------------------------------------------------------------------------------

#define ROUNDS 20
#define WATCHERS 3

static u64 seen; // kinds

static s64 never_rests(void *unused)
{
    (void)unused;
    for (;;) {
        void *pages = user_pages(0, 8 * PAGE);
        for (u32 i = 0; i < 8; i++)
            *((volatile u8 *)pages + i * PAGE) = 1;
        user_pages_free(pages, 8 * PAGE);
        thread_sleep_us(20);
    }
    return 0;
}

int child_is_busy(void)
{
    for (u32 cpu = 1; cpu < user_cpu_count(); cpu++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        struct thread *thread;
        attributes.cpu = cpu;
        CHECK_IS(thread_create(&thread, &attributes, never_rests, NULL), 0);
    }
    return (int)never_rests(NULL);
}

static void see_kind(const struct sys_monitor_record *record)
{
    CHECK_IS(record->id, 9);
    seen |= 1UL << record->kind;
}

// With rings of 128 records, which lose some, and with larger ones.
static void sums_are_exact_whoever_dies(void)
{
    for (u32 round = 0; round < ROUNDS; round++) {
        struct process_spawn how = PROCESS_SPAWN;
        cap_t monitors[WATCHERS];
        s64 pid = spawn("busy", &how);
        for (u32 i = 0; i < WATCHERS; i++) {
            monitors[i] = make(i == 0 ? SYS_MONITOR_BYTES_MIN : RING);
            CHECK_IS(sys_monitor_track_pid(monitors[i], (u32)pid, 0, 9, ALL_KINDS), 0);
            CHECK_IS(sys_monitor_resume(monitors[i]), 0);
        }
        thread_sleep_us(500 + 700 * round);
        CHECK_IS(sys_process_kill((u32)pid, 9), 0);
        if (round % 2 == 0)
            CHECK_IS(end_of(pid), 9);
        for (u32 i = 0; i < WATCHERS; i++) {
            CHECK_IS(sys_monitor_suspend(monitors[i]), 0);
            check_sums(monitors[i], read_all(monitors[i], see_kind));
            CHECK_IS(sys_cap_drop(monitors[i]), 0);
        }
        if (round % 2 != 0)
            CHECK_IS(end_of(pid), 9);
    }
    CHECK_IS(seen & ALL_KINDS, ALL_KINDS & ~(1u << SYS_MONITOR_BLOCK));
}

void kinds_are_counted(void)
{
    each_fault_is_there_once();
    calls_are_counted_with_and_without_a_trace();
    each_answer_wakes_once();
    each_answer_is_told_where_it_is_given();
    sums_are_exact_whoever_dies();
    printf("test-monitors: %d faults, %d system calls and %d wake-ups are those that were made\n",
           PAGES, 8 * CALLS, ANSWERS);
}

// SPDX-License-Identifier: MIT
// Children that are told of overflows because this process has them told: without rights, without a
// handler, with handlers that misbehave.
#include "tests.h"

#include <children.h>
#include <expect.h>
#include <stdio.h>
#include <string.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <waiting.h>

#define PERIOD 20011
#define SYSTEM_CALL 0x44000002u // sc
#define ENOUGH 50
#define HANDLER_STATUS 7
#define VECTOR_DATA 0x300
#define SPOILT (1ul << 63) // a count that the kernel does not reach

// ---- in a child ---------------------------------------------------------------------------------

static u64 hits;          // that the handler has seen
static u64 at_calls;      // of them, those hidden behind a system call
static u64 wrong;         // those that tell of the kernel
static u64 volatile *bad; // NULL

static void count(const struct overflow_record *record)
{
    (void)record;
    __atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
}

static void look(const struct overflow_record *record)
{
    bool kernel = (record->flags & SYS_SAMPLE_KERNEL) != 0;
    bool hidden = (record->flags & SYS_OVERFLOW_HIDDEN) != 0;

    wrong += kernel != hidden || record->pc >= USER_END || record->pc < USER_START ||
             record->caller >= USER_END || (hidden && (record->coid != 0 || record->caller != 0));
    if (hidden && wrong == 0)
        at_calls += *(const u32 *)record->pc == SYSTEM_CALL;
    hits++;
}

static void stay(const struct overflow_record *record)
{
    (void)record;
    for (;;)
        ;
}

static void leave(const struct overflow_record *record)
{
    (void)record;
    sys_exit(HANDLER_STATUS);
}

static void fault(const struct overflow_record *record)
{
    (void)record;
    *bad = 1;
}

// Spoils all that the kernel writes for overflows.
static void spoil(const struct overflow_record *record)
{
    struct dispatcher_page *page = user_page(user_cpu());

    (void)record;
    memset(&page->overflow, 0xff, sizeof(page->overflow));
    page->overflows_reported = page->overflows_lost = SPOILT;
    hits++;
}

// Claims events that are not there: the library looks for them for ever.
static void claim(const struct overflow_record *record)
{
    (void)record;
    user_page(user_cpu())->pending = 1;
}

// Goes on with its handler until it has been told often enough.
static int told(profile_handler handler)
{
    if (profile_on_overflow(handler) != 0)
        return 1;
    while (__atomic_load_n(&hits, __ATOMIC_RELAXED) < ENOUGH)
        work(1000);
    return wrong != 0;
}

static int see_no_kernel(void)
{
    if (profile_on_overflow(look) != 0)
        return 1;
    while (__atomic_load_n(&at_calls, __ATOMIC_RELAXED) < ENOUGH && wrong == 0)
        call_kernel(1000);
    return wrong != 0;
}

// A program that knows nothing of overflows: told without a handler.
static int without_handler(void)
{
    while (profile_count().told < ENOUGH)
        work(1000);
    return 0;
}

static int after_spoiling(void)
{
    int status = told(spoil);
    u64 lost = user_page(user_cpu())->overflows_lost;

    return status != 0 || lost > SPOILT; // went on from what was spoilt
}

static int unprivileged(void)
{
    u32 own = (u32)user_page(user_cpu())->pid;

    for (s64 session = 0; session < 100; session++) {
        if (sys_overflow_notify(session, 0, true) != E_PERM ||
            sys_overflow_notify(session, own, false) != E_PERM ||
            sys_overflow_notify(session, 1, true) != E_PERM ||
            sys_overflow_notify(session, UINT32_MAX, true) != E_PERM)
            return 1;
    }
    return 0;
}

static __attribute__((noreturn)) void burn(void)
{
    for (;;) {
        work(1000);
        call_kernel(10);
    }
}

// Ends with a session that runs and tells it.
static int owner(void)
{
    s64 session = session_start(PERIOD, SYS_PMU_USER);

    return session <= 0 || notify(session, 0, true) != 0 || told(count);
}

int child_role(const char *role)
{
    if (strcmp(role, "pass") == 0)
        return 0;
    if (strcmp(role, "burn") == 0)
        burn();
    if (strcmp(role, "unprivileged") == 0)
        return unprivileged();
    if (strcmp(role, "hidden") == 0)
        return see_no_kernel();
    if (strcmp(role, "plain") == 0)
        return without_handler();
    if (strcmp(role, "spoil") == 0)
        return after_spoiling();
    if (strcmp(role, "owner") == 0)
        return owner();
    return told(strcmp(role, "stay") == 0    ? stay
                : strcmp(role, "leave") == 0 ? leave
                : strcmp(role, "fault") == 0 ? fault
                : strcmp(role, "claim") == 0 ? claim
                                             : count);
}

// ---- in the master ------------------------------------------------------------------------------

// Has a child told from its first instruction on, until it ends. Returns its status.
static s32 told_child(const char *role, u32 rights, u32 filter)
{
    s64 session = session_start(PERIOD, filter);
    u32 pid = child(role, rights);

    s64 error = notify(session, pid, true);
    EXPECT(error == 0 || error == E_NOENT);
    s32 status = child_end(pid);
    EXPECT(sys_sampling_stop(session) == 0);
    return status;
}

// It is hit for ever, and nobody else suffers.
static void child_that_stays(const char *role)
{
    s64 session = session_start(PERIOD, SYS_PMU_USER);
    u32 pid = child(role, 0);

    EXPECT(notify(session, pid, true) == 0);
    work(3000000);
    child_kill(pid);
    EXPECT(sys_sampling_stop(session) == 0);
}

void children(void)
{
    EXPECT(told_child("count", 0, SYS_PMU_USER) == 0);
    EXPECT(told_child("count", 0, BOTH) == 0);
    EXPECT(told_child("plain", 0, SYS_PMU_USER) == 0);
    EXPECT(told_child("hidden", 0, BOTH) == 0);
    EXPECT(told_child("hidden", RIGHT_ALL & ~RIGHT_MONITOR, SYS_PMU_KERNEL) == 0);
    EXPECT(told_child("spoil", 0, BOTH) == 0);
    EXPECT(told_child("leave", 0, SYS_PMU_USER) == HANDLER_STATUS);
    EXPECT(told_child("fault", 0, SYS_PMU_USER) == STATUS_KILLED(VECTOR_DATA));
    child_that_stays("stay");
    child_that_stays("claim");
    EXPECT(child_end(child("owner", PROCESS_SAME_RIGHTS)) == 0);
    EXPECT(sys_sampling_stop(session_start(PERIOD, SYS_PMU_USER)) == 0); // its session has ended
    printf("test-overflow: children done\n");
}

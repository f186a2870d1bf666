// SPDX-License-Identifier: MIT
// Who may have whom told, and what is no session and no process.
#include "tests.h"

#include <children.h>
#include <expect.h>
#include <orrery/ipc.h>
#include <stdio.h>
#include <user/process.h>
#include <waiting.h>

#define PERIOD 1000000
#define NOBODY 999999

static void numbers(void)
{
    s64 session = session_start(PERIOD, SYS_PMU_USER);

    EXPECT(notify(0, 0, true) == E_STALE);
    EXPECT(notify(-1, 0, true) == E_STALE);
    EXPECT(notify(session + 1, 0, true) == E_STALE);
    EXPECT(notify(INT64_MAX, 0, false) == E_STALE);
    EXPECT(notify(session, NOBODY, true) == E_NOENT);
    EXPECT(notify(session, UINT32_MAX, true) == E_NOENT);
    EXPECT(notify(session, 0, false) == 0); // never on
    EXPECT(notify(session, 0, true) == 0);
    EXPECT(notify(session, 0, true) == 0);
    EXPECT(notify(session, 0, false) == 0);
    EXPECT(notify(session, 0, false) == 0);
    u32 ended = child("pass", 0);
    EXPECT(child_end(ended) == 0);
    EXPECT(notify(session, ended, true) == E_NOENT);
    EXPECT(sys_sampling_stop(session) == 0);
    EXPECT(notify(session, 0, true) == E_STALE);
    EXPECT(notify(session, 0, false) == E_STALE);
}

// No bytes may be anywhere, others must be the process's.
static void messages(void)
{
    const struct sys_sampling none = {0};
    char message[8] = "before";

    EXPECT(sys_sampling_start(&none, NULL, 0) == E_INVAL);
    EXPECT(sys_sampling_start(&none, NULL, sizeof(message)) == E_FAULT);
    EXPECT(sys_sampling_start(&none, message, 0) == E_INVAL && message[0] == 'b');
    EXPECT(sys_sampling_start(&none, message, sizeof(message)) == E_INVAL && message[0] != 'b');
}

static void precise_sessions(void)
{
    s64 session = E_BUSY;

    EXPECT(WAIT_FOR((session = session_try(PERIOD, SYS_PMU_USER, SYS_SAMPLING_PRECISE)) != E_BUSY));
    EXPECT(session > 0);
    EXPECT(notify(session, 0, true) == E_NOTSUP);
    EXPECT(sys_sampling_stop(session) == 0);
}

static void without_the_right(void)
{
    s64 session = session_start(PERIOD, SYS_PMU_USER);

    EXPECT(child_end(child("unprivileged", 0)) == 0);
    EXPECT(child_end(child("unprivileged", RIGHT_ALL & ~RIGHT_MONITOR)) == 0);
    EXPECT(sys_sampling_stop(session) == 0);
}

// New processes, which never start: their end takes them out of the list.
static void many_processes(void)
{
    static const struct sys_process_new new = {.name = "told", .priority = PROCESS_NORMAL};
    cap_t caps[SYS_OVERFLOW_PROCESSES + 1];
    u32 pids[SYS_OVERFLOW_PROCESSES + 1];
    s64 session = session_start(PERIOD, SYS_PMU_USER);

    for (u32 i = 0; i <= SYS_OVERFLOW_PROCESSES; i++) {
        caps[i] = (cap_t)sys_process_create(&new);
        pids[i] = (u32)sys_process_pid(caps[i]);
        EXPECT(notify(session, pids[i], true) == (i < SYS_OVERFLOW_PROCESSES ? 0 : E_LIMIT));
    }
    EXPECT(notify(session, 0, true) == E_LIMIT);
    EXPECT(notify(session, pids[7], false) == 0);
    EXPECT(notify(session, 0, true) == 0);
    EXPECT(notify(session, pids[7], true) == E_LIMIT);
    for (u32 i = 0; i <= SYS_OVERFLOW_PROCESSES; i++) {
        EXPECT(sys_process_kill(pids[i], 0) == 0);
        sys_cap_drop(caps[i]);
        EXPECT(WAIT_FOR(notify(session, pids[i], false) == E_NOENT));
    }
    u32 other = child("burn", 0);
    EXPECT(notify(session, other, true) == 0);
    child_kill(other);
    EXPECT(sys_sampling_stop(session) == 0);
}

void refusals(void)
{
    numbers();
    messages();
    if (has_model())
        precise_sessions();
    without_the_right();
    many_processes();
    printf("test-overflow: refusals done\n");
}

// SPDX-License-Identifier: MIT
// Owners that give what is no area, and a program that stores anything into its own.
#include "tests.h"

#include <expect.h>
#include <orrery/errors.h>
#include <orrery/inspect.h>
#include <stdio.h>
#include <string.h>
#include <user/log.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <waiting.h>

#define READINGS 300u
#define GUARD 0x5aa5c33cu
#define MUTE_MAX 4 // that a program asks on a CPU without an answer

static void wrong_areas(u32 pid)
{
    static const s64 states[GIFT_NOTHING] = {
        [GIFT_SHORT] = E_PROTO,    [GIFT_LONG] = E_PROTO,    [GIFT_FILE] = E_PROTO,
        [GIFT_INITRD] = E_PROTO,   [GIFT_EMPTY] = E_PROTO,   [GIFT_DOMAIN] = E_PROTO,
        [GIFT_ENDPOINT] = E_PROTO, [GIFT_SEALED] = E_PROTO,  [GIFT_READABLE] = E_PROTO,
        [GIFT_REFUSAL] = E_LIMIT,  [GIFT_AGAIN] = E_PROTO,   [GIFT_STALE] = E_STALE,
        [GIFT_STRANGE] = -12345,   [GIFT_POSITIVE] = E_PROTO};

    for (u32 gift = GIFT_SHORT; gift < GIFT_NOTHING; gift++) {
        owner_gift = (enum gift)gift;
        EXPECT(attach(pid, 0) == states[gift]);
        EXPECT(state_of(pid, 0) == states[gift]); // and nothing has become of it
        owner_gift = GIFT_AREA;
        EXPECT(attach(pid, 0) == 0); // a good one is taken all the same
        owner_lets_go();
        EXPECT(WAIT_FOR(state_of(pid, 0) == E_NOENT));
    }
    owner_gift = GIFT_AREA;
}

static void without_owner(u32 pid)
{
    owner_serves(false);
    EXPECT(attach(pid, 0) == E_NOENT);
    owner_serves(true);
}

static void a_program_scribbles(u32 cpu)
{
    static u32 rows[ROWS_MAX * 8 + 1];
    struct log_reader reader;
    u64 given = 0;
    u32 pid = child_start("scribble", cpu), passes = 0;

    rows[ROWS_MAX * 8] = GUARD;
    wait_told();
    EXPECT(attach(pid, cpu) == 0);
    EXPECT(log_reader_begin_program(&reader, owner_area, PLACE, BASE, CONTROL, 0) == 0);
    go_on();
    for (u32 i = 0; i < READINGS; i++) {
        s64 got = log_read(&reader, rows);
        EXPECT(got >= 0 && got <= ROWS_MAX - 2 && reader.passes <= 2);
        given += (u64)got;
        passes += reader.passes;
        if (i % 4 == 0)
            thread_sleep_us(200); // on one CPU it scribbles then
    }
    EXPECT(rows[ROWS_MAX * 8] == GUARD);
    wait_told(); // it has harmed not even itself
    EXPECT(told.first > 0 && state_of(pid, cpu) == 0);
    go_on();
    child_kill(pid);
    owner_lets_go();
    printf("test-own-logs: %lu rows, %u passes of a program that scribbles\n", given, passes);
}

static s64 ask_for_log(u32 pid)
{
    return ask(pid, INSPECT_LOG, 0, 1);
}

static void log_ends(u32 pid)
{
    owner_lets_go();
    EXPECT(WAIT_FOR(state_of(pid, 0) == E_NOENT));
}

// So many who got no answer get one now. All areas but those that are in use are gone then.
static void speaks(u32 count, u32 areas)
{
    u32 given = owner_attached();

    owner_speaks(count);
    EXPECT(WAIT_FOR(owner_attached() == given + count));
    EXPECT(WAIT_FOR(live_objects("FCMComputation") <= areas));
}

// The program does not wait for an owner that never answers: it can be asked all the time, and a
// later attempt is made all the same.
static void mute_owner(u32 pid)
{
    u32 before = owner_mute();

    owner_gift = GIFT_NOTHING;
    EXPECT(ask_for_log(pid) == 0);
    EXPECT(WAIT_FOR(owner_mute() == before + 1));
    EXPECT(state_of(pid, 0) == E_AGAIN);
    owner_gift = GIFT_AREA; // as of another owner that has come
    EXPECT(WAIT_FOR(ask_for_log(pid) == 0));
    EXPECT(WAIT_FOR(state_of(pid, 0) == 0));
    speaks(1, live_objects("FCMComputation"));
    EXPECT(state_of(pid, 0) == 0 && ask_for_log(pid) == E_EXIST); // the log has lost nothing
    log_ends(pid);
}

// It asks no more than some times in vain, and goes on when it gets answers at last.
static void mute_for_ever(u32 pid)
{
    u32 before = owner_mute();
    s64 error;

    owner_gift = GIFT_NOTHING;
    EXPECT(WAIT_FOR((error = ask_for_log(pid)) != 0 && error != E_BUSY));
    EXPECT(error == E_LIMIT);
    EXPECT(WAIT_FOR(owner_mute() == before + MUTE_MAX));
    EXPECT(state_of(pid, 0) == E_AGAIN);
    owner_gift = GIFT_AREA;
    speaks(MUTE_MAX, live_objects("FCMComputation") + 1); // stacks of those who wait are there
    EXPECT(WAIT_FOR(state_of(pid, 0) == 0));              // whose answer came first
    log_ends(pid);
    EXPECT(attach(pid, 0) == 0);
    log_ends(pid);
}

void liars(void)
{
    u32 pid = sleeper_start();

    without_owner(pid);
    wrong_areas(pid);
    mute_owner(pid);
    mute_for_ever(pid);
    EXPECT(attach(pid, 0) == 0); // a good one is taken all the same
    owner_lets_go();
    child_kill(pid);
    a_program_scribbles(user_cpu_count() - 1);
}

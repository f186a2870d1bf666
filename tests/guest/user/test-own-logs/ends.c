// SPDX-License-Identifier: MIT
// Owners and programs that come to their end meanwhile.
#include "tests.h"

#include <expect.h>
#include <orrery/errors.h>
#include <orrery/memory.h>
#include <user/scheduler.h>
#include <waiting.h>

#define KILLED 10u

// The program lets go of a dead owner's area, and the next owner gets its turn.
static void an_owner_dies(u32 pid)
{
    u32 owner = child_start("own", 0), given = owner_attached();

    wait_told();
    go_on();
    EXPECT(attach(pid, 0) == 0);
    EXPECT(owner_attached() == given); // by the other one
    child_kill(owner);
    EXPECT(WAIT_FOR(state_of(pid, 0) == E_NOENT));
    EXPECT(attach(pid, 0) == E_PEER); // there is its name still
    owner_serves(true);
    EXPECT(attach(pid, 0) == 0);
    EXPECT(owner_attached() == given + 1);
    owner_lets_go();
    EXPECT(WAIT_FOR(state_of(pid, 0) == E_NOENT));
}

static void kill_one(u32 cpu)
{
    u32 pid = child_start("scribble", cpu);

    wait_told();
    EXPECT(attach(pid, cpu) == 0);
    go_on();
    wait_told();
    go_on();
    child_kill(pid);
    owner_lets_go();
    sys_region_destroy((u64)owner_area);
}

// Nothing of them is left, and the owner's side of their areas stays until the owner lets it go.
static void programs_die(void)
{
    kill_one(0);
    u32 before = live_objects("FCMComputation");
    for (u32 i = 0; i < KILLED; i++)
        kill_one(i % user_cpu_count());
    EXPECT(WAIT_FOR(live_objects("FCMComputation") <= before));
}

void ends(void)
{
    u32 pid = sleeper_start();

    an_owner_dies(pid);
    child_kill(pid);
    programs_die();
}

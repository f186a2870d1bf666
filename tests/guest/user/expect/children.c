// SPDX-License-Identifier: MIT
// Ends of children.
#include <children.h>
#include <expect.h>
#include <user/process.h>
#include <waiting.h>

s32 child_end(u32 pid)
{
    s32 status = -1;

    EXPECT(pid != 0 && process_wait(pid, &status, patience()) == pid);
    return status;
}

void child_kill(u32 pid)
{
    if (pid != 0)
        sys_process_kill(pid, STATUS_KILLED(0));
    EXPECT(child_end(pid) == STATUS_KILLED(0)); // and not by itself
}

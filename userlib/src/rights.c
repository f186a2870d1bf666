// SPDX-License-Identifier: MIT
// What a server asks about its callers.
#include <user/process.h>

bool process_has_right(u32 pid, u32 rights)
{
    s64 own = sys_process_rights(pid);
    return own > 0 && ((u32)own & rights) != 0;
}

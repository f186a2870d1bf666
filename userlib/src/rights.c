// SPDX-License-Identifier: MIT
// What a server asks about its callers.
#include <user/process.h>

bool process_has_right(u32 pid, u32 rights)
{
    struct sys_process_info info;
    return sys_process_info(pid, &info) == 0 && (info.rights & rights) != 0;
}

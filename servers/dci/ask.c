// SPDX-License-Identifier: MIT
// One question to a process, and its answer.
#include "ask.h"

#include <orrery/monitor.h>
#include <orrery/sys.h>
#include <orrery/user.h>

s64 ask_and_wait(u32 pid, u32 operation, const u64 arguments[4], void *buffer,
                 struct answer *answer)
{
    struct sys_monitor_request request = {.pid = pid, .operation = operation};
    s64 result;

    for (u32 i = 0; i < ARRAY_SIZE(request.arguments); i++)
        request.arguments[i] = arguments[i];
    if (operation == ASK_TRACE_READ)
        result = sys_trace_read_process(pid, (u32)arguments[0], arguments[1] != 0, buffer,
                                        MONITOR_BYTES);
    else
        result = sys_process_monitor(&request, buffer, MONITOR_BYTES);
    *answer = (struct answer){{request.results[0], request.results[1]}, buffer};
    return result;
}

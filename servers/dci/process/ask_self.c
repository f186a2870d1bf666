// SPDX-License-Identifier: MIT
// Questions that the server would put to its own process.
#include "ask_self.h"

#include <co/manager.h>
#include <orrery/errors.h>
#include <orrery/monitor.h>
#include <orrery/sys.h>
#include <orrery/user.h>
#include <user/blocked_threads.h>
#include <user/thread.h>
#include <user/trace.h>

static s64 trace_stat(u64 cpu, struct sys_trace_stat *stat)
{
    s64 error = user_trace_stat((u32)cpu, stat);
    return error == 0 ? (s64)sizeof(*stat) : error;
}

static s64 trace_mask(u64 mask, u64 mode)
{
    s64 error = mode != 0 ? user_trace_set_mode((enum sys_trace_mode)mode) : 0;
    return error == 0 ? user_trace_set_mask(mask) : error;
}

static s64 class_of(u64 index, struct sys_class *class_info)
{
    s64 error = co_manager_class((u32)index, class_info);
    return error == 0 ? (s64)sizeof(*class_info) : error;
}

s64 ask_self(u32 operation, const u64 arguments[4], void *buffer, struct answer *answer)
{
    u64 cursor = arguments[0];
    u64 room = arguments[1] < MONITOR_BYTES ? arguments[1] : MONITOR_BYTES;
    s64 result;

    switch (operation) {
    case MONITOR_SCAN:
        result = co_manager_scan(&cursor, buffer, room);
        break;
    case MONITOR_CLASS:
        result = class_of(arguments[0], buffer);
        break;
    case MONITOR_DREF_ENABLE:
        result = co_manager_dref_enable(arguments[0] != 0);
        break;
    case MONITOR_DREF_READ:
        result = co_manager_dref_read(&cursor, buffer, room);
        break;
    case MONITOR_TRACE_MASK:
        result = trace_mask(arguments[0], arguments[1]);
        break;
    case MONITOR_TRACE_STAT:
        result = trace_stat(arguments[0], buffer);
        break;
    case MONITOR_MOVE:
        result = thread_move_all((u32)arguments[0]);
        break;
    case MONITOR_BLOCKED_LIST:
        result = blocked_threads_list(&cursor, buffer, room);
        break;
    case MONITOR_BLOCKED_LOG:
        result = blocked_threads_log(arguments[0], arguments[1]);
        break;
    case MONITOR_BLOCKED_READ:
        result = blocked_threads_read(&cursor, buffer, room);
        break;
    case ASK_TRACE_READ:
        result = user_trace_read((u32)arguments[0], arguments[1] != 0, buffer, MONITOR_BYTES);
        break;
    default:
        result = E_NOTSUP;
    }
    *answer = (struct answer){{cursor, 0}, buffer};
    return result;
}

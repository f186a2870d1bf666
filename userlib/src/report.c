// SPDX-License-Identifier: MIT
// Why threads of the library leave their CPU, for monitors.
#include "report.h"

#include "scheduler.h"

#include <trace/reasons.h>

u32 report_reason(u32 wakes)
{
    switch (wakes) {
    case 0:
        return REASON_TIME;
    case WAKE_LIBRARY:
        return REASON_LOCK;
    case WAKE_REPLY:
        return REASON_ANSWER;
    case WAKE_WORK:
        return REASON_EVENT;
    default:
        return REASON_OTHER;
    }
}

// SPDX-License-Identifier: MIT
// The library's own switches, for monitors.
#include "told.h"

#include "scheduler.h"

#include <string.h>
#include <trace/reasons.h>

static u64 name_word(const struct thread *thread)
{
    u64 word;
    memcpy(&word, thread->name, sizeof word);
    return word;
}

struct leaving told_leaving(const struct thread *thread, u32 reason)
{
    return (struct leaving){.id = thread->id, .reason = reason, .name = name_word(thread)};
}

u32 told_reason(u32 wakes)
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

static void tell(u32 id, enum sys_monitor_switch what, u32 reason, u64 name)
{
    if (told_wanted()) // still
        monitor_tell(MONITOR_TELL(SYS_MONITOR_THREAD, reason), SYS_MONITOR_THREAD_WORD(id, what),
                     name);
}

void told_leaves(const struct leaving *leaving)
{
    if (leaving->id != 0)
        tell(leaving->id, SYS_MONITOR_LEAVES, leaving->reason, leaving->name);
}

void told_stays(const struct leaving *leaving)
{
    tell(leaving->id, SYS_MONITOR_STAYS, leaving->reason, leaving->name);
}

void told_comes(const struct thread *thread)
{
    tell(thread->id, SYS_MONITOR_COMES, 0, name_word(thread));
}

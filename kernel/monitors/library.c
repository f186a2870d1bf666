// SPDX-License-Identifier: MIT
// What a process tells monitors of itself. Its dispatcher's page says which kinds they want, so
// that the library makes no call in vain. The process may write there, too: it gets nothing by that
// but calls in vain, or silence about itself.
#include "library.h"

#include <kernel/process.h>

#include "proc/dispatcher.h"
#include "proc/thread.h"
#include "ring.h"
#include "sensor.h"
#include "tracks.h"

#define REASON_MAX 255

void monitors_library_learns(const struct monitor_tracks *tracks)
{
    const struct thread *thread = tracks->thread;
    u64 wanted = 0;

    // On its own CPU: what has not ended here keeps its page until it goes on.
    if (thread->dispatcher == NULL || thread->ended || thread->dispatcher->ended)
        return;
    for (u32 i = 0; i < tracks->count; i++) {
        if (tracks->list[i].ring->running)
            wanted |= tracks->list[i].kinds & SYS_MONITOR_TOLD;
    }
    thread->dispatcher->page->monitored = wanted;
}

s64 sys_monitor_tell(u32 kind, u32 reason, u64 word0, u64 word1)
{
    if (kind >= SYS_MONITOR_KINDS_MAX || (SYS_MONITOR_TOLD >> kind & 1) == 0 || reason > REASON_MAX)
        return E_INVAL;
    monitors_event((u8)kind, (u8)reason, word0, word1);
    return 0;
}

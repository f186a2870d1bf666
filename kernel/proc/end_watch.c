// SPDX-License-Identifier: MIT
// Who is told that a process has ended: a few servers, which keep something for processes and would
// have to look at the list of them again and again.
#include "end_watch.h"

#include <kernel/kick_list.h>
#include <orrery/process.h>

static struct kick_list watchers = KICK_LIST_INIT("watchers of ends");

s64 sys_process_await_end(u64 bits)
{
    return kick_list_ask(&watchers, bits);
}

void end_watch_process_ended(const struct process *process)
{
    kick_list_remove(&watchers, process);
    kick_list_tell(&watchers);
}

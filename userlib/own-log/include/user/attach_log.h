// SPDX-License-Identifier: MIT
// The inspection's questions (INSPECT_LOG) about the process's own logs for a scheduler. Any
// numbers may come. A thread, not inside of user_disable.
#ifndef USER_ATTACH_LOG_H
#define USER_ATTACH_LOG_H

#include <orrery/log.h>

// Begins to ask the owner of the logs for an area for this CPU. Nobody waits for the owner. Returns
// 0 (it has begun), E_EXIST (there is one), E_BUSY (the owner has not answered yet, and was asked
// less than a second ago), E_NOENT (the process has no threads on this CPU), E_LIMIT (owners have
// not answered four attempts on this CPU), or E_NOMEM.
s64 attach_log(u32 cpu);
// Returns 0 if the CPU has a log. E_AGAIN: the owner has not answered yet, and may never do so.
// E_NOENT: it has none, or nobody serves "log". E_PROTO: the owner gave what is no area, or no
// domain. Or another error of the owner's, or of mapping what it gave.
s64 attach_log_state(u32 cpu);

#endif

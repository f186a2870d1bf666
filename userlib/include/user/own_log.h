// SPDX-License-Identifier: MIT
// The process's own logs for a scheduler, one a CPU: what the thread library tells there. For
// other parts of the library; docs/logs.md explains.
#ifndef USER_OWN_LOG_H
#define USER_OWN_LOG_H

#include <orrery/log.h>

// From now on the calling CPU's threads are logged to this area: LOG_AREA_BYTES that are all
// there, and behind them a page of scratch. domain: of threads that have none of their own. A
// thread that is pinned, not inside of user_disable; one at a time on a CPU.
void own_log_begin(u8 *area, u32 domain);
// On return nothing is written there any more. As above, the same thread.
void own_log_end(void);
// Maps the thread with this number to a domain of its own, or with 0 to none: what it does from
// its next turn on. E_INVAL: domain >= LOG_DOMAINS; E_NOENT: no such thread.
s64 own_log_domain(u32 thread, u32 domain);

#endif

// SPDX-License-Identifier: MIT
// The process's own logs for a scheduler, one a CPU: the thread library writes there. For other
// parts of the library; docs/logs.md explains.
#ifndef USER_OWN_LOG_H
#define USER_OWN_LOG_H

#include <orrery/log.h>

// Logs the calling CPU's threads to this area from now on. area: LOG_AREA_BYTES that are all there,
// and behind them a page of scratch. domain: of threads that have none of their own. A thread that
// is pinned, not inside of user_disable; one at a time on a CPU.
void own_log_begin(u8 *area, u32 domain);
// Ends it: on return nothing is written there any more. The same thread, not inside of
// user_disable.
void own_log_end(void);
// Maps the thread with this number to a domain of its own, or with 0 to none, from its next turn
// on. E_INVAL: domain >= LOG_DOMAINS; E_NOENT: no such thread.
s64 own_log_domain(u32 thread, u32 domain);

#endif

// SPDX-License-Identifier: MIT
// Which process is in which domain of the logs (orrery/log.h): one of 1 to 126 each, and 127 for
// those that came when these had run out.
#ifndef SCHED_DOMAINS_H
#define SCHED_DOMAINS_H

#include <orrery/log.h>

#define DOMAIN_OF_OTHERS (LOG_DOMAINS - 1)

// Forgets all: the logs have just been taken, or given up.
void domains_begin(void);
// Gives a process that exists a domain, if it has none. Until then it is in its creator's.
void domains_note(u32 pid);
// Takes the domains back of those that were not noted since the last time. Such a domain goes to
// another process after the next time at the earliest, when what the logs had of the old one has
// been read.
void domains_taken_back(void);
// Returns the process in a domain; 0: none, several, or one that has ended.
u32 domains_pid(u32 domain);
// Returns how many processes were in the domain of others at the last time.
u32 domains_others(void);

#endif

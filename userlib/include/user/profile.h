// SPDX-License-Identifier: MIT
// A program learns of overflows of counters that hit it (S001 §3.7, §4.2; docs/profiles.md).
// Whoever has RIGHT_MONITOR starts a sampling session (sys_sampling_start) and has the process told
// (sys_overflow_notify): the program itself, or another one.
#ifndef USER_PROFILE_H
#define USER_PROFILE_H

#include <orrery/sys.h>
#include <orrery/user.h>

// Called for each overflow that the process is told of, on the dispatcher that it hit, inside of
// user_disable (user/scheduler.h), mostly on the upcall stack (28 KB). The record stays as it is
// until the handler returns. Overflows that hit the dispatcher meanwhile are lost, and counted.
typedef void (*profile_handler)(const struct overflow_record *record);
// Sets the handler. NULL: nobody's from now on; they count as told all the same. Returns 0.
s64 profile_on_overflow(profile_handler handler);

struct profile_counts {
    u64 told, lost;
};
// Returns how many overflows the process's dispatchers were told of, and how many were lost, since
// it began. While overflows come in, the counts are not of one instant.
struct profile_counts profile_count(void);

#endif

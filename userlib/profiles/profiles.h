// SPDX-License-Identifier: MIT
// What the files of this folder share. "Disabled": inside of user_disable.
#ifndef PROFILES_H
#define PROFILES_H

#include <user/lock.h>
#include <user/profiles.h>
#include <user/scheduler.h>
#include <user/timer.h>

extern struct mutex profiles_mutex; // of what is added, and of what is on

// Returns whether it is [a-z][a-z0-9_]* of at most so many characters. NULL is not.
bool profile_name_is_good(const char *name, u32 most);

// ---- sensors.c ----------------------------------------------------------------------------------

const struct profile_sensor *profile_sensor_find(const char *name); // with the mutex; NULL: none
bool profile_sensor_wants_callers(const struct profile_sensor *sensor);

// ---- contexts.c ---------------------------------------------------------------------------------

struct context;
struct context *profile_context_get(u32 number); // NULL: none
// Returns whether a sensor may look at an event's callers, which are then to be walked.
bool profile_context_wants_callers(const struct context *context);
// Measures and logs. Disabled.
void profile_context_write(const struct context *context, const struct profile_event *event);

// ---- sources.c ----------------------------------------------------------------------------------

struct source {
    struct profile_source is;
    u32 number;
    bool on; // atomic
    const struct context *context;
    u64 events, written, missed; // atomic
    // Of a timer, with the lock, disabled.
    struct user_spin lock;
    struct timer timer;
    bool armed;
    u64 ticks; // of a period
};
extern struct source profile_sources[PROFILE_SOURCES];
u32 profile_source_used(void); // how many there are

// Has an event of the source. event: all but its number and source. Disabled.
void profile_event_comes(struct source *source, struct profile_event *event);
// Notes the CPU, and of the thread that an event has interrupted thread, pc and callers, as far as
// the source's context wants them. Disabled, in a handler of events.
void profile_event_interrupted(const struct source *source, struct profile_event *event);

// ---- counters.c, ticks.c ------------------------------------------------------------------------

// Bit n: profile_sources[n]. Samples exactly these counters' events; with the mutex. An error
// leaves all as it was.
s64 profile_counters_set(u32 mask);
s64 profile_ticks_start(struct source *source); // with the mutex
void profile_ticks_stop(struct source *source); // no tick is at work behind it

#endif

// SPDX-License-Identifier: MIT
// Profiles that a program takes of itself (S001 §4.3 to §4.5; docs/profiles.md). A source has
// events. A sensor measures one value at an event. A context is what is measured together: an
// event of the program's own in the trace (docs/trace.md), with a field for each sensor.
//
// Unless said otherwise: a thread, not inside of user_disable. Numbers of sources and contexts are
// from 1. None ever goes. Texts stay the caller's, and as they are. Names are [a-z][a-z0-9_]*.
#ifndef USER_PROFILES_H
#define USER_PROFILES_H

#include <orrery/errors.h>
#include <orrery/user.h>
#include <trace/events.h>

#define PROFILE_SOURCES 16
#define PROFILE_SENSORS 64 // that have a name, the library's own among them
#define PROFILE_CONTEXTS 32
#define PROFILE_CONTEXT_SENSORS 16

#define PROFILE_CALLERS 4

// ---- events -------------------------------------------------------------------------------------

// What is known of an event when it comes. What is not known has its reason, an error, in place of
// 0. E_NOENT: no thread ran. E_BUSY: the dispatcher was disabled when it came, so it is told later.
// E_NOTSUP: sources of this kind have none.
struct profile_event {
    u64 number; // of its source, from 1
    u64 time;   // time base
    u32 source, cpu;
    u32 thread; // of the library: the one that was interrupted, or that triggered it
    u32 caller_count;
    u64 pc;
    u64 callers[PROFILE_CALLERS]; // the program's return addresses, innermost first
    coid_t object;                // whose method ran
    u64 a, b;                     // of profile_trigger
    s64 no_thread, no_pc, no_callers, no_object, no_words;
};

// ---- sensors ------------------------------------------------------------------------------------

#define PROFILE_NAME_MAX 12 // characters of a sensor's name
#define PROFILE_UNIT_MAX 7

enum profile_type { PROFILE_U64, PROFILE_S64, PROFILE_X64 }; // X64: shown in hexadecimal
enum profile_safety { PROFILE_SAFE };

struct profile_sensor {
    const char *name; // no other sensor's, and none of: number behind source unknown
    const char *unit; // printable ASCII without " \ %; "" for none
    enum profile_type type;
    enum profile_safety safety;
    // Measures one value. Returns 0, or an error: why the value is unknown. A safe one may come
    // anywhere in the program, inside of user_disable: it takes no lock that may be held, waits for
    // nothing, and calls no malloc.
    s64 (*sample)(const struct profile_event *event, u64 *value);
};
// Adds a sensor, which stays the caller's. Returns 0. E_INVAL: a bad name, unit or number. E_EXIST.
// E_LIMIT: PROFILE_SENSORS.
s64 profile_sensor_add(const struct profile_sensor *sensor);
// The library's own, all safe: time cpu pc caller1 … caller4 object thread ready (threads that wait
// for this CPU) counter1 … counter4 (of the thread, user/pmu.h), a b (of profile_trigger).

// ---- contexts -----------------------------------------------------------------------------------

struct profile_context {
    const char *provider;       // group of the event: the program; at most 15 characters
    const char *name;           // at most 23 characters, not NAME_DIGIT
    const char *const *sensors; // names, none twice
    u32 sensor_count;           // 1 … PROFILE_CONTEXT_SENSORS
};
// Describes the event. Its fields are number, behind, source, unknown (bit n: the value of the
// context's sensor n is not known, and stands for the reason, a negative error), and the values. An
// event holds four values: PROVIDER:NAME has the first, PROVIDER:NAME_2 the next, up to _4. They
// come one behind the other, with the same number. Returns the context's number. E_INVAL: a bad
// name or count, or a sensor twice. E_NOENT: no such sensor. E_EXIST: no other event of the program
// may have its name. E_LIMIT: PROFILE_CONTEXTS, PROFILE_CONTEXT_SENSORS, or the process has
// described too many events (SYS_TRACE_DESCRIBE_MAX).
s64 profile_context_add(const struct profile_context *context);

// ---- sources ------------------------------------------------------------------------------------

enum profile_kind {
    PROFILE_COUNTER, // an overflow of a counter that hits the process (user/profile.h)
    PROFILE_TIMER,   // time that has passed
    PROFILE_OWN,     // profile_trigger
};

#define PROFILE_TIMER_MIN 100 // microseconds
#define PROFILE_TIMER_MAX 3600000000

struct profile_source {
    const char *name;
    enum profile_kind kind;
    u32 context;
    u32 event;  // counter: enum sys_sampling_event; one source an event
    u32 filter; // counter: SYS_PMU_USER, SYS_PMU_KERNEL
    u32 cpu;    // timer: on which it comes
    u64 period; // counter: events, SYS_PERIOD_MIN … _MAX; timer: µs, PROFILE_TIMER_MIN … _MAX
};
// Adds a source, which is off. Returns its number. E_INVAL: a bad name, kind, period, filter or
// CPU. E_NOENT: no such context. E_EXIST: the name, or the counter's event. E_LIMIT.
s64 profile_source_add(const struct profile_source *source);

#define PROFILE_ALL 0
// Switches a source on or off, or all (PROFILE_ALL). Counters that are on share one session of
// samples, which needs RIGHT_MONITOR, and profile_on_overflow's handler; it begins anew when a
// counter is switched. An own source has events while somebody records major PROGRAM of the
// process. When a source has been switched off, no event of it is at work. Returns 0, or, with none
// switched on, E_INVAL: no such source; E_NOMEM; or the error of sys_sampling_start (E_PERM,
// E_BUSY, E_NOTSUP). If others' sampling keeps the counters that were on from beginning anew, all
// are off.
s64 profile_enable(u32 source, bool on);

struct profile_source_counts {
    u64 events;  // that came: the number of the last one
    u64 written; // of them, those that were logged; else nobody records major PROGRAM
    u64 missed;  // timer: periods without an event of their own, because it came late
};
s64 profile_source_count(u32 source, struct profile_source_counts *counts); // 0, E_INVAL

// Of all counters, exact while all are off: overflows = told + lost + missed + others. Each that is
// told is an event of its source.
struct profile_overflow_counts {
    u64 overflows, told;
    u64 lost;   // came before the last one was handled
    u64 missed; // the interrupt came too late (sys_sampling_stat)
    u64 others; // hit other processes, or nobody
};
void profile_overflow_count(struct profile_overflow_counts *counts);

// An event of an own source: one instruction while nobody records major PROGRAM of the process.
// a, b: for sensors of these names. Any context; no effect for what is no own source, or is off.
static inline void profile_trigger(u32 source, u64 a, u64 b);

void profile_triggered(u32 source, u64 a, u64 b);

static inline __attribute__((always_inline)) void profile_trigger(u32 source, u64 a, u64 b)
{
    TRACE_POINT(TRACE_MAJOR_PROGRAM, enabled);
    return;
enabled:
    __attribute__((cold, unused));
    profile_triggered(source, a, b);
}

#endif

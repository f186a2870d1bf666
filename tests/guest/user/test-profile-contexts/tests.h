// SPDX-License-Identifier: MIT
// What the tests of contexts share.
#ifndef TEST_PROFILE_CONTEXTS_TESTS_H
#define TEST_PROFILE_CONTEXTS_TESTS_H

#include <expect.h>
#include <stdio.h>
#include <user/profiles.h>

#define PROVIDER "contexts"

// ---- reader.c -----------------------------------------------------------------------------------

#define HEAD_WORDS 2

// An event of a context, as it was logged. Words: number, behind 32 | source 16 | unknown 16, and
// the values.
struct logged {
    u32 id, cpu, words;
    const u64 *word;
};
static inline u32 logged_source(const struct logged *event)
{
    return event->word[1] >> 16 & 0xffff;
}
static inline u32 logged_unknown(const struct logged *event)
{
    return event->word[1] & 0xffff;
}

// Empties the process's rings, and logs what programs describe.
void record_begin(void);
// Ends it, and calls visit for each event of major PROGRAM, CPU by CPU, in order.
void record_end(void (*visit)(const struct logged *event));
// Returns what the kernel knows an event by, from its list of events; 0: it does not.
u32 event_id(const char *name);

// ---- the tests ----------------------------------------------------------------------------------

// Makes a context of these sensors, and a source of it. Each returns its number.
u32 context_of(const char *name, u32 count, const char *const *sensors);
u32 source_of(struct profile_source source);

void own_events(void);   // 1,000 triggers, and all CPUs at once
void own_recorded(void); // the same, for who records
void timer_events(void);
void timer_recorded(void);
void counter_events(void);
void limits(void); // last: nothing can be added behind it

#endif

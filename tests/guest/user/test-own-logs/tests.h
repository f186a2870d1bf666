// SPDX-License-Identifier: MIT
// The parts of the test, and what they share.
#ifndef TEST_OWN_LOGS_TESTS_H
#define TEST_OWN_LOGS_TESTS_H

#include <children.h>
#include <orrery/log.h>
#include <user/ipc.h>
#include <user/process.h>

#define DOMAIN 20        // of a program's threads
#define THREAD_DOMAIN 21 // of one of them

// What the program logs itself, by number.
#define EVENT_MARK 2
#define EVENT_PLAIN 3
#define EVENT_THIRD 4 // with a threshold of 3
#define OTHER 7       // correspondent
#define EVENTS 99u

// Where the owner has things in an area. One file has all rows, of eight words.
#define PLACE 0x4100u
#define BASE 0x8000u
#define CONTROL                                                                                    \
    (LOG_SIZE(13) | LOG_WITH_EVENT | LOG_WITH_CURRENT | LOG_WITH_CORRESPONDENT |                   \
     LOG_WITH_COUNTER | LOG_STAMP_HARDWARE | LOG_PADDING(3))
#define ROWS_MAX 1024
struct row {
    u32 event, current, correspondent, counter, stamp, padding[3];
};

void exact(void);
void liars(void);
void ends(void);
void example(void);

// ---- the owner (owner.c) ------------------------------------------------------------------------

// What it gives to who attaches.
enum gift {
    GIFT_AREA,
    GIFT_SHORT,
    GIFT_LONG,
    GIFT_FILE,
    GIFT_INITRD,
    GIFT_ENDPOINT,
    GIFT_EMPTY,    // memory that is not there yet
    GIFT_DOMAIN,   // a good area, and no domain
    GIFT_SEALED,   // nobody may map it for writing any more
    GIFT_READABLE, // an area, for reading alone
    GIFT_REFUSAL,
    GIFT_AGAIN, // an answer that no method of the log has
    GIFT_STALE,
    GIFT_STRANGE, // no error that there is
    GIFT_POSITIVE,
    GIFT_NOTHING, // no answer, until owner_speaks
    GIFTS,
};
void owner_speaks(u32 count); // so many who were given nothing are given an area each
u32 owner_mute(void);         // how many have come for nothing
void owner_begin(void);       // also the name service of the children
// "log" is served by the master, or by nobody.
void owner_serves(bool serves);
cap_t owner_names(void);
extern enum gift owner_gift;
extern u8 *owner_area;    // the last one that was given, mapped here
void owner_lets_go(void); // answers who stays
u32 owner_attached(void); // how many areas have been given
// Memory for an area, laid out and mapped: the capability.
cap_t make_area(u8 **address);

// ---- questions ----------------------------------------------------------------------------------

s64 ask(u32 pid, u32 operation, u64 first, u64 second);
// Has a program attach the log of a CPU, and waits until that has come to an end: its state.
s64 attach(u32 pid, u32 cpu);
s64 state_of(u32 pid, u32 cpu);

// ---- children (main.c) --------------------------------------------------------------------------

u32 child_start(const char *role, u32 cpu);
u32 sleeper_start(void); // one that does nothing, on CPU 0
// What a child has told: two words and numbers. It waits until it may go on.
#define NUMBERS_MAX 1024
struct told {
    u64 first, second;
    u32 count, numbers[NUMBERS_MAX];
};
extern struct told told;
void wait_told(void);
void go_on(void);
// The child's side. 0, or the call's error.
s64 tell(u64 first, u64 second, const u32 *numbers, u32 count);

// Roles. Their exit statuses.
int write_log(u64 cpu);
int sleep_for_ever(void);
int scribble(void);
int own(void);
int log_example(void);

#endif

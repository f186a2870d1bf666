// SPDX-License-Identifier: MIT
// Test events with contents that can be checked afterwards, and reading them back through
// sys_trace_read.
#ifndef GUEST_TEST_EVENTS_H
#define GUEST_TEST_EVENTS_H

#include <orrery/sys.h>
#include <trace/events.h>

#define TEST_EVENT_WORDS_MAX 4
#define TRACE_MASK_TEST (1UL << TRACE_MAJOR_TEST)
#define TRACE_MASK_PMU (1UL << TRACE_MAJOR_PMU)

// Data word n (0…3) of the event that source emits as number sequence.
static inline u64 test_event_word(u32 n, u64 source, u64 sequence)
{
    switch (n) {
    case 0:
        return sequence;
    case 1:
        return source << 48 | sequence;
    case 2:
        return ~sequence;
    default:
        return sequence * 0x9e3779b97f4a7c15;
    }
}

// Emits a test event of words <= TEST_EVENT_WORDS_MAX data words. Any context.
static inline void test_event_emit(u32 words, u64 source, u64 sequence)
{
    u64 a = test_event_word(0, source, sequence), b = test_event_word(1, source, sequence);
    u64 c = test_event_word(2, source, sequence), d = test_event_word(3, source, sequence);
    switch (words) {
    case 0:
        trace_test0();
        break;
    case 1:
        trace_test1(a);
        break;
    case 2:
        trace_test2(a, b);
        break;
    case 3:
        trace_test3(a, b, c);
        break;
    default:
        trace_test4(a, b, c, d);
        break;
    }
}

struct seen_event {
    u64 time;
    u32 major, minor;
    u32 words;
    const u64 *data;
};

struct trace_reading {
    u64 packets, events; // as read
    u64 counted;         // by the packets' own headers
    u64 backwards;       // times that time went back
    u64 malformed;       // events or packets that do not add up
    u64 last_time;
};

// Empties and configures the buffers of all CPUs: mode, and events of the majors in mask only.
// test_trace_end switches all majors off; test_trace_restore puts back what was before.
struct test_trace {
    u64 mask_before;
};
void test_trace_begin(struct test_trace *trace, enum sys_trace_mode mode, u64 mask);
void test_trace_end(void);
void test_trace_restore(const struct test_trace *trace);

// Takes all events out of cpu's buffer and shows them to visit, in order. 0 or an error; the
// findings add up in *reading (zeroed by the caller).
int test_trace_read(u32 cpu, void (*visit)(const struct seen_event *event, void *argument),
                    void *argument, struct trace_reading *reading);

#endif

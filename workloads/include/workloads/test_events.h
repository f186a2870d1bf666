// SPDX-License-Identifier: MIT
// Trace events whose contents can be checked afterwards.
#ifndef WORKLOADS_TEST_EVENTS_H
#define WORKLOADS_TEST_EVENTS_H

#include <trace/events.h>

#define TEST_EVENT_WORDS_MAX 4
#define TRACE_MASK_TEST (1UL << TRACE_MAJOR_TEST)

// Returns data word n (0…3) of source's event number sequence.
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

#endif

// SPDX-License-Identifier: MIT
// Instructions of a trace point: off, and on with 0 to 4 data words.
#include <workloads/test_events.h>

#include "test_trace.h"
#include "budget.h"

#define POINTS 8 // what the second loop of a pair has more than the first
#define BATCH 64 // turns that fit into one sub-buffer, of which the best batch crosses no boundary
#define LONG 20000 // turns that cross many

#define EIGHT_TIMES(statement)                                                                     \
    statement;                                                                                     \
    statement;                                                                                     \
    statement;                                                                                     \
    statement;                                                                                     \
    statement;                                                                                     \
    statement;                                                                                     \
    statement;                                                                                     \
    statement

// Two loops, of eight and of sixteen events a turn: their difference holds nothing of the loop
// itself.
#define EVENT_LOOP(words, call)                                                                    \
    static void events_##words##_x8(u64 times, void *argument)                                     \
    {                                                                                              \
        (void)argument;                                                                            \
        for (u64 i = 0; i < times; i++) {                                                          \
            BUDGET_TURN(i);                                                                        \
            EIGHT_TIMES(call);                                                                     \
        }                                                                                          \
    }                                                                                              \
    static void events_##words##_x16(u64 times, void *argument)                                    \
    {                                                                                              \
        (void)argument;                                                                            \
        for (u64 i = 0; i < times; i++) {                                                          \
            BUDGET_TURN(i);                                                                        \
            EIGHT_TIMES(call);                                                                     \
            EIGHT_TIMES(call);                                                                     \
        }                                                                                          \
    }

EVENT_LOOP(0, trace_test0())
EVENT_LOOP(1, trace_test1(i))
EVENT_LOOP(2, trace_test2(i, times))
EVENT_LOOP(3, trace_test3(i, times, i))
EVENT_LOOP(4, trace_test4(i, times, i, times))

static u64 an_event(budget_loop more, budget_loop less, u64 times)
{
    return (budget_measure(more, less, times, NULL) + POINTS / 2) / POINTS;
}

void budget_trace(void)
{
    static const struct {
        const char *name;
        budget_loop more, less;
        u64 budget;
    } on[] = {
        {"trace_on_0", events_0_x16, events_0_x8, 20},
        {"trace_on_1", events_1_x16, events_1_x8, 20},
        {"trace_on_2", events_2_x16, events_2_x8, 21},
        {"trace_on_3", events_3_x16, events_3_x8, 22},
        {"trace_on_4", events_4_x16, events_4_x8, 23},
    };
    struct test_trace trace;
    budget_print("trace_off", an_event(events_1_x16, events_1_x8, LONG), 1);
    test_trace_begin(&trace, SYS_TRACE_OVERWRITE, TRACE_MASK_TEST);
    for (u32 i = 0; i < ARRAY_SIZE(on); i++)
        budget_print(on[i].name, an_event(on[i].more, on[i].less, BATCH), on[i].budget);
    // With the packets that are closed and begun on the way.
    budget_print("trace_on_1_with_packets", an_event(events_1_x16, events_1_x8, LONG), NO_BUDGET);
    test_trace_end();
    test_trace_restore(&trace);
}

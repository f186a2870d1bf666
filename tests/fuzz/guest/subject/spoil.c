// SPDX-License-Identifier: MIT
// Spoiling: each burst is random words into one of the places. Most bursts are short, so that the
// process lives on for some.
#include "subject.h"

#include <orrery/inspect.h>
#include <orrery/user.h>
#include <trace/cpu.h>
#include <user/scheduler.h>
#include <user/thread.h>

#define PAGE 4096UL

struct place {
    u64 offset, bytes; // from the window
};

static const struct place places[] = {
    {0, 0x100},                                   // fixed words
    {R13_TRACE, R13_CO - R13_TRACE},              // the trace's state
    {R13_CO, R13_PMU - R13_CO},                   // the object manager's
    {R13_PMU, R13_HOST - R13_PMU},                // counters
    {R13_HOST, DISPATCHER_SAVE - R13_HOST},       // the dispatcher's page
    {DISPATCHER_SAVE, sizeof(struct user_state)}, // saved registers
    {DISPATCHER_LIBRARY, WINDOW_MESSAGE - DISPATCHER_LIBRARY},
    {WINDOW_MESSAGE, MESSAGE_BYTES},
    {R13_LTT, 64 * R13_LTT_ENTRY_SIZE},
    {R13_COUNTS, 64 * R13_LTT_ENTRY_SIZE},
};

static u64 state;

static u64 next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static u64 window_of(u32 cpu)
{
    return USER_WINDOW + cpu * R13_WINDOW_SIZE;
}

// Numbers as they could stand there.
static u64 word(void)
{
    switch (next() % 8) {
    case 0:
        return next() % 64;
    case 1:
        return 0;
    case 2:
        return window_of((u32)(next() % user_cpu_count())) + next() % 0x20000;
    case 3:
        return 0xc000000000000000 | (next() & 0x1ffffff8);
    case 4:
        return TRACE_CPU_MAGIC;
    case 5:
        return USER_IMAGE + (next() & 0x3ffff8);
    default:
        return next() >> next() % 64;
    }
}

static void spoil_words(u64 address, u64 bytes, u64 words)
{
    for (u64 i = 0; i < words; i++) {
        u64 at = address + next() % bytes;
        if (next() % 4 == 0)
            *(volatile u32 *)ALIGN_DOWN(at, 4UL) = (u32)word();
        else
            *(volatile u64 *)ALIGN_DOWN(at, 8UL) = word();
    }
}

// What the trace's state points to: its packets' heads.
static void spoil_packets(u32 cpu)
{
    const struct trace_cpu *trace = (struct trace_cpu *)(window_of(cpu) + R13_TRACE);
    const u64 *subbuffers = (u64 *)trace->subbuffers;

    if (trace->magic != TRACE_CPU_MAGIC || subbuffers == NULL || trace->subbuffer_count == 0)
        return;
    spoil_words(subbuffers[next() % trace->subbuffer_count], 256, 1 + next() % 8);
}

static void burst(void)
{
    u32 cpu = (u32)(next() % user_cpu_count());
    u64 which = next() % (ARRAY_SIZE(places) + 2);

    if (!(user_dispatchers() >> cpu & 1))
        return;
    if (which < ARRAY_SIZE(places))
        spoil_words(window_of(cpu) + places[which].offset, places[which].bytes, 1 + next() % 4);
    else if (which == ARRAY_SIZE(places))
        spoil_words(USER_INSPECT, INSPECT_BYTES, 1 + next() % 512);
    else
        spoil_packets(cpu);
}

void spoil(u64 seed)
{
    state = seed;
    for (;;) {
        burst();
        if (next() % 4 == 0)
            thread_sleep_us(next() % 200);
    }
}

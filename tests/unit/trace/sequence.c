// SPDX-License-Identifier: MIT
// The append sequence as a model to check: the very instructions of trace/src/sequence.S,
// interpreted, and interrupted at every boundary, nested, with other events, closed packets and
// takes in between. Every way up to a bound of interrupts is tried.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <orrery/r13.h>
#include <trace/events.h>
#include <trace/ring.h>

#include "host_platform.h"
#include "src/append.h"

static const u32 text[] = {
#include "trace/append_text.h"
};

#define SLOT_WORDS 32
#define MAX_STEPS 256
#define MAX_DEPTH 3
#define MAX_EVENTS 16
#define BLR 0x4e800020u

static struct trace_cpu *const cpu = &host_cpus[0];

// ---- the machine -------------------------------------------------------------------------------

struct machine {
    u64 gpr[32];
    bool below; // cr0[lt]
    u32 pc;     // index into text
};

static u64 bits(u32 instruction, u32 from, u32 to) // PowerPC numbering: 0 is the highest
{
    return instruction >> (31 - to) & ((1u << (to - from + 1)) - 1);
}

// A double word at base + displacement: of struct trace_cpu (r13) or of the sub-buffer.
static u64 *cpu_word(u64 displacement)
{
    assert_in_range(displacement, R13_TRACE, R13_TRACE + sizeof(*cpu) - 8);
    return (u64 *)((u8 *)cpu + displacement - R13_TRACE);
}

static void store(const struct machine *m, u32 base, u64 displacement, u64 value)
{
    if (base == 13)
        *cpu_word(displacement) = value;
    else
        *(u64 *)(m->gpr[base] + displacement) = TRACE_BE64(value);
}

static u64 rldimi(u64 target, u64 source, u32 shift, u32 mask_begin)
{
    u64 rotated = shift == 0 ? source : source << shift | source >> (64 - shift);
    u64 mask = (UINT64_MAX >> mask_begin) & (UINT64_MAX << shift);
    return (target & ~mask) | (rotated & mask);
}

static void execute_xform(struct machine *m, u32 i)
{
    u64 *gpr = m->gpr;
    u64 t = bits(i, 6, 10), a = bits(i, 11, 15), b = bits(i, 16, 20);
    switch (bits(i, 21, 30)) {
    case 32: // cmplw
        m->below = (u32)gpr[a] < (u32)gpr[b];
        break;
    case 266: // add
        gpr[t] = gpr[a] + gpr[b];
        break;
    case 339: // mfspr, of the time base
        assert_int_equal(bits(i, 11, 20), (268 & 31) << 5 | 268 >> 5);
        gpr[t] = trace_platform_time();
        break;
    default:
        fail_msg("unknown instruction %#x", i);
    }
}

// Executes one instruction but b and blr.
static void execute(struct machine *m)
{
    u32 i = text[m->pc++];
    u64 *gpr = m->gpr;
    u64 t = bits(i, 6, 10), a = bits(i, 11, 15), displacement = i & 0xfffc;
    switch (i >> 26) {
    case 16: // bge cr0
        assert_int_equal(bits(i, 6, 8) << 2 | bits(i, 11, 15), 1 << 2);
        if (!m->below)
            m->pc += (u32)(displacement / 4) - 1;
        break;
    case 30: // rldimi
        assert_int_equal(bits(i, 27, 29), 3);
        gpr[a] = rldimi(gpr[a], gpr[t], (u32)(bits(i, 16, 20) | bits(i, 30, 30) << 5),
                        (u32)(bits(i, 21, 25) | bits(i, 26, 26) << 5));
        break;
    case 31:
        execute_xform(m, i);
        break;
    case 58: // ld
        assert_int_equal(a, 13);
        gpr[t] = *cpu_word(displacement);
        break;
    case 62: // std
        store(m, (u32)a, displacement, gpr[t]);
        break;
    default:
        fail_msg("unknown instruction %#x", i);
    }
}

static bool ends_sequence(u32 instruction)
{
    return instruction == BLR || instruction >> 26 == 18;
}

// ---- choices: which of the ways through a run this one takes -----------------------------------

enum { RUN_ON, INTERRUPT_EVENT, INTERRUPT_RENEW, INTERRUPT_TAKE, CHOICES };

static struct {
    u8 chosen[MAX_STEPS];
    u32 length, next;
    u32 interrupts, max_interrupts;
    bool roll_back;
} path;

static u32 choose(u32 depth)
{
    if (depth >= MAX_DEPTH || path.interrupts >= path.max_interrupts)
        return RUN_ON;
    assert_true(path.next < MAX_STEPS);
    if (path.next == path.length)
        path.chosen[path.length++] = RUN_ON;
    u32 choice = path.chosen[path.next++];
    path.interrupts += choice != RUN_ON;
    return choice;
}

// To the next untried way; false when all have been.
static bool next_path(void)
{
    path.length = path.next;
    path.next = path.interrupts = 0;
    while (path.length > 0 && ++path.chosen[path.length - 1] == CHOICES)
        path.length--;
    return path.length > 0;
}

// ---- a run -------------------------------------------------------------------------------------

#define SUBBUFFERS 8
#define MAX_TAKES 4

static u64 emitted;
static void *spares[MAX_TAKES];
static struct trace_packet *taken[MAX_TAKES];
static u32 takes;

static void append(u32 words, u32 depth);

static void interrupt(u32 choice, u32 depth)
{
    if (choice == INTERRUPT_RENEW) {
        trace_ring_renew(cpu);
    } else if (choice == INTERRUPT_TAKE) {
        taken[takes] = trace_ring_take(cpu, true, spares[takes]);
        takes += taken[takes] != NULL;
    }
    append((u32)(emitted % (TRACE_MAX_WORDS + 1)), depth + 1);
}

// What the exception entry does around a handler (kernel/exception/rseq.c).
static void maybe_interrupt(struct machine *m, u32 depth)
{
    u32 choice = choose(depth);
    if (choice == RUN_ON)
        return;
    interrupt(choice, depth);
    if (path.roll_back && !ends_sequence(text[m->pc]))
        m->pc -= m->pc % SLOT_WORDS;
}

static u64 word_of(u64 event, u32 word)
{
    return event << 8 | word;
}

static void append(u32 words, u32 depth)
{
    static const u8 registers[TRACE_MAX_WORDS] = {9, 8, 7, 6, 5, 4};
    struct machine m = {.pc = words * SLOT_WORDS};
    u64 event = emitted++;
    m.gpr[12] = TRACE_HEADER(words, TRACE_MAJOR_TEST, event);
    for (u32 i = 0; i < words; i++)
        m.gpr[registers[i]] = word_of(event, i);
    for (;;) {
        maybe_interrupt(&m, depth);
        if (ends_sequence(text[m.pc]))
            break;
        execute(&m);
    }
    if (text[m.pc] == BLR)
        return;
    u64 data[TRACE_MAX_WORDS];
    for (u32 i = 0; i < words; i++)
        data[i] = m.gpr[registers[i]];
    trace_append_slow((u32)m.gpr[12], data);
}

// ---- what must hold ----------------------------------------------------------------------------

struct verdict {
    u64 events, torn, backwards, repeated;
};

static void check_event(struct verdict *verdict, const u64 *event, u32 *last_time, bool seen[])
{
    u64 word = TRACE_BE64(*event);
    u64 number = trace_event_id(word) & 0xffff;
    verdict->events++;
    verdict->backwards += trace_event_time(word) <= *last_time;
    *last_time = trace_event_time(word);
    if (trace_event_id(word) >> 16 != TRACE_MAJOR_TEST || number >= emitted) {
        verdict->torn++;
        return;
    }
    verdict->repeated += seen[number];
    seen[number] = true;
    for (u32 i = 0; i + 1 < trace_event_length(word); i++)
        verdict->torn += TRACE_BE64(event[1 + i]) != word_of(number, i);
}

// Checks the events of a packet from `first` on, or all.
static void check_packet(struct verdict *verdict, const struct trace_packet *packet,
                         const u64 *first, u32 *last_time, bool seen[])
{
    const u64 *event = packet->events, *end = trace_ring_next(cpu);
    if (first > event && first < (const u64 *)packet + TRACE_SUBBUFFER_SIZE / 8)
        event = first;
    if (!trace_ring_open(cpu) || packet != trace_ring_packet(cpu, cpu->closed))
        end = (const u64 *)packet + TRACE_BE64(packet->content_bits) / 64;
    if (end < event || end > (const u64 *)packet + TRACE_SUBBUFFER_SIZE / 8) {
        verdict->torn++;
        return;
    }
    while (event < end) {
        u32 length = trace_event_length(TRACE_BE64(*event));
        if (length == 0 || length > end - event) {
            verdict->torn++;
            return;
        }
        check_event(verdict, event, last_time, seen);
        event += length;
    }
}

// Checks all events from first on, in packets that were taken and in those still there.
static struct verdict check(const u64 *first)
{
    struct verdict verdict = {0};
    bool seen[MAX_EVENTS] = {false};
    u32 last_time = 0;
    assert_true(emitted <= MAX_EVENTS);
    for (u32 i = 0; i < takes; i++)
        check_packet(&verdict, taken[i], first, &last_time, seen);
    for (u64 number = cpu->consumed; number < cpu->begun; number++)
        check_packet(&verdict, trace_ring_packet(cpu, number), first, &last_time, seen);
    return verdict;
}

static void add(struct verdict *sum, const struct verdict *verdict)
{
    sum->events += verdict->events;
    sum->torn += verdict->torn;
    sum->backwards += verdict->backwards;
    sum->repeated += verdict->repeated;
}

// The packet that is open at first, filled so far that only `room` bytes are below the limit.
static void fill_up_to(u32 room)
{
    u64 word = 0;
    trace_ring_append(cpu, TRACE_HEADER(1, TRACE_MAJOR_TEST, 0), &word);
    while (room != 0 && (u32)cpu->limit - (u32)cpu->pos > room)
        trace_ring_append(cpu, TRACE_HEADER(0, TRACE_MAJOR_TEST, 0), NULL);
}

// One way: an event, interrupted as path says, and one after it. Counts must add up.
static struct verdict run(u32 words, const u64 *first, u64 before)
{
    struct sys_trace_stat stat;
    emitted = takes = 0;
    append(words, 0);
    append(1, MAX_DEPTH);
    struct verdict verdict = check(first);
    trace_ring_stat(cpu, &stat);
    if (path.roll_back) {
        assert_int_equal(stat.events - before + stat.discarded, emitted);
        assert_int_equal(verdict.events, stat.events - before);
    }
    return verdict;
}

// All ways, from one start.
static struct verdict explore(u32 words, u32 room, u32 interrupts, u64 *ways)
{
    struct verdict sum = {0};
    fill_up_to(room);
    const struct trace_cpu start = *cpu;
    u64 subbuffers[SUBBUFFERS];
    memcpy(subbuffers, (void *)cpu->subbuffers, sizeof(subbuffers));
    const u64 *first = trace_ring_next(cpu);
    path.length = path.next = path.interrupts = 0;
    path.max_interrupts = interrupts;
    do {
        struct verdict verdict = run(words, first, start.pos >> 32);
        add(&sum, &verdict);
        ++*ways;
        *cpu = start;
        memcpy((void *)cpu->subbuffers, subbuffers, sizeof(subbuffers));
    } while (next_path());
    return sum;
}

static int start(void **state)
{
    (void)state;
    host_start(SUBBUFFERS, SYS_TRACE_DISCARD);
    for (u32 i = 0; i < MAX_TAKES; i++)
        spares[i] = trace_platform_subbuffer_alloc();
    path.roll_back = true;
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (u32 i = 0; i < MAX_TAKES; i++)
        trace_platform_subbuffer_free(spares[i]);
    host_end();
    return 0;
}

static void expect_clean(const struct verdict *verdict)
{
    assert_int_equal(verdict->torn, 0);
    assert_int_equal(verdict->backwards, 0);
    assert_int_equal(verdict->repeated, 0);
}

// Words, and bytes left in the packet: from plenty to none.
static void no_interruption_tears_or_loses_an_event(void **state)
{
    u64 ways = 0;
    static const u32 rooms[] = {0, 64, 32, 16, 8};
    for (u32 words = 0; words <= TRACE_MAX_WORDS; words++) {
        for (u32 i = 0; i < ARRAY_SIZE(rooms); i++) {
            end(state);
            start(state);
            struct verdict verdict = explore(words, rooms[i], 2, &ways);
            expect_clean(&verdict);
        }
    }
    print_message("%lu ways\n", ways);
    assert_true(ways > 50000);
}

static void three_nested_interruptions_do_no_harm(void **state)
{
    (void)state;
    u64 ways = 0;
    struct verdict verdict = explore(1, 16, 3, &ways);
    expect_clean(&verdict);
    print_message("%lu ways\n", ways);
    assert_true(ways > 50000);
}

static void without_roll_back_this_test_would_find_torn_events(void **state)
{
    (void)state;
    u64 ways = 0;
    path.roll_back = false;
    struct verdict verdict = explore(2, 0, 1, &ways);
    assert_int_not_equal(verdict.torn + verdict.repeated + verdict.backwards, 0);
}

static void one_data_word_costs_thirteen_instructions(void **state)
{
    (void)state;
    for (u32 words = 0; words <= TRACE_MAX_WORDS; words++) {
        u32 count = 1;
        while (text[words * SLOT_WORDS + count - 1] != BLR)
            count++;
        assert_int_equal(count, 12 + words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_interruption_tears_or_loses_an_event, start, end),
        cmocka_unit_test_setup_teardown(three_nested_interruptions_do_no_harm, start, end),
        cmocka_unit_test_setup_teardown(without_roll_back_this_test_would_find_torn_events, start,
                                        end),
        cmocka_unit_test_setup_teardown(one_data_word_costs_thirteen_instructions, start, end),
    };
    return cmocka_run_group_tests_name("trace_sequence", tests, NULL, NULL);
}

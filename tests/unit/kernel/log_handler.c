// SPDX-License-Identifier: MIT
// The log handler against a second one that is written for nothing but being read: whatever stands
// in descriptors and registers, both leave the same memory.
#include <log/handler.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROUNDS 1000000u
#define GUARD 4096
#define WORDS ((LOG_AREA_BYTES + GUARD) / sizeof(u32))

static u64 now;

u64 log_timebase(void)
{
    return now;
}

// ---- the plain handler --------------------------------------------------------------------------

struct plain {
    u32 *areas[LOG_AREAS]; // as words
    u32 virtual_time;
};

static u32 plain_selector(const struct plain *plain, u32 domain, u32 event)
{
    u16 selector;

    memcpy(&selector, (const u8 *)plain->areas[0] + domain * 128 + event * 2, 2);
    return selector;
}

static s32 *plain_threshold(const struct plain *plain, u32 domain, u32 event)
{
    return (s32 *)plain->areas[0] + domain * 32 + 6 + event * 2;
}

// The values of a row's entries; how many.
static u32 plain_values(struct plain *plain, u32 control, const u32 fields[4], u32 old_counter,
                        u32 values[5])
{
    u32 count = 0;

    for (u32 field = 0; field < 3; field++)
        if (control >> (4 + field) & 1)
            values[count++] = fields[field];
    if (control & 0x180)
        values[count++] = fields[3] + (control & 0x100 ? old_counter : 0);
    switch (control >> 9 & 3) {
    case 1:
        values[count++] = ++plain->virtual_time;
        break;
    case 2:
        values[count++] = (u32)(now / (512000000 / 100));
        break;
    case 3:
        values[count++] = (u32)(now / 64);
        break;
    }
    return count;
}

static void plain_row(struct plain *plain, u32 selector, const u32 fields[4])
{
    u32 *area = plain->areas[selector / 16384];

    if (area == NULL)
        return;
    u32 *place = area + selector % 8192 * 2, control = place[1];
    u32 at = place[0] % LOG_AREA_BYTES / 4, values[5];
    u32 before = (control >> 4 & 1) + (control >> 5 & 1) + (control >> 6 & 1);
    u32 count = plain_values(plain, control, fields, area[at + before], values);
    if (count == 0)
        return;
    u32 size = 1;
    for (u32 n = control % 16 < 2 ? 2 : control % 16 > 13 ? 13 : control % 16; n > 0; n--)
        size *= 2;
    u32 base = at / size * size;
    u32 next = base + (at - base + count + (control >> 11) % 4) % size;
    for (u32 i = 0; i < count; i++)
        area[at + i] = values[i];
    place[0] = next * 4;
}

static bool plain_rise(const struct plain *plain, u32 domain, u32 event)
{
    s32 *threshold = plain_threshold(plain, domain, event);

    threshold[0] = threshold[0] == INT32_MAX ? INT32_MIN : threshold[0] + 1;
    return threshold[0] >= 0;
}

static void plain_log(struct plain *plain, u32 domain, u32 event, const u32 fields[4])
{
    s32 *threshold = plain_threshold(plain, domain, event);

    threshold[0] = threshold[1] == INT32_MIN ? INT32_MIN : -threshold[1];
    plain_row(plain, plain_selector(plain, domain, event), fields);
}

// ---- both ---------------------------------------------------------------------------------------

struct both {
    struct log_cpu cpu;
    struct plain plain;
    u32 *memory[LOG_AREAS]; // cpu's, with a guard behind each
};

static struct both *both_new(u32 areas)
{
    struct both *both = calloc(1, sizeof(*both));

    for (u32 area = 0; area < LOG_AREAS; area++) {
        if (!(areas >> area & 1))
            continue;
        both->memory[area] = calloc(WORDS, sizeof(u32));
        both->cpu.areas[area] = (u8 *)both->memory[area];
        both->plain.areas[area] = calloc(WORDS, sizeof(u32));
    }
    return both;
}

static void both_free(struct both *both)
{
    for (u32 area = 0; area < LOG_AREAS; area++) {
        free(both->memory[area]);
        free(both->plain.areas[area]);
    }
    free(both);
}

static void assert_same(const struct both *both)
{
    assert_int_equal(both->cpu.virtual_time, both->plain.virtual_time);
    for (u32 area = 0; area < LOG_AREAS; area++) {
        if (both->memory[area] == NULL)
            continue;
        assert_memory_equal(both->memory[area], both->plain.areas[area], WORDS * sizeof(u32));
        for (u32 i = (LOG_AREA_BYTES + LOG_OVERRUN) / 4; i < WORDS; i++)
            assert_int_equal(both->memory[area][i], 0);
    }
}

static void store(struct both *both, u32 area, u32 word, u32 value)
{
    if (both->memory[area] == NULL)
        return;
    both->memory[area][word] = value;
    both->plain.areas[area][word] = value;
}

static void set_register(struct both *both, u32 selector, u32 offset, u32 control)
{
    store(both, selector >> 14, (selector & 0x1fff) * 2, offset);
    store(both, selector >> 14, (selector & 0x1fff) * 2 + 1, control);
}

static void set_selector(struct both *both, u32 domain, u32 event, u16 selector)
{
    if (both->memory[0] == NULL)
        return;
    memcpy((u8 *)both->memory[0] + domain * 128 + event * 2, &selector, 2);
    memcpy((u8 *)both->plain.areas[0] + domain * 128 + event * 2, &selector, 2);
}

static void set_threshold(struct both *both, u32 domain, u32 event, s32 counter, s32 initial)
{
    store(both, 0, domain * 32 + 6 + event * 2, (u32)counter);
    store(both, 0, domain * 32 + 7 + event * 2, (u32)initial);
}

static void happen(struct both *both, u32 event, u32 current, u32 correspondent, u32 counter)
{
    const u32 fields[4] = {event, current, correspondent, counter};

    log_happens(&both->cpu, event, current, correspondent, counter);
    if (both->plain.areas[0] != NULL && current != 0 && current != correspondent &&
        plain_selector(&both->plain, current, event) != 0 &&
        plain_rise(&both->plain, current, event))
        plain_log(&both->plain, current, event, fields);
}

static void pass(struct both *both, u32 event, u32 from, u32 to, u32 counter)
{
    const u32 fields[4] = {event, from, 0, counter};
    bool will = log_enters(&both->cpu, event, to), plain_will = false;

    if (both->plain.areas[0] != NULL && to != 0)
        plain_will = plain_rise(&both->plain, to, event);
    assert_int_equal(will, plain_will);
    log_leaves(&both->cpu, event, from, counter);
    if (both->plain.areas[0] != NULL && from != 0 &&
        *plain_threshold(&both->plain, from, event) >= 0)
        plain_log(&both->plain, from, event, fields);
}

static void queue(struct both *both, u32 length)
{
    const u32 fields[4] = {LOG_RUN_QUEUE, 0, 0, length};
    u16 selector = 0;

    log_run_queue(&both->cpu, length);
    if (both->plain.areas[0] == NULL)
        return;
    memcpy(&selector, (u8 *)both->plain.areas[0] + 16384, 2);
    plain_row(&both->plain, selector, fields);
}

// ---- tests --------------------------------------------------------------------------------------

static u64 seed = 88172645463325252UL;

static u32 draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (u32)(seed >> 16);
}

// Few values often, any value sometimes.
static s32 draw_count(void)
{
    return draw() % 8 == 0 ? (s32)draw() : (s32)(draw() % 5) - 2;
}

static void disturb(struct both *both)
{
    u16 selector = (u16)draw();

    switch (draw() % 8) {
    case 0:
        store(both, draw() % LOG_AREAS, draw() % (LOG_AREA_BYTES / 4), draw());
        break;
    case 1:
    case 2:
        set_selector(both, draw() % LOG_DOMAINS, draw() % LOG_EVENTS, selector);
        set_register(both, selector, draw() % 3 == 0 ? 0xffffffff - draw() % 64 : draw(), draw());
        break;
    case 3:
        set_threshold(both, draw() % LOG_DOMAINS, draw() % LOG_EVENTS, draw_count(), draw_count());
        break;
    case 4:
        store(both, 0, 16384 / 4, draw());
        break;
    default:
        break;
    }
}

static void anything_leaves_the_same_memory(void **state)
{
    (void)state;
    static const u32 machines[] = {0xf, 0x1, 0x9, 0x6, 0x0};

    for (u32 i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        struct both *both = both_new(machines[i]);
        for (u32 round = 0; round < ROUNDS / 4; round++) {
            u32 event = draw() % LOG_EVENTS, one = draw() % LOG_DOMAINS,
                other = draw() % LOG_DOMAINS;
            now = (u64)draw() << 20 | draw();
            disturb(both);
            if (round % 8 == 0)
                queue(both, draw());
            else if (round % 8 < 3)
                pass(both, event, one, other, draw());
            else
                happen(both, event, one, draw() % 8 == 0 ? one : other, draw());
            if (round % 1024 == 0)
                assert_same(both);
        }
        assert_same(both);
        both_free(both);
    }
}

static u32 offset_of(const struct both *both, u16 selector)
{
    return both->memory[selector >> 14][(selector & 0x1fff) * 2];
}

// A file of 16 entries at 64 … 79, as in the simulation of the figure, rows of 4.
static void a_ring_stays_in_its_file(void **state)
{
    (void)state;
    struct both *both = both_new(1);
    u16 selector = LOG_SELECTOR(0, 0x5000);

    set_selector(both, 1, LOG_CALL_SENT, selector);
    set_register(both, selector, 0x8000 + 64 * 4,
                 LOG_SIZE(4) | LOG_WITH_EVENT | LOG_WITH_CURRENT | LOG_WITH_CORRESPONDENT |
                     LOG_WITH_COUNTER);
    for (u32 i = 0; i < 9; i++) {
        assert_int_equal(offset_of(both, selector), 0x8000 + (64 + i * 4 % 16) * 4);
        happen(both, LOG_CALL_SENT, 1, 2, i);
    }
    const u32 last[] = {LOG_CALL_SENT, 1, 2, 8};
    assert_memory_equal(both->memory[0] + 0x8000 / 4 + 64, last, sizeof(last));
    assert_int_equal(both->memory[0][0x8000 / 4 + 63], 0);
    assert_int_equal(both->memory[0][0x8000 / 4 + 80], 0);
    assert_same(both);
    both_free(both);
}

static void sizes_are_made_to_fit(void **state)
{
    (void)state;
    static const struct {
        u32 n, entries;
    } sizes[] = {{0, 4}, {1, 4}, {2, 4}, {13, 8192}, {14, 8192}, {15, 8192}};
    struct both *both = both_new(1);
    u16 selector = LOG_SELECTOR(0, 0x5000);

    set_selector(both, 1, LOG_CALL_SENT, selector);
    for (u32 i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        set_register(both, selector, 0x8000 + (sizes[i].entries - 1) * 4,
                     LOG_SIZE(sizes[i].n) | LOG_WITH_COUNTER);
        happen(both, LOG_CALL_SENT, 1, 2, 1);
        assert_int_equal(offset_of(both, selector), 0x8000);
    }
    assert_same(both);
    both_free(both);
}

static void without_an_entry_nothing_moves(void **state)
{
    (void)state;
    struct both *both = both_new(1);
    u16 selector = LOG_SELECTOR(0, 0x5000);

    set_selector(both, 1, LOG_CALL_SENT, selector);
    set_register(both, selector, 0x8000, LOG_SIZE(5) | LOG_PADDING(3));
    happen(both, LOG_CALL_SENT, 1, 2, 1);
    assert_int_equal(offset_of(both, selector), 0x8000);
    assert_same(both);
    both_free(both);
}

static void a_threshold_of_three_logs_a_third(void **state)
{
    (void)state;
    struct both *both = both_new(1);
    u16 selector = LOG_SELECTOR(0, 0x5000);

    set_selector(both, 1, LOG_CALL_SENT, selector);
    set_threshold(both, 1, LOG_CALL_SENT, -3, 3);
    set_register(both, selector, 0x8000, LOG_SIZE(13) | LOG_WITH_COUNTER);
    for (u32 i = 1; i <= 30; i++) {
        happen(both, LOG_CALL_SENT, 1, 2, i);
        assert_int_equal(offset_of(both, selector), 0x8000 + i / 3 * 4);
    }
    both_free(both);
}

// One row that goes round counts: counter-add and three entries of padding in a file of four.
static void a_row_can_count(void **state)
{
    (void)state;
    struct both *both = both_new(1);
    u16 selector = LOG_SELECTOR(0, 0x5000);

    set_selector(both, 1, LOG_CALL_SENT, selector);
    set_register(both, selector, 0x8000, LOG_SIZE(2) | LOG_COUNTER_ADD | LOG_PADDING(3));
    for (u32 i = 0; i < 1000; i++)
        happen(both, LOG_CALL_SENT, 1, i % 4, 1); // a quarter of them within the domain
    assert_int_equal(both->memory[0][0x8000 / 4], 750);
    assert_int_equal(offset_of(both, selector), 0x8000);
    both_free(both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anything_leaves_the_same_memory),
        cmocka_unit_test(a_ring_stays_in_its_file),
        cmocka_unit_test(sizes_are_made_to_fit),
        cmocka_unit_test(without_an_entry_nothing_moves),
        cmocka_unit_test(a_threshold_of_three_logs_a_third),
        cmocka_unit_test(a_row_can_count),
    };
    return cmocka_run_group_tests_name("log_handler", tests, NULL, NULL);
}

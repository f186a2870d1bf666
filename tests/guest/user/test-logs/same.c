// SPDX-License-Identifier: MIT
// What calls and answers leave in memory is what a plain handler leaves there, whatever stands in
// descriptors and registers: the fast path of calls has a handler of its own. As
// tests/unit/kernel/log_handler.c, but on the machine, where stamps are only known to be between
// two times.
#include "tests.h"

#include <expect.h>
#include <orrery/ipc.h>
#include <orrery/memory.h>
#include <stdio.h>
#include <string.h>
#include <user/ipc.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/time.h>

#define CHILD 1 // domains
#define MASTER 2
#define AREAS 2
#define GUARD 64
#define AREA_WORDS (LOG_AREA_BYTES / sizeof(u32))
#define STEPS 4000UL
#define STEPS_ALIKE 64 // most registers have one control word; then calls are switched off and on
#define STEPS_COMPARED 4
#define FILES 0x8000u // behind all registers

enum known { VALUE, TIME, TICK, NOTHING }; // what the model knows of a word

static struct {
    u32 words[AREAS][AREA_WORDS + GUARD];
    u8 known[AREAS][AREA_WORDS + GUARD];
    u32 virtual_time;
} model;
static u32 *areas[AREAS]; // the kernel's
static u64 steps, since;  // since: when memory was last compared
static u32 favourite;
static u32 looked_at; // events that a domain had a selector for when calls were switched on
static bool differs;

// ---- the plain handler --------------------------------------------------------------------------

struct row {
    u32 area, at; // words
};

static void put(struct row *row, u32 value, enum known known)
{
    model.words[row->area][row->at] = value;
    model.known[row->area][row->at++] = (u8)known;
}

static void put_counter(struct row *row, u32 control)
{
    u32 old = model.words[row->area][row->at];
    bool sum = (control & LOG_COUNTER_ADD) != 0;
    bool known = !sum || model.known[row->area][row->at] == VALUE;

    put(row, sum ? old + 1 : 1, known ? VALUE : NOTHING);
}

static void put_stamp(struct row *row, u32 source)
{
    if (source == LOG_STAMP_VIRTUAL)
        put(row, ++model.virtual_time, VALUE);
    else
        put(row, 0, source == LOG_STAMP_TICK ? TICK : TIME);
}

static void plain_row(u32 selector, u32 event, u32 current, u32 correspondent)
{
    u32 area = selector / 16384, place = selector % 8192 * 2, n, size = 1;

    if (area >= AREAS)
        return;
    u32 control = model.words[area][place + 1], first = model.words[area][place] % 65536 / 4;
    struct row row = {area, first};
    if (control & LOG_WITH_EVENT)
        put(&row, event, VALUE);
    if (control & LOG_WITH_CURRENT)
        put(&row, current, VALUE);
    if (control & LOG_WITH_CORRESPONDENT)
        put(&row, correspondent, VALUE);
    if (control & (LOG_WITH_COUNTER | LOG_COUNTER_ADD))
        put_counter(&row, control);
    if (control & LOG_STAMP)
        put_stamp(&row, control & LOG_STAMP);
    if (row.at == first)
        return;
    for (n = control % 16 < 2 ? 2 : control % 16 > 13 ? 13 : control % 16; n > 0; n--)
        size *= 2;
    u32 in_file = (first % size + row.at - first + control / 2048 % 4) % size;
    model.words[area][place] = (first / size * size + in_file) * 4;
}

static u16 *selector_in(u32 *words, u32 event, u32 domain)
{
    return (u16 *)words + domain * 64 + event;
}

static void plain_event(u32 event, u32 current, u32 correspondent)
{
    u16 selector = *selector_in(model.words[0], event, current);
    u32 *threshold = model.words[0] + current * 32 + 6 + event * 2;

    if (selector == 0 || (looked_at >> event & 1) == 0 || (s32)++threshold[0] < 0)
        return;
    threshold[0] = 0 - threshold[1];
    plain_row(selector, event, current, correspondent);
}

// ---- both ---------------------------------------------------------------------------------------

static bool is_right(u32 found, u32 value, enum known known, u64 now)
{
    switch (known) {
    case TIME:
        return found - (u32)(since / 64) <= (u32)((now - since) / 64 + 1);
    case TICK:
        return found >= since / (time_hz() / 100) && found <= now / (time_hz() / 100);
    case NOTHING:
        return true;
    default:
        return found == value;
    }
}

static void compare(void)
{
    u64 now = time_now();

    for (u32 i = 0; i < AREAS * AREA_WORDS && !differs; i++) {
        u32 area = i / AREA_WORDS, at = i % AREA_WORDS, found = areas[area][at];
        u32 *value = &model.words[area][at];
        if (found == *value && model.known[area][at] == VALUE)
            continue;
        differs = !is_right(found, *value, model.known[area][at], now);
        if (differs)
            printf("test-logs: step %lu, area %u, word %u: %#x instead of %#x\n", steps, area, at,
                   found, *value);
        *value = found;
        model.known[area][at] = VALUE;
    }
    since = now;
}

static void store(u32 area, u32 at, u32 value)
{
    if (area >= AREAS)
        return;
    areas[area][at] = model.words[area][at] = value;
    model.known[area][at] = VALUE;
}

static u32 draw(void)
{
    static u64 seed = 88172645463325252UL;

    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (u32)(seed >> 16);
}

// Rows that are put over registers have no value that may become a stamp's flags.
static void set_register(u16 selector)
{
    u32 control = draw() % 4 != 0 ? favourite : draw() % 2 != 0 ? draw() % 8192 : draw();
    bool tame = (control & (LOG_STAMP | LOG_COUNTER_ADD)) != 0 || draw() % 4 != 0;

    store(selector / 16384, selector % 8192 * 2 + 1, control);
    store(selector / 16384, selector % 8192 * 2, draw() | (tame ? FILES : 0));
}

// Registers are behind the descriptors. Few selectors are of an area that is not there.
static u16 draw_selector(void)
{
    u32 area = draw() % 8 != 0 ? 0 : draw() % 4, bit_13 = draw() % 8 == 0 ? 0x2000 : 0;

    return (u16)(LOG_SELECTOR(area, 0x4100 + draw() % ((FILES - 0x4100) / 8) * 8) | bit_13);
}

static void disturb(u32 event, u32 domain)
{
    u16 selector = draw() % 8 == 0 ? 0 : draw_selector();
    u32 threshold = domain * 32 + 6 + event * 2;
    bool none = draw() % 4 != 0;

    if (selector != 0)
        set_register(selector);
    *selector_in(areas[0], event, domain) = selector;
    *selector_in(model.words[0], event, domain) = selector;
    store(0, threshold, none ? 0 : draw() % 8 == 0 ? draw() : draw() % 5 - 2);
    store(0, threshold + 1, none ? 0 : draw() % 8 == 0 ? draw() : draw() % 5 - 2);
}

static void disturb_some(void)
{
    static const u8 domains[] = {CHILD, MASTER};

    for (u32 event = LOG_CALL_SENT; event <= LOG_ANSWER_TAKEN; event++)
        for (u32 i = 0; i < sizeof(domains); i++)
            if (draw() % 4 == 0)
                disturb(event, domains[i]);
    if (draw() % 4 == 0) { // a descriptor that is not used, where selector 0 points
        store(0, 0, draw());
        store(0, 1, draw());
    }
}

static void clear_selector(u32 event, u32 domain)
{
    *selector_in(areas[0], event, domain) = 0;
    *selector_in(model.words[0], event, domain) = 0;
}

// Or on once more: sides that have got a selector since then are looked at from now on.
static void switch_on(void)
{
    looked_at = 0;
    for (u32 event = LOG_CALL_SENT; event <= LOG_ANSWER_TAKEN; event++)
        for (u32 domain = 1; domain < LOG_DOMAINS; domain++)
            if (*selector_in(model.words[0], event, domain) != 0)
                looked_at |= 1u << event;
    EXPECT(sys_log_enable(LOG_OF_CALLS, true) == 0);
}

static void begin_alike(void)
{
    favourite = draw() % 8192;
    if (draw() % 2 != 0)
        favourite &= ~LOG_STAMP | LOG_STAMP_HARDWARE;
    EXPECT(sys_log_enable(LOG_OF_CALLS, false) == 0);
    for (u32 event = LOG_CALL_SENT; event <= LOG_ANSWER_TAKEN; event++) {
        bool none = draw() % 3 == 0;
        clear_selector(event, CHILD);
        clear_selector(event, MASTER);
        if (none)
            continue;
        disturb(event, CHILD);
        disturb(event, MASTER);
    }
    switch_on();
}

// The master has got a call from the child, and will answer it.
void same_step(void)
{
    if (steps != 0) {
        plain_event(LOG_ANSWER_SENT, MASTER, CHILD);
        plain_event(LOG_ANSWER_TAKEN, CHILD, MASTER);
        plain_event(LOG_CALL_SENT, CHILD, MASTER);
        plain_event(LOG_CALL_TAKEN, MASTER, CHILD);
    }
    if (steps % STEPS_COMPARED == 0)
        compare();
    if (steps % STEPS_ALIKE == 0)
        begin_alike();
    else
        disturb_some();
    if (steps % STEPS_ALIKE == STEPS_ALIKE / 2)
        switch_on();
    steps++;
}

int call_same(u64 calls)
{
    for (u64 i = 0; i < calls; i++) {
        struct ipc_message message = {.words = {0, 0, 1}};
        if (ipc_call(CAP_PARENT, &message) != 0)
            return 1;
    }
    return 0;
}

void same(void)
{
    u32 cpu = user_cpu();
    struct child child = {.role = "same", .argument = STEPS, .cpu = cpu, .domain = CHILD};
    bool given = true;

    for (u32 area = 0; area < AREAS && given; area++) {
        given = area_add(cpu, (u8 **)&areas[area]) == area;
        EXPECT(given);
    }
    if (!given)
        return;
    since = time_now();
    EXPECT(sys_log_domain((u32)sys_process_pid(0), 0, MASTER) == 0);
    EXPECT(child_end(child_start(&child)) == 0);
    EXPECT(steps == STEPS && !differs);
    EXPECT(sys_log_close() == 0);
    for (u32 area = 0; area < AREAS; area++)
        EXPECT(sys_region_destroy((u64)areas[area]) == 0);
}

// SPDX-License-Identifier: MIT
// What the processes of each kind do when they are asked.
#include "liars.h"

#include "scheduler.h"

#include <orrery/errors.h>
#include <orrery/memory.h>
#include <orrery/inspect.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <user/scheduler.h>
#include <user/time.h>

#define PAGE 4096
#define COID_FIRST (R13_LTT + R13_LTT_ENTRY_SIZE)
#define SLOW_US 990000 // below the second that an answer may take
#define LATE_US 1200000

static u64 seed = 1;

static u64 any(void)
{
    seed = seed * 6364136223846793005 + 1442695040888963407;
    return seed >> 11;
}

static void *buffer(void)
{
    return (void *)USER_INSPECT;
}

static void done(const struct event *question, s64 status, u64 result)
{
    sys_inspect_done(question->id, status, result, 0);
}

// Disabled, without the library's scheduler: what comes meanwhile is lost.
static void sleep_us(u64 microseconds)
{
    struct event event;

    sys_timer(time_after_us(microseconds));
    do
        event_wait(&event);
    while (event.type != EVENT_TIMER);
}

// ---- answers that are well formed ---------------------------------------------------------------

static void answer_class(const struct event *question, const char *name)
{
    struct sys_class one = {.class_id = 1, .size = 64, .live = 1};

    if (question->info > 0) {
        done(question, 0, 1);
        return;
    }
    memcpy(one.name, name, strlen(name));
    memcpy(one.implementation, name, strlen(name));
    memcpy(buffer(), &one, sizeof(one));
    done(question, sizeof(one), 1);
}

// One object a question, and where to go on.
static void answer_scan(const struct event *question, coid_t coid, u64 cursor)
{
    struct sys_object one = {
        .record_bytes = sizeof(one), .class_id = 1, .coid = coid, .rep_count = 1};

    memcpy(buffer(), &one, sizeof(one));
    done(question, sizeof(one), cursor);
}

static void answer_count(const struct event *question, u64 number, u64 cursor)
{
    struct sys_dref_count one = {.coid = COID_FIRST, .cpu = (u32)number, .invocations = number};

    memcpy(buffer(), &one, sizeof(one));
    done(question, sizeof(one), cursor);
}

static void answer_log(const struct event *question, u32 claimed, u64 cursor)
{
    struct sys_blocked_log head = {
        .coid = COID_FIRST, .logged = UINT64_MAX, .lost = UINT64_MAX, .count = claimed};

    memcpy(buffer(), &head, sizeof(head));
    done(question, sizeof(head), cursor);
}

// Lists whose cursors are next(cursor): they end only where that says so.
static void answer_lists(const struct event *question, u64 (*next)(u64 cursor))
{
    u64 cursor = question->info;

    switch (question->badge) {
    case INSPECT_CLASS:
        answer_class(question, "Liar");
        break;
    case INSPECT_SCAN:
        answer_scan(question, COID_FIRST + (cursor % 65536) * R13_LTT_ENTRY_SIZE, next(cursor));
        break;
    case INSPECT_DREF_READ:
        answer_count(question, 1, next(cursor));
        break;
    case INSPECT_BLOCKED_READ:
        answer_log(question, 0, next(cursor));
        break;
    default:
        done(question, 0, 0);
    }
}

static u64 rising(u64 cursor)
{
    return cursor + 1;
}

static u64 falling(u64 cursor)
{
    return cursor - 1;
}

static u64 standing(u64 cursor)
{
    return cursor;
}

static void endless(const struct event *question)
{
    answer_lists(question, rising);
}

static void backwards(const struct event *question)
{
    answer_lists(question, falling);
}

static void still(const struct event *question)
{
    answer_lists(question, standing);
}

// ---- in time, or not ----------------------------------------------------------------------------

static void silent(const struct event *question)
{
    (void)question;
}

static void stuck(void)
{
    user_disable();
    for (;;)
        __asm__ volatile("");
}

static void slow(const struct event *question)
{
    sleep_us(SLOW_US);
    endless(question);
}

static void late(const struct event *question)
{
    sleep_us(LATE_US);
    endless(question);
}

// In the middle: after what comes first.
static void exits(const struct event *question)
{
    if (question->badge != INSPECT_CLASS)
        sys_exit(0);
    endless(question);
}

// ---- status -------------------------------------------------------------------------------------

static void again(const struct event *question)
{
    done(question, E_AGAIN, 0);
}

static void errors(const struct event *question)
{
    static s64 next = -1;

    done(question, next, any());
    next = next > -40 ? next - 1 : -1;
}

static void memory(const struct event *question)
{
    done(question, E_NOMEM, 0);
}

static void missing(const struct event *question)
{
    done(question, any() % 2 == 0 ? E_NOENT : E_PEER, 0);
}

static void huge(const struct event *question)
{
    static const s64 sizes[] = {INT64_MAX, INT64_MIN, INSPECT_BYTES + 1, 1L << 32, INT32_MIN};

    done(question, sizes[any() % ARRAY_SIZE(sizes)], UINT64_MAX);
}

static void others_questions(const struct event *question)
{
    for (u64 i = 1; i < 10; i++) {
        sys_inspect_done(question->id + i, 8, i, 0);
        sys_inspect_done(question->id - i, 8, i, 0);
    }
    for (u32 i = 0; i < 3; i++)
        endless(question);
}

// ---- contents -----------------------------------------------------------------------------------

static void random_bytes(const struct event *question)
{
    u64 *words = buffer();

    for (u32 i = 0; i < INSPECT_BYTES / sizeof(*words); i++)
        words[i] = any() << (any() % 64);
    done(question, (s64)(any() % (INSPECT_BYTES + 64)), any());
}

// As many records as there is room for, each right, and more to come: objects that are not there.
static void flood(const struct event *question)
{
    u64 count = question->words[0] / sizeof(struct sys_object);
    struct sys_object *objects = buffer();

    if (question->badge != INSPECT_SCAN) {
        endless(question);
        return;
    }
    for (u64 i = 0; i < count; i++)
        objects[i] =
            (struct sys_object){.record_bytes = sizeof(*objects),
                                .class_id = 1,
                                .coid = COID_FIRST + (question->info + i) * R13_LTT_ENTRY_SIZE,
                                .misses = UINT32_MAX};
    done(question, (s64)(count * sizeof(*objects)), question->info + count);
}

// Records that are right in form, with the largest numbers there are in them.
static void numbers(const struct event *question)
{
    u64 room = 57344;
    struct sys_object *object = buffer();

    if (question->badge == INSPECT_SCAN && question->info == 0) {
        u32 children = (u32)((room - sizeof(*object)) / sizeof(coid_t));
        memset(object, 0xff, room);
        object->record_bytes = (u32)(sizeof(*object) + children * sizeof(coid_t));
        object->child_count = children;
        done(question, object->record_bytes, UINT64_MAX);
    } else if (question->badge == INSPECT_DREF_READ && question->info == 0) {
        memset(buffer(), 0xff, room);
        done(question, (s64)(room / sizeof(struct sys_dref_count) * sizeof(struct sys_dref_count)),
             UINT64_MAX);
    } else if (question->badge == INSPECT_CLASS && question->info < 10) {
        memset(buffer(), 0xff, sizeof(struct sys_class));
        done(question, sizeof(struct sys_class), UINT64_MAX);
    } else if (question->badge == INSPECT_TRACE_STAT) {
        memset(buffer(), 0xff, sizeof(struct sys_trace_stat));
        done(question, sizeof(struct sys_trace_stat), UINT64_MAX);
    } else {
        done(question, 0, UINT64_MAX);
    }
}

// A record that says it has 2^32-1 children, and one of no length.
static void children(const struct event *question)
{
    struct sys_object one = {.record_bytes = sizeof(one), .class_id = 1, .coid = COID_FIRST};

    if (question->badge != INSPECT_SCAN) {
        endless(question);
        return;
    }
    one.child_count = UINT32_MAX;
    one.record_bytes = any() % 2 == 0 ? 0 : (u32)sizeof(one);
    memcpy(buffer(), &one, sizeof(one));
    done(question, sizeof(one), question->info + 1);
}

static void log_counts(const struct event *question)
{
    if (question->badge == INSPECT_BLOCKED_READ)
        answer_log(question, UINT32_MAX, question->info + 1);
    else
        endless(question);
}

// Packets without end that are none, or begin as one does.
static void packets(const struct event *question)
{
    u32 *words = buffer();

    if (question->badge != INSPECT_TRACE_READ) {
        answer_lists(question, rising);
        return;
    }
    for (u32 i = 0; i < INSPECT_BYTES / sizeof(*words); i++)
        words[i] = (u32)any();
    words[0] = any() % 2 == 0 ? 0xc1fc1fc1 : words[0];
    done(question, any() % 2 == 0 ? INSPECT_BYTES : (s64)(1 + any() % INSPECT_BYTES), 0);
}

static void names(const struct event *question)
{
    if (question->badge == INSPECT_CLASS)
        answer_class(question, "\xff\xc3<b>\x1b[2J\n\"Liar\"");
    else
        done(question, 0, 0);
}

// ---- memory -------------------------------------------------------------------------------------

static s64 take(u64 address, u64 bytes)
{
    struct sys_region region = {
        .address = address, .bytes = bytes, .kind = REGION_ANONYMOUS, .prot = PROT_R | PROT_W};
    return sys_region_create(0, &region);
}

// Takes the addresses that the kernel uses, before it does.
static void map(void)
{
    s64 buffer_taken = take(USER_INSPECT, INSPECT_BYTES);
    s64 before_taken = take(USER_INSPECT - PAGE, 2 * PAGE);
    s64 window_taken = take(USER_WINDOW + (ORRERY_MAX_CPUS - 1) * R13_WINDOW_SIZE, PAGE);

    if (buffer_taken == 0 || before_taken == 0 || window_taken == 0)
        printf("liars: took the kernel's addresses: %ld %ld %ld\n", buffer_taken, before_taken,
               window_taken);
}

// Takes all that its limit allows.
static void full(void)
{
    for (u64 address = USER_MAP + 0x4000000000; take(address, PAGE) == 0; address += PAGE) {
        struct sys_process_info info;
        u64 cursor = 0;
        if (sys_process_pid(0) > 0 && sys_process_list(&cursor, (void *)address, sizeof(info)) < 0)
            break; // the kernel could not write there: no page more
    }
}

// ---- all kinds ----------------------------------------------------------------------------------

const struct kind kinds[] = {
    {.name = "silent", .answer = silent},
    {.name = "stuck", .begin = stuck},
    {.name = "slow", .answer = slow},
    {.name = "late", .answer = late},
    {.name = "exits", .answer = exits},
    {.name = "again", .answer = again},
    {.name = "errors", .answer = errors},
    {.name = "memory", .answer = memory},
    {.name = "missing", .answer = missing},
    {.name = "huge", .answer = huge},
    {.name = "others", .answer = others_questions},
    {.name = "endless", .answer = endless},
    {.name = "backwards", .answer = backwards},
    {.name = "still", .answer = still},
    {.name = "flood", .answer = flood},
    {.name = "random", .answer = random_bytes},
    {.name = "numbers", .answer = numbers},
    {.name = "children", .answer = children},
    {.name = "logs", .answer = log_counts},
    {.name = "packets", .answer = packets},
    {.name = "names", .answer = names, .process_name = "\x1b[31m<b>\"\xff\n"},
    {.name = "map", .begin = map},
    {.name = "full", .begin = full, .memory_limit = 0x400000},
    {.name = "unstarted", .memory_limit = PAGE, .unstarted = true},
};
const u32 kind_count = ARRAY_SIZE(kinds);

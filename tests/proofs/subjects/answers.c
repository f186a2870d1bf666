// SPDX-License-Identifier: MIT
// What processes answer the monitor (userlib/answers). Whatever the bytes are and whatever the
// process says of them: nothing beyond them is read, what cannot be is refused, and of a sound
// answer every record can be read.
//
// What decides where the next record lies is split: a header says exactly as many as follow, too
// many, or a wrong length. No code looks at more than one record and how far the list has come, so
// what holds for the second holds for those behind it.
//
// bounds: any content, status and room; answers cut off at any byte of up to 2 classes or 3
//   counts, at any word of 1 object with up to 7 children or 2 with 3 in all, of 1 log with up to 4
//   records or 2 with 3 in all; where lists have come to: anywhere for access, 258 ids and 7
//   identifiers for the order
// proves: what cannot be is refused and moves nothing, a list only rises, sound answers are read
//   to their end, texts end
// seconds: 40
// quick: yes
// side: user
// includes: userlib/answers/include
// checks: -warn-unsigned-overflow
// eva: -eva-slevel 5000 -eva-slevel-function answer_text:0 -eva-min-loop-unroll 41
//   -eva-split-return full
#include "model/proof.h"

#include "userlib/answers/answers.c"

#define OBJECT sizeof(struct sys_object)
#define LOG sizeof(struct sys_blocked_log)
#define RECORD sizeof(struct sys_blocked_record)
#define CLASS sizeof(struct sys_class)
#define COUNT sizeof(struct sys_dref_count)
#define TEXT sizeof(((struct sys_class *)0)->name)
#define COID_LAST (R13_COUNTS - R13_LTT_ENTRY_SIZE)

static u8 memory[3 * CLASS];

// So many bytes of any content, with nothing behind them.
static u8 *any_bytes(u64 count)
{
    u8 *bytes = memory + sizeof(memory) - count;

    if (count > 0)
        Frama_C_make_unknown((char *)bytes, count);
    return bytes;
}

static struct answer_place any_place(void)
{
    return (struct answer_place){.next_class = ANY_U64(0, UINT64_MAX),
                                 .next = ANY_U64(0, UINT64_MAX),
                                 .next_cpu = ANY_U32(0, UINT32_MAX)};
}

static u64 any_room(u64 count)
{
    return ANY_U64(count, UINT64_MAX);
}

// Where a list may have come to: before all objects, at the first, in between, behind the last.
static const coid_t places[] = {0,         R13_LTT,       R13_LTT + 1, 0x123451,
                                COID_LAST, COID_LAST + 1, UINT64_MAX};

// ---- texts --------------------------------------------------------------------------------------

// A text of so many characters, each anything but NUL; of TEXT it has no NUL at all.
static void text(u64 length)
{
    char from[TEXT], to[TEXT];
    u64 most = length < TEXT ? length : TEXT - 1;

    for (u64 i = 0; i < TEXT; i++)
        from[i] = i < length ? (char)ANY_U8(1, 255) : 0;
    answer_text(to, from, TEXT);
    for (u64 i = 0; i < most; i++) {
        char one = to[i];
        //@ check printable: 0x20 <= one <= 0x7e;
    }
    char end = to[most];
    //@ check text_ends: end == 0;
}

// ---- classes ------------------------------------------------------------------------------------

static void classes(u64 count)
{
    const u8 *bytes = any_bytes(count);
    struct answer_place place = any_place();
    struct sys_class info;
    u64 whole = 0;

    if (answer_check_classes(bytes, (s64)count, any_room(count), &place) != ANSWER_SOUND) {
        //@ check reached_nonsense: \false;
        return;
    }
    struct answer_bytes answer = {bytes, count};
    while (answer_next_class(&answer, &info))
        whole++;
    //@ check all_was_read: answer.left == 0 && whole >= 1;
    //@ check reached_sound: \false;
}

static void class_order(u64 before)
{
    const u8 *bytes = any_bytes(2 * CLASS);
    struct answer_place place = {.next_class = before};
    enum answer_flaw flaw = answer_check_classes(bytes, 2 * CLASS, 2 * CLASS, &place);
    u64 after = place.next_class;

    //@ check rises_or_stays: flaw == 0 ? before + 2 <= after <= 257 : after == before;
}

// ---- objects ------------------------------------------------------------------------------------

#define NONE UINT32_MAX

static u64 object_bytes(u32 children)
{
    return children == NONE ? 0 : OBJECT + children * sizeof(coid_t);
}

static void say_object(u8 *at, u32 children, u32 record_bytes)
{
    struct sys_object *object = (struct sys_object *)at;

    object->child_count = children;
    object->record_bytes = record_bytes;
}

// An answer that begins with a whole record of so many children, or with none: what follows.
static u8 *begin_objects(u64 count, u32 lead)
{
    u8 *bytes = any_bytes(count);

    if (lead != NONE)
        say_object(bytes, lead, (u32)object_bytes(lead));
    return bytes + object_bytes(lead);
}

static void refuse_objects(u64 count)
{
    const u8 *bytes = memory + sizeof(memory) - count;
    struct answer_place place = any_place();
    enum answer_flaw flaw = answer_check_objects(bytes, (s64)count, any_room(count), &place);

    //@ check object_refused: flaw != 0;
}

static void read_objects(const u8 *bytes, u64 count)
{
    struct answer_bytes answer = {bytes, count};
    struct sys_object object;
    const coid_t *list;

    while (answer_next_object(&answer, &object, &list)) {
        u32 children = object.child_count;
        //@ check children_are_there: children == 0 || \valid_read(list + (0 .. children - 1));
        //@ check reached_object: \false;
    }
    //@ check all_was_read: answer.left == 0;
}

static void accept_objects(u64 count)
{
    const u8 *bytes = memory + sizeof(memory) - count;
    struct answer_place place = any_place();

    if (answer_check_objects(bytes, (s64)count, any_room(count), &place) == ANSWER_SOUND)
        read_objects(bytes, count);
}

// The header behind that record says anything but so many children with their length.
static void wrong_lengths(u64 count, u32 lead, u32 children)
{
    u32 whole = (u32)object_bytes(children);

    say_object(begin_objects(count, lead), children, ANY_U32(0, whole - 1));
    refuse_objects(count);
    say_object(begin_objects(count, lead), children, ANY_U32(whole + 1, UINT32_MAX));
    refuse_objects(count);
}

// All answers that begin with that record: it is the only one, or one more header follows.
static void objects_behind(u64 count, u32 lead)
{
    u64 left = count - object_bytes(lead);
    u32 children = 0;

    if (left < OBJECT) {
        begin_objects(count, lead);
        if (left == 0 && lead != NONE)
            accept_objects(count);
        else
            refuse_objects(count);
        return;
    }
    for (; object_bytes(children) <= left; children++) {
        wrong_lengths(count, lead, children);
        say_object(begin_objects(count, lead), children, (u32)object_bytes(children));
        if (object_bytes(children) == left)
            accept_objects(count);
        else if (lead != NONE) // else it is the record that leads
            refuse_objects(count);
    }
    say_object(begin_objects(count, lead), ANY_U32(children, UINT32_MAX), ANY_U32(0, UINT32_MAX));
    refuse_objects(count);
}

static void objects(u64 count)
{
    objects_behind(count, NONE);
    for (u32 lead = 0; object_bytes(lead) <= count; lead++)
        objects_behind(count, lead);
}

static void object_order(coid_t before)
{
    struct answer_place place = {.next = before};
    u8 *bytes = any_bytes(2 * OBJECT);

    say_object(bytes, 0, OBJECT);
    say_object(bytes + OBJECT, 0, OBJECT);
    enum answer_flaw flaw = answer_check_objects(bytes, 2 * OBJECT, 2 * OBJECT, &place);
    coid_t after = place.next;
    //@ check rises_or_stays: flaw == 0 ? before + 2 <= after : after == before;
}

// What no object can have, in the first record, the second, or a child of that.
static void objects_that_cannot_be(coid_t least, coid_t most)
{
    u64 count = object_bytes(1) + object_bytes(2);
    u8 *second = begin_objects(count, 1);

    say_object(second, 2, (u32)object_bytes(2));
    ((struct sys_object *)second)->coid = ANY_U64(least, most);
    refuse_objects(count);
    for (u32 i = 0; i < 2; i++) {
        Frama_C_make_unknown((char *)&((struct sys_object *)second)->coid, sizeof(coid_t));
        ((struct sys_object *)second)->children[i] = ANY_U64(least, most);
        refuse_objects(count);
    }
    say_object(begin_objects(count, 1), 2, (u32)object_bytes(2));
    ((struct sys_object *)(memory + sizeof(memory) - count))->coid = ANY_U64(least, most);
    refuse_objects(count);
}

// ---- counts -------------------------------------------------------------------------------------

static void counts(u64 count)
{
    const u8 *bytes = any_bytes(count);
    struct answer_place place = any_place();
    struct sys_dref_count one;

    if (answer_check_counts(bytes, (s64)count, any_room(count), &place) != ANSWER_SOUND) {
        //@ check reached_nonsense: \false;
        return;
    }
    struct answer_bytes answer = {bytes, count};
    while (answer_next_count(&answer, &one))
        //@ check reached_count: \false;
        ;
    //@ check all_was_read: answer.left == 0;
}

enum follows {
    LESS,      // a lesser identifier than the last
    MORE,      // a greater one
    SAME_BACK, // the last one again, of a CPU below the least that may follow
    SAME_ON,   // of another CPU
    FOLLOWS,
};

// A count of that kind; false when there is none such.
static bool say_count(struct sys_dref_count *count, coid_t before, u32 cpu, enum follows kind)
{
    if ((kind != MORE && before < 2) || (kind == SAME_BACK && cpu == 0))
        return false;
    if (kind == LESS)
        count->coid = ANY_U64(0, before - 2);
    else if (kind == MORE)
        count->coid = ANY_U64(before, UINT64_MAX);
    else
        count->coid = before - 1;
    if (kind == SAME_BACK)
        count->cpu = ANY_U32(0, cpu - 1);
    else if (kind == SAME_ON)
        count->cpu = ANY_U32(cpu, UINT32_MAX);
    return true;
}

static void count_order(coid_t before, u32 cpu, enum follows first, enum follows second)
{
    u8 *bytes = any_bytes(2 * COUNT);
    struct answer_place place = {.next = before, .next_cpu = cpu};

    if (!say_count((struct sys_dref_count *)bytes, before, cpu, first) ||
        !say_count((struct sys_dref_count *)bytes + 1, before, cpu + 1, second))
        return;
    enum answer_flaw flaw = answer_check_counts(bytes, 2 * COUNT, 2 * COUNT, &place);
    coid_t after = place.next;
    u32 next_cpu = place.next_cpu;

    if (flaw == ANSWER_SOUND) {
        bool further = after > before || (after == before && next_cpu >= cpu + 2);
        //@ check rises: further;
        //@ check a_cpu: 1 <= next_cpu <= 8;
    } else {
        //@ check stays: after == before && next_cpu == cpu;
    }
}

// ---- logs ---------------------------------------------------------------------------------------

static u64 log_bytes(u32 records)
{
    return records == NONE ? 0 : LOG + records * RECORD;
}

static void say_log(u8 *at, u32 records)
{
    ((struct sys_blocked_log *)at)->count = records;
}

static u8 *begin_logs(u64 count, u32 lead)
{
    u8 *bytes = any_bytes(count);

    if (lead != NONE)
        say_log(bytes, lead);
    return bytes + log_bytes(lead);
}

static void refuse_logs(u64 count, u64 now)
{
    const u8 *bytes = memory + sizeof(memory) - count;
    enum answer_flaw flaw = answer_check_logs(bytes, (s64)count, any_room(count), now);

    //@ check log_refused: flaw != 0;
}

static u64 any_time(void)
{
    return ANY_U64(0, UINT64_MAX);
}

static void accept_logs(u64 count)
{
    const u8 *bytes = memory + sizeof(memory) - count;
    struct answer_bytes answer = {bytes, count};
    const struct sys_blocked_record *list;
    struct sys_blocked_log log;

    if (answer_check_logs(bytes, (s64)count, any_room(count), any_time()) != ANSWER_SOUND)
        return;
    while (answer_next_log(&answer, &log, &list)) {
        u32 records = log.count;
        //@ check records_are_there: records == 0 || \valid_read(list + (0 .. records - 1));
        //@ check reached_log: \false;
    }
    //@ check all_was_read: answer.left == 0;
}

static void logs_behind(u64 count, u32 lead)
{
    u64 left = count - log_bytes(lead);
    u32 records = 0;

    if (left < LOG) {
        begin_logs(count, lead);
        if (left == 0 && lead != NONE)
            accept_logs(count);
        else
            refuse_logs(count, any_time());
        return;
    }
    for (; log_bytes(records) <= left; records++) {
        say_log(begin_logs(count, lead), records);
        if (log_bytes(records) == left)
            accept_logs(count);
        else if (lead != NONE && left - log_bytes(records) < LOG)
            refuse_logs(count, any_time());
    }
    say_log(begin_logs(count, lead), ANY_U32(records, UINT32_MAX));
    refuse_logs(count, any_time());
}

static void logs(u64 count)
{
    logs_behind(count, NONE);
    for (u32 lead = 0; log_bytes(lead) <= count; lead++)
        logs_behind(count, lead);
}

// A log of two records, and what of them cannot be.
static void records_that_cannot_be(u64 now, u64 time)
{
    u64 count = log_bytes(2);
    struct sys_blocked_record *records =
        (struct sys_blocked_record *)(begin_logs(count, NONE) + LOG);

    say_log(begin_logs(count, NONE), 2);
    records[0].time = ANY_U64(time, UINT64_MAX);
    records[1].time = ANY_U64(0, time - 1);
    refuse_logs(count, any_time());
    for (u32 i = 0; i < 2; i++) {
        say_log(begin_logs(count, NONE), 2);
        records[i].time = ANY_U64(now + 1, UINT64_MAX);
        refuse_logs(count, now);
        say_log(begin_logs(count, NONE), 2);
        records[i].operation = ANY_U32(SYS_BLOCKED_PRESENT + 1, UINT32_MAX);
        refuse_logs(count, any_time());
    }
}

// ---- the trace's counts, sizes that cannot be ---------------------------------------------------

static void trace_stat(u64 count)
{
    const u8 *bytes = any_bytes(count);
    enum answer_flaw flaw = answer_check_trace_stat(bytes, (s64)count, any_room(count));

    //@ check only_a_whole_one: flaw != 0 || count == sizeof(struct sys_trace_stat);
    if (flaw == ANSWER_SOUND) {
        //@ check reached_sound: \false;
    }
}

// More than there was room for, nothing, or an error.
static void wrong_size(s64 least, s64 most)
{
    struct answer_place place = any_place();
    const u8 *bytes = any_bytes(8);
    s64 status = ANY_S64(least, most);
    enum answer_flaw flaws[] = {
        answer_check_classes(bytes, status, 8, &place),
        answer_check_objects(bytes, status, 8, &place),
        answer_check_counts(bytes, status, 8, &place),
        answer_check_logs(bytes, status, 8, any_time()),
        answer_check_trace_stat(bytes, status, 8),
    };

    for (u32 i = 0; i < ARRAY_SIZE(flaws); i++) {
        enum answer_flaw flaw = flaws[i];
        //@ check wrong_size_is_found: flaw == ANSWER_SIZE;
    }
}

// ---- everything within the bounds ---------------------------------------------------------------

static void any_answer(void)
{
    for (u64 count = 0; count < 3 * CLASS; count++)
        classes(count);
    for (u64 count = 0; count < 3 * OBJECT; count += 4)
        objects(count);
    for (u64 count = 0; count < 4 * COUNT; count++)
        counts(count);
    for (u64 count = 0; count <= log_bytes(4); count += 4)
        logs(count);
    for (u64 count = 0; count <= sizeof(struct sys_trace_stat) + 8; count++)
        trace_stat(count);
}

static void any_order(void)
{
    for (u64 before = 0; before <= ANSWER_CLASSES_MAX + 1; before++)
        class_order(before);
    for (u32 i = 0; i < ARRAY_SIZE(places); i++) {
        object_order(places[i]);
        for (u32 cpu = 0; cpu <= ORRERY_MAX_CPUS; cpu++)
            for (u32 kinds = 0; kinds < FOLLOWS * FOLLOWS; kinds++)
                count_order(places[i], cpu, kinds / FOLLOWS, kinds % FOLLOWS);
    }
}

int main(void)
{
    for (u64 length = 0; length <= TEXT; length++)
        text(length);
    any_answer();
    any_order();
    objects_that_cannot_be(0, R13_LTT - 1);
    objects_that_cannot_be(R13_COUNTS, UINT64_MAX);
    records_that_cannot_be(0, 1);
    records_that_cannot_be(1000, UINT64_MAX);
    wrong_size(INT64_MIN, 0);
    wrong_size(9, INT64_MAX);
    //@ check reached_end: \false;
    return 0;
}

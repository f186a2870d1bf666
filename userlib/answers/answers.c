// SPDX-License-Identifier: MIT
// Checks what processes answer the monitor.
#include <user/answers.h>

#include <orrery/r13.h>
#include <orrery/user.h>
#include <string.h>

static const char *const texts[ANSWER_FLAWS] = {
    [ANSWER_SIZE] = "more than it was asked for",
    [ANSWER_CUT] = "a record that is cut off",
    [ANSWER_LENGTH] = "a record of a length that cannot be",
    [ANSWER_COID] = "an identifier that no object can have",
    [ANSWER_ORDER] = "records that do not rise",
    [ANSWER_NUMBER] = "a number that cannot be",
    [ANSWER_TIME] = "a time that cannot be",
};

const char *answer_flaw_text(enum answer_flaw flaw)
{
    return flaw > ANSWER_SOUND && flaw < ANSWER_FLAWS ? texts[flaw] : "nothing wrong";
}

// ---- what may be --------------------------------------------------------------------------------

static bool is_coid(coid_t coid)
{
    return coid >= R13_LTT && coid < R13_COUNTS && coid % R13_LTT_ENTRY_SIZE == 0;
}

void answer_text(char *to, const char *from, u64 bytes)
{
    u64 i = 0;

    for (; i + 1 < bytes && from[i] != 0; i++)
        to[i] = from[i] < 0x20 || from[i] > 0x7e ? '?' : from[i];
    to[i] = 0;
}

static enum answer_flaw check_size(s64 status, u64 room)
{
    return status > 0 && (u64)status <= room ? ANSWER_SOUND : ANSWER_SIZE;
}

// Copies the next bytes, but does not take them. Returns false if there are not so many.
static bool peek(const struct answer_bytes *answer, void *to, u64 bytes)
{
    if (answer->left < bytes)
        return false;
    memcpy(to, answer->at, bytes);
    return true;
}

static void pass(struct answer_bytes *answer, u64 bytes)
{
    answer->at += bytes;
    answer->left -= bytes;
}

static bool next(struct answer_bytes *answer, void *to, u64 bytes)
{
    bool there = peek(answer, to, bytes);

    if (there)
        pass(answer, bytes);
    return there;
}

// ---- classes ------------------------------------------------------------------------------------

bool answer_next_class(struct answer_bytes *answer, struct sys_class *class_info)
{
    struct sys_class raw;

    if (!next(answer, &raw, sizeof(raw)))
        return false;
    *class_info = raw;
    answer_text(class_info->name, raw.name, sizeof(raw.name));
    answer_text(class_info->implementation, raw.implementation, sizeof(raw.implementation));
    return true;
}

enum answer_flaw answer_check_classes(const u8 *bytes, s64 status, u64 room,
                                      struct answer_place *place)
{
    struct sys_class one;

    if (check_size(status, room) != ANSWER_SOUND)
        return ANSWER_SIZE;
    struct answer_bytes answer = {bytes, (u64)status};
    u64 next_class = place->next_class;
    while (next(&answer, &one, sizeof(one))) {
        if (one.class_id < next_class)
            return ANSWER_ORDER;
        if (one.class_id > ANSWER_CLASSES_MAX)
            return ANSWER_NUMBER;
        next_class = (u64)one.class_id + 1;
    }
    if (answer.left > 0)
        return ANSWER_CUT;
    place->next_class = next_class;
    return ANSWER_SOUND;
}

// ---- objects ------------------------------------------------------------------------------------

bool answer_next_object(struct answer_bytes *answer, struct sys_object *object,
                        const coid_t **children)
{
    if (!peek(answer, object, sizeof(*object)) || object->record_bytes > answer->left)
        return false;
    *children = (const coid_t *)(const void *)(answer->at + sizeof(*object));
    pass(answer, object->record_bytes);
    return true;
}

static enum answer_flaw check_object(const struct sys_object *object)
{
    if (object->record_bytes != sizeof(*object) + (u64)object->child_count * sizeof(coid_t))
        return ANSWER_LENGTH;
    if (!is_coid(object->coid))
        return ANSWER_COID;
    return object->rep_count > ORRERY_MAX_CPUS ? ANSWER_NUMBER : ANSWER_SOUND;
}

static enum answer_flaw check_children(const u8 *bytes, u32 count)
{
    coid_t child;

    for (u32 i = 0; i < count; i++) {
        memcpy(&child, bytes + (u64)i * sizeof(child), sizeof(child));
        if (!is_coid(child))
            return ANSWER_COID;
    }
    return ANSWER_SOUND;
}

enum answer_flaw answer_check_objects(const u8 *bytes, s64 status, u64 room,
                                      struct answer_place *place)
{
    struct sys_object object;

    if (check_size(status, room) != ANSWER_SOUND)
        return ANSWER_SIZE;
    struct answer_bytes answer = {bytes, (u64)status};
    coid_t following = place->next;
    while (peek(&answer, &object, sizeof(object))) {
        enum answer_flaw flaw = check_object(&object);
        if (flaw == ANSWER_SOUND && object.record_bytes > answer.left)
            flaw = ANSWER_CUT;
        if (flaw == ANSWER_SOUND && object.coid < following)
            flaw = ANSWER_ORDER;
        if (flaw == ANSWER_SOUND)
            flaw = check_children(answer.at + sizeof(object), object.child_count);
        if (flaw != ANSWER_SOUND)
            return flaw;
        following = object.coid + 1;
        pass(&answer, object.record_bytes);
    }
    if (answer.left > 0)
        return ANSWER_CUT;
    place->next = following;
    return ANSWER_SOUND;
}

// ---- counts -------------------------------------------------------------------------------------

bool answer_next_count(struct answer_bytes *answer, struct sys_dref_count *count)
{
    return next(answer, count, sizeof(*count));
}

// Checks that counts rise by COID, and within one COID by CPU.
static enum answer_flaw check_count(const struct sys_dref_count *count, struct answer_place *place)
{
    if (!is_coid(count->coid))
        return ANSWER_COID;
    if (count->cpu >= ORRERY_MAX_CPUS)
        return ANSWER_NUMBER;
    bool same = count->coid + 1 == place->next;
    if (same ? count->cpu < place->next_cpu : count->coid < place->next)
        return ANSWER_ORDER;
    place->next = count->coid + 1;
    place->next_cpu = count->cpu + 1;
    return ANSWER_SOUND;
}

enum answer_flaw answer_check_counts(const u8 *bytes, s64 status, u64 room,
                                     struct answer_place *place)
{
    struct answer_place moved = *place;
    struct sys_dref_count count;

    if (check_size(status, room) != ANSWER_SOUND)
        return ANSWER_SIZE;
    struct answer_bytes answer = {bytes, (u64)status};
    while (next(&answer, &count, sizeof(count))) {
        enum answer_flaw flaw = check_count(&count, &moved);
        if (flaw != ANSWER_SOUND)
            return flaw;
    }
    if (answer.left > 0)
        return ANSWER_CUT;
    *place = moved;
    return ANSWER_SOUND;
}

// ---- logs of sleep locks ------------------------------------------------------------------------

bool answer_next_log(struct answer_bytes *answer, struct sys_blocked_log *log,
                     const struct sys_blocked_record **records)
{
    if (!next(answer, log, sizeof(*log)))
        return false;
    u64 bytes = (u64)log->count * sizeof(**records);
    if (bytes > answer->left)
        return false;
    *records = (const struct sys_blocked_record *)(const void *)answer->at;
    pass(answer, bytes);
    return true;
}

static enum answer_flaw check_records(const u8 *bytes, u32 count, u64 now)
{
    struct sys_blocked_record record;
    u64 time = 0;

    for (u32 i = 0; i < count; i++) {
        memcpy(&record, bytes + (u64)i * sizeof(record), sizeof(record));
        if (record.time < time || record.time > now)
            return ANSWER_TIME;
        if (record.operation < SYS_BLOCKED_ENQUEUE || record.operation > SYS_BLOCKED_PRESENT)
            return ANSWER_NUMBER;
        time = record.time;
    }
    return ANSWER_SOUND;
}

enum answer_flaw answer_check_logs(const u8 *bytes, s64 status, u64 room, u64 now)
{
    struct sys_blocked_log log;

    if (check_size(status, room) != ANSWER_SOUND)
        return ANSWER_SIZE;
    struct answer_bytes answer = {bytes, (u64)status};
    while (next(&answer, &log, sizeof(log))) {
        u64 records = (u64)log.count * sizeof(struct sys_blocked_record);
        if (!is_coid(log.coid))
            return ANSWER_COID;
        if (records > answer.left)
            return ANSWER_CUT;
        enum answer_flaw flaw = check_records(answer.at, log.count, now);
        if (flaw != ANSWER_SOUND)
            return flaw;
        pass(&answer, records);
    }
    return answer.left > 0 ? ANSWER_CUT : ANSWER_SOUND;
}

// ---- the trace's counts -------------------------------------------------------------------------

enum answer_flaw answer_check_trace_stat(const u8 *bytes, s64 status, u64 room)
{
    struct sys_trace_stat stat;

    if (check_size(status, room) != ANSWER_SOUND)
        return ANSWER_SIZE;
    if (status != sizeof(stat))
        return ANSWER_LENGTH;
    memcpy(&stat, bytes, sizeof(stat));
    return stat.mode > SYS_TRACE_DISCARD ? ANSWER_NUMBER : ANSWER_SOUND;
}

// SPDX-License-Identifier: MIT
// Sensors by name, and the library's own (S001 §4.4.1).
#include "profiles.h"

#include <string.h>
#include <user/pmu.h>

#define COUNTERS 4

// ---- the library's own --------------------------------------------------------------------------

static s64 value_or(s64 error, u64 known, u64 *value)
{
    *value = known;
    return error;
}

static s64 sample_time(const struct profile_event *event, u64 *value)
{
    return value_or(0, event->time, value);
}

static s64 sample_cpu(const struct profile_event *event, u64 *value)
{
    return value_or(0, event->cpu, value);
}

static s64 sample_pc(const struct profile_event *event, u64 *value)
{
    return value_or(event->no_pc, event->pc, value);
}

static s64 sample_object(const struct profile_event *event, u64 *value)
{
    return value_or(event->no_object, event->object, value);
}

static s64 sample_thread(const struct profile_event *event, u64 *value)
{
    return value_or(event->no_thread, event->thread, value);
}

static s64 sample_a(const struct profile_event *event, u64 *value)
{
    return value_or(event->no_words, event->a, value);
}

static s64 sample_b(const struct profile_event *event, u64 *value)
{
    return value_or(event->no_words, event->b, value);
}

static s64 sample_ready(const struct profile_event *event, u64 *value)
{
    (void)event;
    return value_or(0, user_ready_threads(), value);
}

// E_NOENT: the chain has ended before.
static s64 caller(const struct profile_event *event, u32 which, u64 *value)
{
    if (event->no_callers == 0 && which >= event->caller_count)
        return E_NOENT;
    return value_or(event->no_callers, event->callers[which], value);
}

static s64 counter(const struct profile_event *event, u32 which, u64 *value)
{
    u64 counts[SYS_PMU_ITEMS] = {0};
    if (event->no_thread != 0)
        return event->no_thread;
    s64 error = pmu_read(counts);
    return value_or(error, counts[which], value);
}

#define NUMBERED(kind, which)                                                                      \
    static s64 sample_##kind##which(const struct profile_event *event, u64 *value)                 \
    {                                                                                              \
        return kind(event, which - 1, value);                                                      \
    }
NUMBERED(caller, 1)
NUMBERED(caller, 2)
NUMBERED(caller, 3)
NUMBERED(caller, 4)
NUMBERED(counter, 1)
NUMBERED(counter, 2)
NUMBERED(counter, 3)
NUMBERED(counter, 4)

_Static_assert(PROFILE_CALLERS == 4 && COUNTERS <= SYS_PMU_ITEMS, "one sensor each");

static const struct profile_sensor own[] = {
    {"time", "ticks", PROFILE_U64, PROFILE_SAFE, sample_time},
    {"cpu", "", PROFILE_U64, PROFILE_SAFE, sample_cpu},
    {"pc", "", PROFILE_X64, PROFILE_SAFE, sample_pc},
    {"caller1", "", PROFILE_X64, PROFILE_SAFE, sample_caller1},
    {"caller2", "", PROFILE_X64, PROFILE_SAFE, sample_caller2},
    {"caller3", "", PROFILE_X64, PROFILE_SAFE, sample_caller3},
    {"caller4", "", PROFILE_X64, PROFILE_SAFE, sample_caller4},
    {"object", "", PROFILE_X64, PROFILE_SAFE, sample_object},
    {"thread", "", PROFILE_U64, PROFILE_SAFE, sample_thread},
    {"ready", "threads", PROFILE_U64, PROFILE_SAFE, sample_ready},
    {"counter1", "events", PROFILE_U64, PROFILE_SAFE, sample_counter1},
    {"counter2", "events", PROFILE_U64, PROFILE_SAFE, sample_counter2},
    {"counter3", "events", PROFILE_U64, PROFILE_SAFE, sample_counter3},
    {"counter4", "events", PROFILE_U64, PROFILE_SAFE, sample_counter4},
    {"a", "", PROFILE_U64, PROFILE_SAFE, sample_a},
    {"b", "", PROFILE_U64, PROFILE_SAFE, sample_b},
};
#define OWN (sizeof(own) / sizeof(own[0]))

// ---- by name ------------------------------------------------------------------------------------

static const struct profile_sensor *added[PROFILE_SENSORS - OWN];
static u32 added_count;

const struct profile_sensor *profile_sensor_find(const char *name)
{
    for (u32 i = 0; i < OWN; i++)
        if (strcmp(own[i].name, name) == 0)
            return &own[i];
    for (u32 i = 0; i < added_count; i++)
        if (strcmp(added[i]->name, name) == 0)
            return added[i];
    return NULL;
}

// What a sensor of the program's own looks at is not known.
bool profile_sensor_wants_callers(const struct profile_sensor *sensor)
{
    return sensor < own || sensor >= own + OWN || strncmp(sensor->name, "caller", 6) == 0;
}

bool profile_name_is_good(const char *name, u32 most)
{
    if (name == NULL || name[0] < 'a' || name[0] > 'z')
        return false;
    for (u32 i = 1; i <= most; i++) {
        if (name[i] == '\0')
            return true;
        if ((name[i] < 'a' || name[i] > 'z') && (name[i] < '0' || name[i] > '9') && name[i] != '_')
            return false;
    }
    return false;
}

static bool is_good_unit(const char *unit)
{
    if (unit == NULL || strnlen(unit, PROFILE_UNIT_MAX + 1) > PROFILE_UNIT_MAX)
        return false;
    for (; *unit != '\0'; unit++)
        if (*unit < ' ' || *unit > '~' || strchr("\"\\%", *unit) != NULL)
            return false;
    return true;
}

// Returns whether all events have a field of this name.
static bool is_taken(const char *name)
{
    static const char *const taken[] = {"number", "behind", "source", "unknown"};
    for (u32 i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
        if (strcmp(taken[i], name) == 0)
            return true;
    return false;
}

static s64 check(const struct profile_sensor *sensor)
{
    if (!profile_name_is_good(sensor->name, PROFILE_NAME_MAX) || is_taken(sensor->name) ||
        !is_good_unit(sensor->unit) || sensor->type > PROFILE_X64 ||
        sensor->safety != PROFILE_SAFE || sensor->sample == NULL)
        return E_INVAL;
    if (profile_sensor_find(sensor->name) != NULL)
        return E_EXIST;
    return added_count < PROFILE_SENSORS - OWN ? 0 : E_LIMIT;
}

s64 profile_sensor_add(const struct profile_sensor *sensor)
{
    mutex_lock(&profiles_mutex);
    s64 error = check(sensor);
    if (error == 0)
        added[added_count++] = sensor;
    mutex_unlock(&profiles_mutex);
    return error;
}

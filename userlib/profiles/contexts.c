// SPDX-License-Identifier: MIT
// Contexts (S001 §4.4.2): described as events of the program, measured and logged.
#include "profiles.h"

#include <orrery/sys.h>
#include <stdio.h>
#include <string.h>
#include <trace/table.h>

#define HEAD_FIELDS 4 // number, behind, source, unknown
#define HEAD_WORDS 2
#define PART_VALUES (TRACE_MAX_FIELDS - HEAD_FIELDS)
#define PARTS (PROFILE_CONTEXT_SENSORS / PART_VALUES)
#define NAME_MAX 23
#define PROVIDER_MAX 15

_Static_assert(HEAD_WORDS + PART_VALUES == TRACE_MAX_WORDS, "a part fills an event");

struct context {
    const char *provider, *name;
    u32 count, parts;
    u32 first; // minor of the first part
    bool wants_callers;
    const struct profile_sensor *sensors[PROFILE_CONTEXT_SENSORS];
};

struct mutex profiles_mutex;
static struct context contexts[PROFILE_CONTEXTS];
static u32 context_count; // atomic

struct context *profile_context_get(u32 number)
{
    u32 count = __atomic_load_n(&context_count, __ATOMIC_ACQUIRE);
    return number >= 1 && number <= count ? &contexts[number - 1] : NULL;
}

bool profile_context_wants_callers(const struct context *context)
{
    return context->wants_callers;
}

// ---- descriptions -------------------------------------------------------------------------------

static u32 part_values(const struct context *context, u32 part)
{
    u32 left = context->count - part * PART_VALUES;
    return left < PART_VALUES ? left : PART_VALUES;
}

static void add_field(struct sys_trace_description *description, u8 type, const char *name)
{
    u32 at = description->field_count++;
    description->types[at] = type;
    strncpy(description->fields[at], name, sizeof(description->fields[at]) - 1);
}

static void add_format(struct sys_trace_description *description, const char *text)
{
    strncat(description->format, text,
            sizeof(description->format) - 1 - strlen(description->format));
}

static void add_value(struct sys_trace_description *description,
                      const struct profile_sensor *sensor)
{
    static const u8 types[] = {TRACE_U64, TRACE_S64, TRACE_X64};
    static const char *const conversions[] = {"=%lu", "=%ld", "=%#lx"};

    add_field(description, types[sensor->type], sensor->name);
    add_format(description, " ");
    add_format(description, sensor->name);
    add_format(description, conversions[sensor->type]);
    if (sensor->unit[0] != '\0')
        add_format(description, " ");
    add_format(description, sensor->unit);
}

#define HEAD_FORMAT "%lu (-%lu) of %lu unknown=%lx"
// A space, a name, "=%#lx", a space and a unit for each value.
_Static_assert(sizeof(HEAD_FORMAT) + PART_VALUES * (PROFILE_NAME_MAX + PROFILE_UNIT_MAX + 7) <=
                   sizeof(((struct sys_trace_description *)0)->format),
               "no format is cut");

static void describe_part(const struct context *context, u32 part,
                          struct sys_trace_description *description)
{
    memset(description, 0, sizeof(*description));
    strncpy(description->provider, context->provider, sizeof(description->provider) - 1);
    strncpy(description->name, context->name, sizeof(description->name) - 3);
    if (part != 0) {
        char end[] = {'_', (char)('1' + part), '\0'};
        strcat(description->name, end);
    }
    add_field(description, TRACE_U64, "number");
    add_field(description, TRACE_U32, "behind");
    add_field(description, TRACE_U16, "source");
    add_field(description, TRACE_U16, "unknown");
    add_format(description, HEAD_FORMAT);
    for (u32 i = 0; i < part_values(context, part); i++)
        add_value(description, context->sensors[part * PART_VALUES + i]);
}

static s64 describe(struct context *context)
{
    struct sys_trace_description parts[PARTS];

    context->parts = (context->count + PART_VALUES - 1) / PART_VALUES;
    for (u32 part = 0; part < context->parts; part++)
        describe_part(context, part, &parts[part]);
    s64 first = sys_trace_describe(parts, context->parts * sizeof(parts[0]));
    context->first = (u32)first;
    return first < 0 ? first : 0;
}

// ---- adding -------------------------------------------------------------------------------------

// Other parts' names end so.
static bool ends_as_part(const char *name)
{
    u64 length = strlen(name);
    return length >= 2 && name[length - 2] == '_' && name[length - 1] >= '0' &&
           name[length - 1] <= '9';
}

static bool is_known(const char *name)
{
    for (u32 i = 0; i < context_count; i++)
        if (strcmp(contexts[i].name, name) == 0)
            return true;
    return false;
}

static s64 find_sensors(const struct profile_context *wanted, struct context *context)
{
    for (context->count = 0; context->count < wanted->sensor_count; context->count++) {
        const char *name = wanted->sensors[context->count];
        const struct profile_sensor *sensor = name != NULL ? profile_sensor_find(name) : NULL;
        if (sensor == NULL)
            return E_NOENT;
        for (u32 i = 0; i < context->count; i++)
            if (context->sensors[i] == sensor)
                return E_INVAL;
        context->sensors[context->count] = sensor;
        context->wants_callers |= profile_sensor_wants_callers(sensor);
    }
    return 0;
}

static s64 check(const struct profile_context *wanted)
{
    if (!profile_name_is_good(wanted->provider, PROVIDER_MAX) ||
        !profile_name_is_good(wanted->name, NAME_MAX) || ends_as_part(wanted->name) ||
        wanted->sensor_count == 0 || wanted->sensors == NULL)
        return E_INVAL;
    if (is_known(wanted->name))
        return E_EXIST;
    return wanted->sensor_count <= PROFILE_CONTEXT_SENSORS && context_count < PROFILE_CONTEXTS
               ? 0
               : E_LIMIT;
}

// With the mutex. Nobody sees the context before it is counted.
static s64 add(const struct profile_context *wanted)
{
    s64 error = check(wanted);
    if (error != 0)
        return error;
    struct context *context = &contexts[context_count];
    *context = (struct context){.provider = wanted->provider, .name = wanted->name};
    if ((error = find_sensors(wanted, context)) != 0 || (error = describe(context)) != 0)
        return error;
    __atomic_store_n(&context_count, context_count + 1, __ATOMIC_RELEASE);
    return context_count;
}

s64 profile_context_add(const struct profile_context *context)
{
    mutex_lock(&profiles_mutex);
    s64 result = add(context);
    mutex_unlock(&profiles_mutex);
    return result;
}

// ---- measuring ----------------------------------------------------------------------------------

// Takes all values. Returns which are not known, a bit each; those stand for their reasons.
static u32 sample(const struct context *context, const struct profile_event *event, u64 *values)
{
    u32 unknown = 0;
    for (u32 i = 0; i < context->count; i++) {
        s64 error = context->sensors[i]->sample(event, &values[i]);
        if (error == 0)
            continue;
        values[i] = (u64)error;
        unknown |= 1u << i;
    }
    return unknown;
}

static void log_event(u32 header, u32 count, const u64 *w)
{
    switch (count) {
    case 1:
        trace_emit_3(header, w[0], w[1], w[2]);
        break;
    case 2:
        trace_emit_4(header, w[0], w[1], w[2], w[3]);
        break;
    case 3:
        trace_emit_5(header, w[0], w[1], w[2], w[3], w[4]);
        break;
    default:
        trace_emit_6(header, w[0], w[1], w[2], w[3], w[4], w[5]);
    }
}

void profile_context_write(const struct context *context, const struct profile_event *event)
{
    u64 values[PROFILE_CONTEXT_SENSORS];
    u64 words[TRACE_MAX_WORDS] = {event->number, 0};

    words[1] = (u64)event->source << 16 | sample(context, event, values);
    for (u32 part = 0; part < context->parts; part++) {
        u32 count = part_values(context, part);
        memcpy(&words[HEAD_WORDS], &values[part * PART_VALUES], count * sizeof(u64));
        u32 header = TRACE_HEADER(HEAD_WORDS + count, TRACE_MAJOR_PROGRAM, 0);
        log_event(header + context->first + part, count, words);
    }
}

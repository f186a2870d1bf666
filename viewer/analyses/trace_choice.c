// SPDX-License-Identifier: MIT
// Chooses which events of a trace are shown.
#include "analyses/trace_choice.h"
#include "tools/memory.h"
#include "tools/text.h"
#include "record/event_name.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NANOSECONDS 1000000000UL
#define MAX_SECONDS 10000000000UL

// ---- times -------------------------------------------------------------------------------------

void trace_time_text(u64 time, u64 hz, char text[TRACE_TIME_BYTES])
{
    u64 fraction = (u64)((unsigned __int128)(time % hz) * NANOSECONDS / hz);
    snprintf(text, TRACE_TIME_BYTES, "%" PRIu64 ".%09" PRIu64, time / hz, fraction);
}

// Reads "1", "1.5", or "1.123456789". Returns false if the text is no such number.
static bool to_nanoseconds(const char *text, u64 *nanoseconds)
{
    char whole[24];
    u64 seconds, fraction = 0;
    size_t length = strcspn(text, "."), digits = 0;
    snprintf(whole, sizeof(whole), "%.*s", (int)length, text);
    if (length >= sizeof(whole) || strchr(whole, 'x') != NULL ||
        !text_to_u64(whole, 0, MAX_SECONDS, &seconds))
        return false;
    if (text[length] == '.')
        while (isdigit((unsigned char)text[length + 1 + digits]) && digits < 9)
            fraction = fraction * 10 + (u64)(text[length + 1 + digits++] - '0');
    if (text[length] == '.' && (digits == 0 || text[length + 1 + digits] != '\0'))
        return false;
    for (; digits < 9; digits++)
        fraction *= 10;
    *nanoseconds = seconds * NANOSECONDS + fraction;
    return true;
}

static int check_time(const char *option, const char *text)
{
    u64 nanoseconds;
    if (text == NULL || to_nanoseconds(text + (text[0] == '+'), &nanoseconds))
        return KOV_OK;
    return fail(KOV_USAGE,
                "--%s %s: must be SECONDS, or +SECONDS from the beginning, with at most "
                "nine digits behind the point",
                option, text);
}

// Returns the first tick that is shown as this time or later, `more` nanoseconds further on.
static u64 first_tick_of(const char *text, u64 more, u64 hz, u64 begin)
{
    u64 nanoseconds = 0;
    bool relative = text[0] == '+';
    to_nanoseconds(text + relative, &nanoseconds);
    unsigned __int128 product = ((unsigned __int128)nanoseconds + more) * hz;
    unsigned __int128 ticks = (product + NANOSECONDS - 1) / NANOSECONDS + (relative ? begin : 0);
    return ticks > UINT64_MAX ? UINT64_MAX : (u64)ticks;
}

int trace_time_read(const char *option, const char *text, u64 hz, u64 begin, u64 *time)
{
    int code = check_time(option, text);
    if (code == KOV_OK)
        *time = first_tick_of(text, 0, hz, begin);
    return code;
}

// ---- conditions --------------------------------------------------------------------------------

static const struct {
    const char *text;
    enum comparison comparison;
} operators[] = {
    {"==", IS_EQUAL}, {"!=", IS_OTHER}, {"<=", IS_LESS_OR_EQUAL}, {">=", IS_MORE_OR_EQUAL},
    {"=", IS_EQUAL},  {"<", IS_LESS},   {">", IS_MORE},
};

static const char *parse_operator(const char *text, enum comparison *comparison)
{
    for (size_t i = 0; i < ARRAY_SIZE(operators); i++)
        if (strncmp(text, operators[i].text, strlen(operators[i].text)) == 0) {
            *comparison = operators[i].comparison;
            return text + strlen(operators[i].text);
        }
    return NULL;
}

static bool parse_condition(const char *text, struct condition *condition)
{
    size_t length = 0;
    text += strspn(text, " ");
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    if (length == 0 || length >= sizeof(condition->field))
        return false;
    snprintf(condition->field, sizeof(condition->field), "%.*s", (int)length, text);
    text += length;
    text = parse_operator(text + strspn(text, " "), &condition->comparison);
    if (text == NULL)
        return false;
    text += strspn(text, " ");
    bool negative = text[0] == '-';
    u64 number = 0;
    condition->is_number = text_to_u64(text + negative, 0, UINT64_MAX, &number);
    condition->text = condition->comparison <= IS_OTHER ? text : "";
    if (!condition->is_number && condition->text[0] == '\0')
        return false;
    condition->number = negative ? -(__int128)number : (__int128)number;
    return true;
}

static bool holds(const struct condition *condition, __int128 value)
{
    switch (condition->comparison) {
    case IS_EQUAL:
        return value == condition->number;
    case IS_OTHER:
        return value != condition->number;
    case IS_LESS:
        return value < condition->number;
    case IS_LESS_OR_EQUAL:
        return value <= condition->number;
    case IS_MORE:
        return value > condition->number;
    case IS_MORE_OR_EQUAL:
        return value >= condition->number;
    }
    return false;
}

// Compares a text, which has no order. It is compared literally, also with `name = 7`.
static bool text_holds(const struct condition *condition, const struct trace_event *event)
{
    char text[TRACE_TEXT_BYTES];
    trace_event_string(event, text);
    return condition->text[0] != '\0' &&
           (strcmp(text, condition->text) == 0) == (condition->comparison == IS_EQUAL);
}

static bool event_holds(const struct condition *condition, const struct trace_event *event,
                        const u64 values[TRACE_MAX_FIELDS])
{
    const struct trace_event_info *info = &event->description->info;
    for (u32 i = 0; i < info->field_count; i++)
        if (strcmp(info->fields[i].name, condition->field) == 0)
            return info->fields[i].type == TRACE_TEXT
                       ? text_holds(condition, event)
                       : condition->is_number && holds(condition, info->fields[i].type == TRACE_S64
                                                                      ? (__int128)(s64)values[i]
                                                                      : (__int128)values[i]);
    return false;
}

// Returns whether an event has such a field, and whether it can be compared so.
static bool has_field(const struct descriptions *descriptions, const struct condition *condition)
{
    for (size_t i = 0; i < descriptions->count; i++) {
        const struct trace_event_info *info = &descriptions->events[i].info;
        for (u32 field = 0; field < info->field_count; field++)
            if (strcmp(info->fields[field].name, condition->field) == 0 &&
                (info->fields[field].type == TRACE_TEXT ? condition->text[0] != '\0'
                                                        : condition->is_number))
                return true;
    }
    return false;
}

// ---- the choice --------------------------------------------------------------------------------

int trace_choice_check(const struct trace_options *options)
{
    struct condition condition;
    int code = check_time("from", options->from);
    if (code == KOV_OK)
        code = check_time("to", options->to);
    for (u32 i = 0; code == KOV_OK && i < options->where.count; i++)
        if (!parse_condition(options->where.texts[i], &condition))
            code = fail(
                KOV_USAGE,
                "--where '%s': must be FIELD OP NUMBER, OP one of = != < <= > >=, or FIELD = TEXT",
                options->where.texts[i]);
    return code;
}

static int choose_events(struct trace_choice *choice, const char *list)
{
    choice->wanted = memory_get(choice->descriptions->count * sizeof(bool));
    for (;;) {
        size_t length = strcspn(list, ",");
        bool found = false;
        for (size_t i = 0; i < choice->descriptions->count && length > 0; i++) {
            const struct event_description *event = &choice->descriptions->events[i];
            if (event_name_fits(event->full_name, event->info.major, list, length))
                choice->wanted[i] = found = true;
        }
        if (!found) {
            struct near near = {.typed = list, .length = length};
            for (size_t i = 0; i < choice->descriptions->count; i++)
                event_name_offer(&near, choice->descriptions->events[i].full_name);
            return fail(KOV_USAGE, "'%.*s' is no major or event of this trace%s", (int)length, list,
                        near_hint(&near));
        }
        if (list[length] == '\0')
            return KOV_OK;
        list += length + 1;
    }
}

int trace_choice_decide(struct trace_choice *choice, const struct trace_options *options,
                        const struct descriptions *descriptions, u64 begin)
{
    u64 hz = descriptions->hz;
    *choice = (struct trace_choice){
        .from = options->from == NULL ? 0 : first_tick_of(options->from, 0, hz, begin),
        .to = options->to == NULL ? UINT64_MAX : first_tick_of(options->to, 1, hz, begin) - 1,
        .cpu = options->cpu,
        .pid = options->pid,
        .descriptions = descriptions,
    };
    if (options->to != NULL && first_tick_of(options->to, 0, hz, begin) < choice->from)
        return fail(KOV_USAGE, "--from %s is behind --to %s", options->from, options->to);
    for (u32 i = 0; i < options->where.count; i++) {
        struct condition *condition = &choice->conditions[choice->condition_count++];
        if (!parse_condition(options->where.texts[i], condition) ||
            !has_field(descriptions, condition))
            return fail(KOV_USAGE,
                        "--where '%s': no event of this trace has such a field, or it cannot be "
                        "compared so",
                        options->where.texts[i]);
    }
    return options->events == NULL ? KOV_OK : choose_events(choice, options->events);
}

void trace_choice_free(struct trace_choice *choice)
{
    free(choice->wanted);
    *choice = (struct trace_choice){0};
}

bool trace_choice_has_stream(const struct trace_choice *choice, u32 pid, u32 cpu)
{
    return (choice->cpu == TRACE_ANY || choice->cpu == cpu) &&
           (choice->pid == TRACE_ANY || choice->pid == pid);
}

bool trace_choice_has(const struct trace_choice *choice, const struct trace_event *event)
{
    return trace_choice_has_stream(choice, event->pid, event->cpu) &&
           trace_choice_has_of_any(choice, event);
}

bool trace_choice_has_of_any(const struct trace_choice *choice, const struct trace_event *event)
{
    u64 values[TRACE_MAX_FIELDS];
    if (choice->cpu != TRACE_ANY && choice->cpu != event->cpu)
        return false;
    if (event->description == NULL)
        return choice->wanted == NULL && choice->condition_count == 0;
    if (choice->wanted != NULL &&
        !choice->wanted[event->description - choice->descriptions->events])
        return false;
    if (choice->condition_count > 0)
        trace_event_fields(event, values);
    for (u32 i = 0; i < choice->condition_count; i++)
        if (!event_holds(&choice->conditions[i], event, values))
            return false;
    return true;
}

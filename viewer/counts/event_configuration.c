// SPDX-License-Identifier: MIT
// Parses the text of a configuration line by line, and writes it.
#include "counts/event_configuration.h"
#include "tools/number_list.h"
#include "tools/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <orrery/pmu.h>
#include <string.h>

#define BLANKS " "
#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_. "
#define PERIOD_MIN 16
#define PERIOD_MAX 0x7fffffff

// The line that is being parsed, for messages.
struct line {
    const char *origin;
    u32 number;
};

int configuration_check_name(const char *name)
{
    size_t length = strlen(name);
    if (length == 0 || length >= CONFIGURATION_NAME_BYTES || name[0] == '.' || name[0] == ' ' ||
        name[length - 1] == ' ' || strspn(name, NAME_CHARACTERS) != length)
        return fail(KOV_USAGE,
                    "'%s' can be no name of a configuration: letters, digits, blanks, - _ . only, "
                    "at most %d",
                    name, CONFIGURATION_NAME_BYTES - 1);
    return KOV_OK;
}

// ---- values ------------------------------------------------------------------------------------

static bool valid_number(const char *text, size_t length, u64 minimum, u64 maximum)
{
    char number[24];
    u64 value;
    if (length == 0 || length >= sizeof(number))
        return false;
    snprintf(number, sizeof(number), "%.*s", (int)length, text);
    return text_to_u64(number, minimum, maximum, &value);
}

// Returns whether the text is EVENT[:u|:k][@PERIOD].
static bool valid_event(const char *text, size_t length)
{
    const char *at = memchr(text, '@', length), *colon = memchr(text, ':', length);
    size_t event = at == NULL ? length : (size_t)(at - text);
    size_t name = colon == NULL ? event : (size_t)(colon - text);
    if (at != NULL && !valid_number(at + 1, length - event - 1, PERIOD_MIN, PERIOD_MAX))
        return false;
    if (colon != NULL && (event != name + 2 || (colon[1] != 'u' && colon[1] != 'k')))
        return false;
    for (size_t i = 0; i < name; i++)
        if (!islower((unsigned char)text[i]) && !isdigit((unsigned char)text[i]) && text[i] != '-')
            return false;
    return name > 0;
}

static int fail_at(const struct line *line, const char *what, const char *text, int length)
{
    return fail(KOV_FAILED, "%s:%" PRIu32 ": %s: '%.*s'", line->origin, line->number, what, length,
                text);
}

// Calls check for each part between commas. *count is how many there are.
static int check_list(const struct line *line, const char *text, const char *what,
                      bool check(const char *, size_t), u32 *count)
{
    for (*count = 1;; (*count)++) {
        size_t length = strcspn(text, ",");
        if (!check(text, length))
            return fail_at(line, what, text, (int)length);
        if (text[length] == '\0')
            return KOV_OK;
        text += length + 1;
    }
}

static bool valid_share(const char *text, size_t length)
{
    return valid_number(text, length, 1, SYS_PMU_SHARE_MAX);
}

static int take_number(const struct line *line, const char *text, u64 minimum, u64 maximum,
                       u64 *number)
{
    if (*number != 0)
        return fail_at(line, "given twice", text, (int)strlen(text));
    if (text_to_u64(text, minimum, maximum, number))
        return KOV_OK;
    return fail(KOV_FAILED, "%s:%" PRIu32 ": '%s' is no number from %" PRIu64 " to %" PRIu64,
                line->origin, line->number, text, minimum, maximum);
}

static int take_text(const struct line *line, const char *text, const char **to)
{
    if (*to != NULL)
        return fail_at(line, "given twice", text, (int)strlen(text));
    *to = text;
    return KOV_OK;
}

static int take_set(const struct line *line, const char *text, struct configuration *out)
{
    u32 count;
    int code = check_list(line, text, "no event, such as larx:k or larx@1000", valid_event, &count);
    if (code != KOV_OK)
        return code;
    if (out->sets.count == TEXTS_MAX)
        return fail_at(line, "more sets than there may be", text, (int)strlen(text));
    out->sets.texts[out->sets.count++] = text;
    return KOV_OK;
}

// ---- lines -------------------------------------------------------------------------------------

static int take_key(const struct line *line, const char *key, const char *value,
                    struct configuration *out)
{
    if (strcmp(key, "events") == 0)
        return take_set(line, value, out);
    if (strcmp(key, "about") == 0)
        return take_text(line, value, &out->about);
    if (strcmp(key, "shares") == 0) {
        u32 count;
        int code =
            check_list(line, value, "shares must be numbers from 1 to 1000", valid_share, &count);
        return code == KOV_OK ? take_text(line, value, &out->shares) : code;
    }
    if (strcmp(key, "cpus") == 0) {
        u64 mask;
        if (!number_list_parse(value, &mask) || mask > UINT32_MAX)
            return fail_at(line, "no list of CPUs, such as 0-2,5", value, (int)strlen(value));
        return take_text(line, value, &out->cpus);
    }
    if (strcmp(key, "slice") == 0)
        return take_number(line, value, SYS_PMU_SLICE_MIN, SYS_PMU_SLICE_MAX, &out->slice);
    if (strcmp(key, "period") == 0)
        return take_number(line, value, PERIOD_MIN, PERIOD_MAX, &out->period);
    return fail_at(line, "must be about, events, shares, cpus, slice or period", key,
                   (int)strlen(key));
}

static int take_line(const struct line *line, char *text, struct configuration *out)
{
    text += strspn(text, BLANKS);
    size_t length = strlen(text);
    while (length > 0 && strchr(BLANKS, text[length - 1]) != NULL)
        text[--length] = '\0';
    if (*text == '\0' || *text == '#')
        return KOV_OK;
    char *value = text + strcspn(text, BLANKS);
    if (*value == '\0')
        return fail_at(line, "a value must follow", text, (int)length);
    *value++ = '\0';
    return take_key(line, text, value + strspn(value, BLANKS), out);
}

static bool has_event(const char *list, const char *event, size_t length)
{
    for (const char *at = list; *at != '\0'; at += strcspn(at, ",")) {
        at += *at == ',';
        if (strcspn(at, ",") == length && strncmp(at, event, length) == 0)
            return true;
    }
    return false;
}

// Joins the events of all sets, each once. The result is no longer than the sets together.
static void join(struct configuration *out)
{
    char *end = out->joined;
    *end = '\0';
    for (u32 set = 0; set < out->sets.count; set++)
        for (const char *at = out->sets.texts[set]; *at != '\0'; at += *at == ',') {
            size_t length = strcspn(at, ",");
            if (!has_event(out->joined, at, length))
                end += sprintf(end, "%s%.*s", end == out->joined ? "" : ",", (int)length, at);
            at += length;
        }
    out->events = out->joined;
}

static int check_whole(const char *origin, const struct configuration *out)
{
    u32 shares = 1;
    if (out->sets.count == 0)
        return fail(KOV_FAILED, "%s: there is no line with events", origin);
    for (const char *at = out->shares; at != NULL && *at != '\0'; at++)
        shares += *at == ',';
    if (out->shares != NULL && shares != out->sets.count)
        return fail(KOV_FAILED, "%s: shares must be one for each of the %" PRIu32 " sets of events",
                    origin, out->sets.count);
    return KOV_OK;
}

int configuration_parse(const char *origin, struct configuration *out)
{
    struct line line = {.origin = origin};
    int code = KOV_OK;
    for (char *c = out->text; *c != '\0'; c++)
        *c = *c == '\t' || *c == '\r' ? ' ' : *c;
    text_make_printable(out->text, true);
    for (char *at = out->text, *next = at; at != NULL && code == KOV_OK; at = next) {
        next = strchr(at, '\n');
        if (next != NULL)
            *next++ = '\0';
        line.number++;
        code = take_line(&line, at, out);
    }
    if (code == KOV_OK)
        code = check_whole(origin, out);
    if (code == KOV_OK)
        join(out);
    out->about = out->about == NULL ? "" : out->about;
    return code;
}

// ---- use ---------------------------------------------------------------------------------------

struct texts configuration_count_sets(struct configuration *configuration)
{
    struct texts sets = {.count = configuration->sets.count};
    char *to = configuration->counted;
    for (u32 set = 0; set < sets.count; set++) {
        sets.texts[set] = to;
        for (const char *at = configuration->sets.texts[set]; *at != '\0'; at++) {
            if (*at == '@')
                at += strcspn(at, ",");
            if (*at == '\0')
                break;
            *to++ = *at;
        }
        *to++ = '\0';
    }
    return sets;
}

void configuration_write(FILE *out, const struct configuration *configuration)
{
    if (*configuration->about != '\0')
        fprintf(out, "about %s\n", configuration->about);
    for (u32 set = 0; set < configuration->sets.count; set++)
        fprintf(out, "events %s\n", configuration->sets.texts[set]);
    if (configuration->shares != NULL)
        fprintf(out, "shares %s\n", configuration->shares);
    if (configuration->cpus != NULL)
        fprintf(out, "cpus %s\n", configuration->cpus);
    if (configuration->slice != 0)
        fprintf(out, "slice %" PRIu64 "\n", configuration->slice);
    if (configuration->period != 0)
        fprintf(out, "period %" PRIu64 "\n", configuration->period);
}

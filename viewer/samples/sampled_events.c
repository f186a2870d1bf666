// SPDX-License-Identifier: MIT
// The events of a sampling session, with the names of the command line and the numbers of the
// protocol.
#include "samples/sampled_events.h"
#include "tools/text.h"

#include <inttypes.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <string.h>

#define UNIT_OF_CPU "driver" // its only event is run cycles

static int set_event(struct sampled_event *event, const char *name, size_t length,
                     const struct event_list *list)
{
    const struct event_info *info = event_list_find(list, name, length);
    bool run_cycles = text_is(name, length, RUN_CYCLES_NAME) ||
                      (info != NULL && strcmp(info->unit, UNIT_OF_CPU) == 0);
    if (info == NULL && !run_cycles)
        return fail(KOV_USAGE, "--event: the machine has no event '%.*s': see `kov events`%s",
                    (int)length, name,
                    event_list_has_unit(list, "model")
                        ? ""
                        : " (it runs without the model unit, and has run-cycles only)");
    event->event = run_cycles ? SAMPLED_RUN_CYCLES : SAMPLED_MODEL + info->event;
    snprintf(event->name, sizeof(event->name), "%.*s", (int)length, name);
    if (run_cycles && event->mode != COUNT_ALL)
        return fail(KOV_USAGE, "--event: %s are sampled in user and kernel at once", event->name);
    return KOV_OK;
}

static int set_period(struct sampled_event *event, const char *text, size_t length)
{
    char number[24];
    snprintf(number, sizeof(number), "%.*s", (int)(length > 23 ? 23 : length), text);
    if (!text_to_u64(number, SYS_PRECISE_PERIOD_MIN, SYS_PERIOD_MAX, &event->period))
        return fail(KOV_USAGE, "--event: behind the @ must be a threshold from %d to %d, not '%s'",
                    SYS_PRECISE_PERIOD_MIN, SYS_PERIOD_MAX, number);
    return KOV_OK;
}

static int add(struct sampled_events *events, const struct sampled_event *event)
{
    for (u32 i = 0; i < events->count; i++)
        if (events->events[i].event == event->event && events->events[i].mode == event->mode)
            return fail(KOV_USAGE, "--event: %s%s is named twice", event->name,
                        count_mode_suffix(event->mode));
    if (events->count == SAMPLED_EVENTS_MAX)
        return fail(KOV_USAGE, "--event: at most %d events are sampled in one session",
                    SAMPLED_EVENTS_MAX);
    events->events[events->count++] = *event;
    return KOV_OK;
}

// Adds the event of EVENT[:MODE][@PERIOD].
static int add_word(struct sampled_events *events, const char *text, size_t length,
                    const struct event_list *list)
{
    struct sampled_event event = {0};
    int code = KOV_OK;
    const char *at = memchr(text, '@', length);
    size_t rest = at == NULL ? length : (size_t)(at - text);
    if (at != NULL)
        code = set_period(&event, at + 1, length - rest - 1);
    const char *colon = memchr(text, ':', rest);
    size_t name = colon == NULL ? rest : (size_t)(colon - text);
    size_t mode = rest - name - (colon != NULL);
    if (code == KOV_OK && colon != NULL && !count_mode_parse(colon + 1, mode, &event.mode))
        code =
            fail(KOV_USAGE, "--event: behind the colon must be u (user) or k (kernel), not '%.*s'",
                 (int)mode, colon + 1);
    if (code == KOV_OK)
        code = set_event(&event, text, name, list);
    return code == KOV_OK ? add(events, &event) : code;
}

int sampled_events_add(struct sampled_events *events, const char *text,
                       const struct event_list *list)
{
    for (;;) {
        size_t length = strcspn(text, ",");
        int code = add_word(events, text, length, list);
        if (code != KOV_OK || text[length] == '\0')
            return code;
        text += length + 1;
    }
}

void sampled_events_add_run_cycles(struct sampled_events *events)
{
    struct sampled_event event = {.event = SAMPLED_RUN_CYCLES, .name = RUN_CYCLES_NAME};
    events->events[events->count++] = event;
}

const char *sampled_event_title(const struct sampled_event *event, char title[SAMPLED_TITLE_BYTES])
{
    snprintf(title, SAMPLED_TITLE_BYTES, "%s%s", event->name, count_mode_suffix(event->mode));
    return title;
}

u32 sampled_events_find(const struct sampled_events *events, const char *text, size_t length)
{
    u32 found = 0, exact = 0;
    for (u32 i = 0; i < events->count; i++) {
        char title[SAMPLED_TITLE_BYTES];
        if (text_is(text, length, events->events[i].name))
            found |= 1u << i;
        if (text_is(text, length, sampled_event_title(&events->events[i], title)))
            exact |= 1u << i;
    }
    return exact != 0 ? exact : found;
}

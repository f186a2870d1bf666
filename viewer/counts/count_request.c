// SPDX-License-Identifier: MIT
// What `kov stat -e` is to count: sets of events.
#include "counts/count_request.h"
#include "tools/number_list.h"
#include "tools/text.h"

#include <orrery/pmu.h>
#include <string.h>

const char *count_mode_suffix(enum count_mode mode)
{
    return mode == COUNT_USER ? ":u" : mode == COUNT_KERNEL ? ":k" : "";
}

const char *count_mode_name(enum count_mode mode)
{
    static const char *const names[COUNT_MODES] = {"all", "kernel", "user"};
    return mode < COUNT_MODES ? names[mode] : "unknown";
}

const char *count_item_name(const struct count_item *item, char name[COUNT_NAME_BYTES])
{
    snprintf(name, COUNT_NAME_BYTES, "%s%s", item->event->name, count_mode_suffix(item->mode));
    return name;
}

bool count_mode_parse(const char *text, size_t length, enum count_mode *mode)
{
    if (text_is(text, length, "u"))
        *mode = COUNT_USER;
    else if (text_is(text, length, "k"))
        *mode = COUNT_KERNEL;
    else
        return false;
    return true;
}

static int add_item(struct count_request *request, const struct event_info *event,
                    enum count_mode mode)
{
    u32 set = request->set_count;
    for (u32 i = 0; i < request->item_count; i++) {
        const struct count_item *item = &request->items[i];
        if (item->set == set && item->event == event && item->mode == mode)
            return fail(KOV_USAGE, "--event: %s%s is twice in one set", event->name,
                        count_mode_suffix(mode));
    }
    if (request->item_count == COUNT_ITEMS_MAX)
        return fail(KOV_USAGE, "--event: more than %d events", COUNT_ITEMS_MAX);
    request->items[request->item_count++] = (struct count_item){event, mode, set};
    return KOV_OK;
}

static int add_events(struct count_request *request, const struct event_list *list,
                      const char *name, size_t length, enum count_mode mode)
{
    const struct event_info *event = event_list_find(list, name, length);
    if (event != NULL)
        return add_item(request, event, mode);
    if (!text_is(name, length, "all"))
        return fail(KOV_USAGE, "--event: the machine has no event '%.*s': see `kov events`%s",
                    (int)length, name,
                    event_list_has_unit(list, "model")
                        ? ""
                        : " (it runs without the model unit, which has most)");
    int code = KOV_OK;
    for (size_t i = 0; i < list->count && code == KOV_OK; i++)
        code = add_item(request, &list->events[i], mode);
    return code;
}

static int add_word(struct count_request *request, const struct event_list *list, const char *text,
                    size_t length)
{
    const char *colon = memchr(text, ':', length);
    size_t name = colon == NULL ? length : (size_t)(colon - text);
    enum count_mode mode = COUNT_ALL;
    if (colon != NULL && !count_mode_parse(colon + 1, length - name - 1, &mode))
        return fail(KOV_USAGE, "--event %.*s: behind the colon must be u (user) or k (kernel)",
                    (int)length, text);
    return add_events(request, list, text, name, mode);
}

static int add_set(struct count_request *request, const struct event_list *list, const char *text)
{
    for (;;) {
        size_t length = strcspn(text, ",");
        int code = add_word(request, list, text, length);
        if (code != KOV_OK || text[length] == '\0')
            return code;
        text += length + 1;
    }
}

static int parse_shares(const char *text, struct count_request *request)
{
    for (u32 set = 0; set < request->set_count; set++)
        request->shares[set] = 1;
    for (u32 set = 0; text != NULL; set++) {
        size_t length = strcspn(text, ",");
        char number[8];
        u64 share;
        snprintf(number, sizeof(number), "%.*s", (int)(length > 7 ? 7 : length), text);
        if (!text_to_u64(number, 1, SYS_PMU_SHARE_MAX, &share))
            return fail(KOV_USAGE, "--shares: must be numbers from 1 to %d", SYS_PMU_SHARE_MAX);
        bool last = text[length] == '\0';
        if (set >= request->set_count || (last && set + 1 != request->set_count))
            return fail(KOV_USAGE, "--shares: must be one for each of the %u sets",
                        request->set_count);
        request->shares[set] = (u32)share;
        text = last ? NULL : text + length + 1;
    }
    return KOV_OK;
}

int cpu_list_parse(const char *text, u32 *mask)
{
    u64 cpus = 0;
    if (text != NULL && (!number_list_parse(text, &cpus) || cpus > UINT32_MAX))
        return fail(KOV_USAGE, "--cpus %s: must be a list of CPUs, such as 0-2,5", text);
    *mask = (u32)cpus;
    return KOV_OK;
}

u32 count_slice_event(const struct event_list *list)
{
    static const char *const choice[] = {"instructions", "cycles"};
    for (size_t i = 0; i < ARRAY_SIZE(choice); i++) {
        const struct event_info *event = event_list_find(list, choice[i], strlen(choice[i]));
        if (event != NULL)
            return event->event;
    }
    return 0;
}

int count_request_parse(const struct count_options *options, const struct event_list *list,
                        struct count_request *request)
{
    *request = (struct count_request){.slice = options->slice, .tasks = options->tasks};
    for (u32 set = 0; set < options->sets.count; set++) {
        int code = add_set(request, list, options->sets.texts[set]);
        if (code != KOV_OK)
            return code;
        request->set_count++;
    }
    request->slice_event = count_slice_event(list);
    int code = parse_shares(options->shares, request);
    return code == KOV_OK ? cpu_list_parse(options->cpus, &request->cpu_mask) : code;
}

// SPDX-License-Identifier: MIT
// Arrows from one track to another. Both ends are written when the second one comes, so every arrow
// leads somewhere. Readers sort by time.
#include "export/chrome.h"

static struct chrome_mark mark_of(const struct arrow_end *end)
{
    return (struct chrome_mark){.time = end->time, .track = chrome_track_of(end)};
}

void chrome_draw_call(void *context, const struct arrow *arrow)
{
    struct chrome_mark from = mark_of(&arrow->from), to = mark_of(&arrow->to);
    chrome_write_arrow(context, "call", &from, &to);
}

struct chrome_wake chrome_take_wake(struct chrome *chrome, u64 thread)
{
    struct arrow_end from;
    if (!arrows_take_wake(&chrome->begun, thread, &from))
        return (struct chrome_wake){0};
    return (struct chrome_wake){from.time, chrome_track_of(&from)};
}

void chrome_draw_wake(struct chrome *chrome, const struct chrome_wake *wake,
                      struct chrome_track track, u64 time)
{
    struct chrome_mark from = {.time = wake->time, .track = wake->track};
    struct chrome_mark to = {.time = time, .track = track};
    if (wake->time != 0)
        chrome_write_arrow(chrome, "wake", &from, &to);
}

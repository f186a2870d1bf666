// SPDX-License-Identifier: MIT
// Joins neighbours on a track that are shorter than what the user wants to see (--min).
#include "export/chrome.h"

#include <string.h>

bool chrome_is_short(const struct chrome *chrome, u64 from, u64 to)
{
    return to - from < chrome->min;
}

void chrome_many_write(struct chrome *chrome, struct chrome_many *many, struct chrome_track track)
{
    if (many->slices == 1) {
        chrome_write_slice_begin(chrome, track, many->name, many->from);
        chrome_write_slice_end(chrome, track, many->name, many->to);
    } else if (many->slices > 1) {
        chrome_write_many(chrome, many, track);
        chrome->joined += many->slices;
    }
    chrome_draw_wake(chrome, &many->wake, track, many->from);
    *many = (struct chrome_many){0};
}

static void add(struct chrome_many *many, const char *name, u64 from, u64 to)
{
    if (many->slices == 0) {
        *many = (struct chrome_many){.from = from, .to = to};
        strncpy(many->name, name, sizeof(many->name) - 1);
    }
    many->slices++;
    many->ticks += to - from;
    many->to = to > many->to ? to : many->to;
}

void chrome_slice(struct chrome *chrome, struct chrome_many *many, struct chrome_track track,
                  const char *name, u64 from, u64 to)
{
    bool is_short = chrome_is_short(chrome, from, to);
    // Threads of a trace with damages may run on two CPUs at once.
    bool follows = from <= many->to || chrome_is_short(chrome, many->to, from);
    if (!is_short || !follows)
        chrome_many_write(chrome, many, track);
    if (is_short) {
        add(many, name, from, to);
        return;
    }
    chrome_write_slice_begin(chrome, track, name, from);
    chrome_write_slice_end(chrome, track, name, to);
}

void chrome_short_run(struct chrome *chrome, const struct chrome_run *run, const char *name, u64 to)
{
    struct chrome_many *many = chrome_many_of(chrome, run->track);
    chrome_slice(chrome, many, run->track, name, run->from, to);
    if (many->slices == 1)
        many->wake = run->wake;
    else
        chrome_draw_wake(chrome, &run->wake, run->track, run->from);
}

struct chrome_many *chrome_many_of(struct chrome *chrome, struct chrome_track track)
{
    struct chrome_mark *mark = chrome_mark_get(&chrome->many, chrome_track_id(track));
    mark->track = track;
    return &mark->many;
}

void chrome_many_end(struct chrome *chrome)
{
    for (size_t i = 0; i < chrome->many.count; i++)
        chrome_many_write(chrome, &chrome->many.marks[i].many, chrome->many.marks[i].track);
}

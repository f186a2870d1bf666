// SPDX-License-Identifier: MIT
// Marks by number, in a sorted array, since they are few.
#include "export/chrome.h"
#include "tools/memory.h"

#include <orrery/lower_bound.h>

#include <string.h>

static size_t place_of(const struct chrome_marks *marks, u64 id)
{
    return LOWER_BOUND(at, marks->count, marks->marks[at].id < id);
}

struct chrome_mark *chrome_mark_find(const struct chrome_marks *marks, u64 id)
{
    size_t place = place_of(marks, id);
    return place < marks->count && marks->marks[place].id == id ? &marks->marks[place] : NULL;
}

struct chrome_mark *chrome_mark_get(struct chrome_marks *marks, u64 id)
{
    size_t place = place_of(marks, id);
    if (place < marks->count && marks->marks[place].id == id)
        return &marks->marks[place];
    marks->marks = memory_grow(marks->marks, marks->count, &marks->capacity, sizeof(*marks->marks));
    struct chrome_mark *mark = &marks->marks[place];
    memmove(mark + 1, mark, (marks->count++ - place) * sizeof(*mark));
    *mark = (struct chrome_mark){.id = id};
    return mark;
}

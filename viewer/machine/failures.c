// SPDX-License-Identifier: MIT
// Processes whose part of an answer is missing, and why.
#include "machine/failures.h"
#include "tools/memory.h"
#include "tools/text.h"

#include <orrery/errors.h>
#include <stdlib.h>
#include <string.h>

#define FAILURES_MAX 65536

static size_t place_of(const struct failures *failures, u32 pid)
{
    size_t place = 0;
    while (place < failures->count && failures->list[place].pid != pid)
        place++;
    return place;
}

void failures_add(struct failures *failures, u32 pid, s32 error, const char *reason)
{
    if (failures->count == FAILURES_MAX || place_of(failures, pid) < failures->count)
        return;
    bool empty = reason == NULL || reason[0] == '\0';
    failures->list =
        memory_grow(failures->list, failures->count, &failures->capacity, sizeof(*failures->list));
    failures->list[failures->count++] = (struct process_failure){
        pid, error, text_copy_bounded(empty ? orrery_strerror(error) : reason)};
}

void failures_remove(struct failures *failures, u32 pid)
{
    size_t place = place_of(failures, pid);
    if (place == failures->count)
        return;
    free(failures->list[place].reason);
    failures->count--;
    memmove(failures->list + place, failures->list + place + 1,
            (failures->count - place) * sizeof(*failures->list));
}

const struct process_failure *failures_find(const struct failures *failures, u32 pid)
{
    size_t place = place_of(failures, pid);
    return place < failures->count ? &failures->list[place] : NULL;
}

void failures_free(struct failures *failures)
{
    for (size_t i = 0; i < failures->count; i++)
        free(failures->list[i].reason);
    free(failures->list);
    *failures = (struct failures){0};
}

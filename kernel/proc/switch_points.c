// SPDX-License-Identifier: MIT
// Patching the scheduler's points.
#include "switch_points.h"

#include <kernel/panic.h>
#include <kernel/patch.h>
#include <kernel/wait.h>

struct switch_point {
    u32 *place;
    u32 *target;
    u64 user;
};
// boot/orrery.ld; the targets of a place stand together
extern const struct switch_point switch_points_start[], switch_points_end[];

#define POINTS_MAX 64
static struct mutex mutex = MUTEX_INIT("switch points", MUTEX_POINTS); // of the next two
static u32 users;
static u32 before[POINTS_MAX]; // instructions in place of which there are branches now

// Patches the place of point first; returns the first point of the next place.
static u32 patch_place(u32 first, u32 count)
{
    const struct switch_point *points = switch_points_start;
    u32 word = before[first], next = first;
    bool wanted = false;

    for (; next < count && points[next].place == points[first].place; next++) {
        if (wanted || (users >> points[next].user & 1) == 0)
            continue;
        word = ppc_branch(points[next].place, points[next].target);
        wanted = true;
    }
    if (*points[first].place != word)
        patch_word(points[first].place, word);
    return next;
}

void switch_points_set(u32 user, bool on)
{
    u32 count = (u32)(switch_points_end - switch_points_start);

    KASSERT(count <= POINTS_MAX);
    mutex_lock(&mutex);
    for (u32 i = 0; users == 0 && i < count; i++)
        before[i] = *switch_points_start[i].place;
    users = on ? users | 1u << user : users & ~(1u << user);
    patch_begin();
    for (u32 i = 0; i < count;)
        i = patch_place(i, count);
    patch_end();
    mutex_unlock(&mutex);
}

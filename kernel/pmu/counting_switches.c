// SPDX-License-Identifier: MIT
// Switches while tasks are counted: patching the scheduler's points, and what a switch changes.
#include "counting_switches.h"

#include <kernel/panic.h>
#include <kernel/patch.h>
#include <orrery/user_counters.h>
#include <string.h>

// ---- points -------------------------------------------------------------------------------------

struct task_point {
    u32 *place;
    u32 *target;
};
extern const struct task_point task_points_start[], task_points_end[]; // boot/orrery.ld

#define POINTS_MAX 16
static u32 before[POINTS_MAX]; // instructions in place of which there are branches now

void counting_points_set(bool on)
{
    u32 count = (u32)(task_points_end - task_points_start);

    KASSERT(count <= POINTS_MAX);
    patch_begin();
    for (u32 i = 0; i < count; i++) {
        const struct task_point *point = &task_points_start[i];
        if (on)
            before[i] = *point->place;
        patch_word(point->place, on ? ppc_branch(point->place, point->target) : before[i]);
    }
    patch_end();
}

// ---- switches -----------------------------------------------------------------------------------

void counting_change_windows(struct user_counters *from, struct user_counters *to,
                             const u64 values[])
{
    if (from != NULL)
        memcpy(from->left, values, sizeof(from->left));
    if (to == NULL)
        return;
    for (u32 i = 0; i < MODEL_COUNTERS; i++)
        to->away[i] += values[i] - to->left[i];
    to->turns++;
}

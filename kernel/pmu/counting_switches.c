// SPDX-License-Identifier: MIT
// Updates what a switch changes while tasks are counted.
#include "counting_switches.h"

#include <orrery/user_counters.h>
#include <string.h>

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

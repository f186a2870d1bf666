// SPDX-License-Identifier: MIT
// Walks.
#include "walk.h"

#include "round.h"

struct walk walk_over(dci_Scope scope, u32 pid)
{
    struct walk walk = {.scope = scope, .pid = pid};

    walk.kernel_done = !walk_has_kernel(&walk);
    return walk;
}

bool walk_has_kernel(const struct walk *walk)
{
    return walk->scope != dci_Scope_SCOPE_PROCESS || walk->pid == 0;
}

void walk_end(struct walk *walk)
{
    round_end(walk->round);
    walk->round = NULL;
}

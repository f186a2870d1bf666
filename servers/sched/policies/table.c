// SPDX-License-Identifier: MIT
// The table of policies.
#include "policy.h"

#include <string.h>

static const struct policy policy_none = {.name = "none"};
static const struct policy *const policies[] = {&policy_none, &policy_balance, &policy_calls};

const struct policy *policy_find(const char *name)
{
    for (u32 i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
        if (strcmp(policies[i]->name, name) == 0)
            return policies[i];
    return NULL;
}

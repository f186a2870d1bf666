// SPDX-License-Identifier: MIT
// Counting failed checks, from any thread.
#include "check.h"

#include <stdio.h>

#define SHOWN 40 // failures; more tell nothing new

static u64 failures;

bool check_is(const char *file, int line, const char *what, s64 got, s64 expected)
{
    if (got == expected)
        return true;
    if (__atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED) < SHOWN)
        printf("FAIL %s:%d: %s is %ld, expected %ld\n", file, line, what, got, expected);
    return false;
}

u64 check_failures(void)
{
    return __atomic_load_n(&failures, __ATOMIC_RELAXED);
}

u64 random_below(u64 *seed, u64 bound)
{
    *seed = *seed * 6364136223846793005ul + 1442695040888963407ul;
    return (*seed >> 33) % bound;
}

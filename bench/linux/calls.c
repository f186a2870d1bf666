// SPDX-License-Identifier: MIT
// System calls that do next to nothing.
#include "bench.h"

#define NO_CALL 1000

static void null_call(void)
{
    sys(NO_CALL, 0, 0, 0, 0, 0, 0);
}

static void parent(void)
{
    SYS(getppid);
}

void bench_calls(void)
{
    measure("null_system_call", 1000, null_call);
    measure("system_call_pid", 1000, parent);
}

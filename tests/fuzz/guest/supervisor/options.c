// SPDX-License-Identifier: MIT
// Options: words of the boot line behind `--`.
#include "supervisor.h"

#include <stdlib.h>

struct options options;

static u64 number(const char *name, u64 otherwise)
{
    char text[32];
    return sys_option(name, text, sizeof(text)) == 0 ? strtoull(text, NULL, 0) : otherwise;
}

static u32 cpus(void)
{
    struct sys_info info;
    return sys_info(&info) == 0 ? info.cpu_count : 1;
}

void options_read(void)
{
    u64 slots = number("slots", 3 * cpus());

    options.seed = number("seed", 1);
    options.calls = number("calls", 100000);
    options.processes = number("processes", 0);
    options.seconds = number("seconds", 0);
    options.slots = (u32)(slots > ACTIVE_MAX ? ACTIVE_MAX : slots == 0 ? 1 : slots);
    options.rights_only = (u32)number("rights-only", 0) & RIGHT_ALL;
    options.rights = (u32)number("rights", 0) & RIGHT_ALL;
    options.warm = number("warm", 150);
    options.every = number("every", 200);
    options.patience = number("patience", 100000000);
    options.fresh = (u32)number("fresh", 30);
    options.methods = (u32)number("methods", 20);
    options.replay = (u32)number("replay", 0);
    options.monitored = number("monitored", 0) != 0;
    options.subjects = (u32)number("subjects", 0);
    options.failing = (u32)number("failing", 0);
}

// SPDX-License-Identifier: MIT
#include "common.h"

#include <orrery/sys.h>
#include <stdio.h>

#define KB 1024

int main(int argc, char **argv)
{
    struct sys_info info;

    command_begin(argc, argv, "free\ntells how much memory there is, in KB");
    if (argc > 1)
        return command_usage();
    s64 error = sys_info(&info);
    if (error != 0)
        return complain_error("system", error);
    printf("%10s %10s %10s\n", "total", "used", "free");
    printf("%10lu %10lu %10lu\n", info.memory_bytes / KB,
           (info.memory_bytes - info.free_bytes) / KB, info.free_bytes / KB);
    return 0;
}

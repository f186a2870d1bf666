// SPDX-License-Identifier: MIT
#include "common.h"

#include <orrery/sys.h>
#include <stdio.h>
#include <user/time.h>

int main(int argc, char **argv)
{
    struct sys_info info;

    command_begin(argc, argv, "uptime\ntells how long the system has been up");
    if (argc > 1)
        return command_usage();
    s64 error = sys_info(&info);
    if (error != 0)
        return complain_error("system", error);
    u64 ms = time_to_us(time_now() - info.boot_timebase) / 1000;
    u64 seconds = ms / 1000;
    printf("up %lu:%02lu:%02lu.%03lu, %u CPUs\n", seconds / 3600, seconds / 60 % 60, seconds % 60,
           ms % 1000, info.cpu_count);
    return 0;
}

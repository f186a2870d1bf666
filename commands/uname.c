// SPDX-License-Identifier: MIT
#include "common.h"

#include <orrery/sys.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct sys_info info;

    command_begin(argc, argv, "uname [-a]\nnames the system; -a: with version, machine and CPUs");
    bool all = argc == 2 && strcmp(argv[1], "-a") == 0;
    if (argc > 2 || (argc == 2 && !all))
        return command_usage();
    s64 error = sys_info(&info);
    if (error != 0)
        return complain_error("system", error);
    if (all)
        printf("Orrery %s ppc64 %u CPUs\n", info.version, info.cpu_count);
    else
        printf("Orrery\n");
    return 0;
}

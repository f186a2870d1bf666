// SPDX-License-Identifier: MIT
#include "common.h"

#include <sys/stat.h>

int main(int argc, char **argv)
{
    int status = 0;

    command_begin(argc, argv, "mkdir FOLDER …\nmakes folders");
    if (argc < 2)
        return command_usage();
    for (int i = 1; i < argc; i++)
        if (mkdir(argv[i], 0777) != 0)
            status = complain(argv[i]);
    return status;
}

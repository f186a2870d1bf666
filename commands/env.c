// SPDX-License-Identifier: MIT
#include "common.h"

#include <stdio.h>

extern char **environ;

int main(int argc, char **argv)
{
    command_begin(argc, argv, "env\nprints the environment");
    if (argc > 1)
        return command_usage();
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++)
        puts(*entry);
    return 0;
}

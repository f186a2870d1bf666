// SPDX-License-Identifier: MIT
#include "common.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    command_begin(argc, argv, "echo [-n] [TEXT …]\nprints its arguments; -n: without a newline");
    bool newline = argc < 2 || strcmp(argv[1], "-n") != 0;

    for (int i = newline ? 1 : 2; i < argc; i++)
        printf("%s%s", argv[i], i + 1 < argc ? " " : "");
    if (newline)
        putchar('\n');
    return fflush(stdout) == 0 ? 0 : complain("output");
}

// SPDX-License-Identifier: MIT
#include "common.h"

static int print(int file, const char *name)
{
    return copy_bytes(file, 1, name);
}

int main(int argc, char **argv)
{
    command_begin(argc, argv, "cat [FILE …]\nprints files, or its input");
    return each_file(argc, argv, 1, print);
}

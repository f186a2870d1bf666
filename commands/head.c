// SPDX-License-Identifier: MIT
#include "common.h"

#include <stdio.h>
#include <unistd.h>

static u64 limit = 10;

static int print(int file, const char *name)
{
    char buffer[1024];
    u64 lines = 0;
    ssize_t got = 1;

    while (lines < limit && (got = read(file, buffer, sizeof(buffer))) > 0)
        for (ssize_t i = 0; i < got && lines < limit; i++) {
            putchar(buffer[i]);
            lines += buffer[i] == '\n';
        }
    return got < 0 ? complain(name) : 0;
}

int main(int argc, char **argv)
{
    command_begin(argc, argv, "head [-n LINES] [FILE …]\nprints the first lines (10)");
    for (int option; (option = getopt(argc, argv, "n:")) != -1;)
        if (option == '?' || !parse_number(optarg, UINT32_MAX, &limit))
            return command_usage();
    return each_file(argc, argv, optind, print);
}

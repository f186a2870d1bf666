// SPDX-License-Identifier: MIT
#include "common.h"

#include <stdlib.h>
#include <user/thread.h>

int main(int argc, char **argv)
{
    char *end;

    command_begin(argc, argv, "sleep SECONDS\nwaits; fractions are allowed");
    if (argc != 2)
        return command_usage();
    double seconds = strtod(argv[1], &end);
    if (end == argv[1] || *end != 0 || !(seconds >= 0 && seconds < 1e9))
        return complain_text(argv[1], "is no number of seconds");
    thread_sleep_us((u64)(seconds * 1e6));
    return 0;
}

// SPDX-License-Identifier: MIT
#include "common.h"

#include <stdio.h>
#include <time.h>

int main(int argc, char **argv)
{
    char text[256];

    command_begin(argc, argv, "date [+FORMAT]\nprints date and time (UTC), by strftime's format");
    if (argc > 2 || (argc == 2 && argv[1][0] != '+'))
        return command_usage();
    time_t now = time(NULL);
    const char *format = argc == 2 ? argv[1] + 1 : "%a %b %e %H:%M:%S UTC %Y";
    if (strftime(text, sizeof(text), format, gmtime(&now)) == 0 && *format != 0)
        return complain_text(format, "is too long");
    puts(text);
    return 0;
}

// SPDX-License-Identifier: MIT
// Floods the console: test-flood N writes so many numbered lines, each at once, and a last one.
#include <orrery/sys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    static const char last[] = "flood is over\n";
    u64 lines = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    char line[32];

    for (u64 i = 0; i < lines; i++)
        sys_console_write(line, (u64)snprintf(line, sizeof(line), "flood %08lu\n", i));
    sys_console_write(last, strlen(last));
    return lines == 0;
}

// SPDX-License-Identifier: MIT
// described COUNT: logs so many greetings, and one event of each other kind.
// described lie: tries descriptions that must be refused.
// described take NAMES: describes as many as it can, with names that begin so.
#include "described_events.h"
#include "liar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "lie") == 0) {
        unsigned accepted = lie();
        printf("described: %u lies were believed\n", accepted);
        return accepted != 0;
    }
    if (argc == 3 && strcmp(argv[1], "take") == 0)
        return take_all(argv[2]) != 0;
    unsigned long count = argc == 2 ? strtoul(argv[1], NULL, 0) : 1;
    trace_tale_begin();
    for (u64 i = 0; i < count; i++)
        trace_tale_greeting(i, i % 2 == 0 ? "world" : "a longer name, two words");
    trace_tale_numbers(-7, 0xbeef, 1, 2, 3, 4);
    printf("described: from minor %u\n", (unsigned)trace_tale_first);
    return 0;
}

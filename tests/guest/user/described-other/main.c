// SPDX-License-Identifier: MIT
// described-other COUNT: logs so many greetings.
#include "other_events.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    unsigned long count = argc == 2 ? strtoul(argv[1], NULL, 0) : 1;
    for (u64 i = 0; i < count; i++)
        trace_other_greeting(i);
    printf("described-other: from minor %u\n", (unsigned)trace_other_first);
    return 0;
}

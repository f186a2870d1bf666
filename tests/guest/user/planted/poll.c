// SPDX-License-Identifier: MIT
// poll COUNT: looks so many times whether there is something to do, each 10 ms. There never is.
#include <stdio.h>
#include <stdlib.h>
#include <user/thread.h>

#define STEP_US 10000

int main(int count, char **words)
{
    if (count != 2)
        return 2;
    for (u64 left = strtoul(words[1], NULL, 0); left > 0; left--)
        thread_sleep_us(STEP_US);
    puts("nothing");
    return 0;
}

// SPDX-License-Identifier: MIT
// poll: looks whether there is something to do, each 10 ms, so many times as the boot option
// "polls" says; then says that there never was.
#include <orrery/sys.h>
#include <stdio.h>
#include <stdlib.h>
#include <user/thread.h>

#define STEP_US 10000

int main(void)
{
    char polls[16];
    if (sys_option("polls", polls, sizeof(polls)) < 0)
        return 2;
    for (u64 left = strtoul(polls, NULL, 0); left > 0; left--)
        thread_sleep_us(STEP_US);
    puts("poll: nothing");
    for (;;)
        thread_park(THREAD_FOREVER);
}

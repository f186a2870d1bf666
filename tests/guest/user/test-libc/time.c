// SPDX-License-Identifier: MIT
// time.h: the calendar, and that time goes on.
#include "tests.h"

#include <string.h>
#include <sys/time.h>
#include <time.h>

static void calendar(void)
{
    time_t leap = 951826154; // 2000-02-29 12:09:14 UTC
    struct tm tm;
    EXPECT(gmtime_r(&leap, &tm) != NULL);
    EXPECT(tm.tm_year == 100 && tm.tm_mon == 1 && tm.tm_mday == 29 && tm.tm_wday == 2);
    EXPECT(tm.tm_hour == 12 && tm.tm_min == 9 && tm.tm_sec == 14 && tm.tm_yday == 59);
    EXPECT(mktime(&tm) == leap);
    char text[64];
    EXPECT(strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %a %j", &tm) == 27);
    EXPECT(strcmp(text, "2000-02-29 12:09:14 Tue 060") == 0);
    EXPECT(strcmp(asctime_r(&tm, text), "Tue Feb 29 12:09:14 2000\n") == 0);
    time_t epoch = 0;
    EXPECT(gmtime_r(&epoch, &tm) && tm.tm_year == 70 && tm.tm_wday == 4);
    time_t late = 4102444800; // 2100-01-01: no leap year before it
    EXPECT(gmtime_r(&late, &tm) && tm.tm_year == 200 && tm.tm_mon == 0 && tm.tm_mday == 1);
}

static void passing(void)
{
    struct timeval before, after;
    EXPECT(gettimeofday(&before, NULL) == 0);
    clock_t ticks = clock();
    volatile unsigned long work = 0;
    for (unsigned i = 0; i < 3000000; i++)
        work += i;
    EXPECT(gettimeofday(&after, NULL) == 0);
    EXPECT(timercmp(&after, &before, >));
    EXPECT(clock() >= ticks);
    EXPECT(difftime(after.tv_sec + 5, after.tv_sec) == 5);
}

void test_time(void)
{
    calendar();
    passing();
}

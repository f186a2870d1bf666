// SPDX-License-Identifier: MIT
// diary: ten times a second it writes a page of 40 lines into /tmp/diary, in place of the one
// before, until it is killed. It is slow: docs/why-slow.md finds out why.
#include <ctype.h>
#include <stdio.h>
#include <unistd.h>
#include <user/thread.h>

#define LINES 40
#define PAUSE_US 100000

static void put_line(FILE *file, const char *line)
{
    for (const char *at = line; *at != '\0'; at++)
        putc(toupper(*at), file);
}

static void put_page(FILE *file, unsigned long page)
{
    char line[64];
    rewind(file);
    ftruncate(fileno(file), 0);
    for (int i = 1; i <= LINES; i++) {
        snprintf(line, sizeof(line), "page %6lu, line %2d: all is well\n", page, i);
        put_line(file, line);
    }
    fflush(file);
}

int main(void)
{
    FILE *file = fopen("/tmp/diary", "w");
    if (file == NULL)
        return 1;
    setvbuf(file, NULL, _IONBF, 0);
    for (unsigned long page = 1; !ferror(file); page++) {
        put_page(file, page);
        thread_sleep_us(PAUSE_US);
    }
    return 1;
}

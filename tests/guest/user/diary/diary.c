// SPDX-License-Identifier: MIT
// diary: ten times a second it writes a page of 40 lines into /tmp/diary, in place of the one before,
// until it is killed. It is slow: docs/why-slow.md finds out why.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <user/thread.h>

#define LINES 40
#define PAUSE_US 100000

static int put_line(int file, const char *line)
{
    size_t length = strlen(line);
    for (size_t i = 0; i < length; i++)
        if (write(file, line + i, 1) != 1)
            return -1;
    return 0;
}

static int put_page(int file, unsigned long page)
{
    char line[64];
    for (int i = 1; i <= LINES; i++) {
        snprintf(line, sizeof(line), "page %6lu line %2d: all is well\n", page, i);
        if (put_line(file, line) != 0)
            return -1;
    }
    return 0;
}

int main(void)
{
    int file = open("/tmp/diary", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    for (unsigned long page = 1; file >= 0; page++) {
        if (lseek(file, 0, SEEK_SET) != 0 || put_page(file, page) != 0)
            return 1;
        thread_sleep_us(PAUSE_US);
    }
    return 1;
}

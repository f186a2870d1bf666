// SPDX-License-Identifier: MIT
// Reads standard input while a program or the console is attached.
#include "tools/terminal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

static struct termios saved;
static bool raw;

void terminal_raw(void)
{
    if (raw || !isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &saved) != 0)
        return;
    struct termios wanted = saved;
    // Line ends and signals stay as they are: Ctrl-C goes to kov.
    wanted.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    wanted.c_cc[VMIN] = 1;
    wanted.c_cc[VTIME] = 0;
    raw = tcsetattr(STDIN_FILENO, TCSANOW, &wanted) == 0;
    if (raw)
        atexit(terminal_restore);
}

void terminal_restore(void)
{
    if (raw)
        tcsetattr(STDIN_FILENO, TCSANOW, &saved);
    raw = false;
}

long terminal_read(u8 *buffer, size_t size)
{
    struct pollfd poller = {.fd = STDIN_FILENO, .events = POLLIN};
    if (poll(&poller, 1, 0) <= 0)
        return 0;
    ssize_t count = read(STDIN_FILENO, buffer, size);
    if (count < 0)
        return errno == EINTR || errno == EAGAIN ? 0 : -1;
    return count == 0 ? -1 : count;
}

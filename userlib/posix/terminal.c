// SPDX-License-Identifier: MIT
// The console's settings as POSIX has them: how it is, and cannot be otherwise.
#include <errno.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define CONTROL(letter) ((letter)&0x1f)
#define DELETE 0x7f

static const struct termios console = {
    .c_iflag = ICRNL,
    .c_oflag = OPOST | ONLCR,
    .c_cflag = CS8 | CREAD | CLOCAL,
    .c_lflag = ISIG | ICANON | ECHO | ECHOE,
    .c_cc = {[VINTR] = CONTROL('C'),
             [VERASE] = DELETE,
             [VKILL] = CONTROL('U'),
             [VEOF] = CONTROL('D'),
             [VMIN] = 1},
    .c_ispeed = B115200,
    .c_ospeed = B115200,
};

static int fail(int error)
{
    errno = error;
    return -1;
}

int tcgetattr(int fd, struct termios *settings)
{
    if (!isatty(fd))
        return -1;
    *settings = console;
    return 0;
}

int tcsetattr(int fd, int when, const struct termios *settings)
{
    if (when < TCSANOW || when > TCSAFLUSH)
        return fail(EINVAL);
    if (!isatty(fd))
        return -1;
    return memcmp(settings, &console, sizeof(console)) == 0 ? 0 : fail(EINVAL);
}

// Output goes out as it is written.
int tcdrain(int fd)
{
    return isatty(fd) ? 0 : -1;
}

int tcflush(int fd, int which)
{
    if (which < TCIFLUSH || which > TCIOFLUSH)
        return fail(EINVAL);
    if (!isatty(fd))
        return -1;
    return which == TCOFLUSH ? 0 : fail(ENOTSUP);
}

int tcflow(int fd, int which)
{
    if (which < TCOOFF || which > TCION)
        return fail(EINVAL);
    return isatty(fd) ? fail(ENOTSUP) : -1;
}

int tcsendbreak(int fd, int duration)
{
    (void)duration;
    return isatty(fd) ? fail(ENOTSUP) : -1;
}

speed_t cfgetispeed(const struct termios *settings)
{
    return settings->c_ispeed;
}

speed_t cfgetospeed(const struct termios *settings)
{
    return settings->c_ospeed;
}

int cfsetispeed(struct termios *settings, speed_t speed)
{
    settings->c_ispeed = speed;
    return 0;
}

int cfsetospeed(struct termios *settings, speed_t speed)
{
    settings->c_ospeed = speed;
    return 0;
}

// SPDX-License-Identifier: MIT
// Descriptors: the lowest free one, dup and dup2, bad ones, as many as there are.
#include "tests.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <posix/fd.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <sys/time.h>
#include <unistd.h>

static void numbers(void)
{
    int first = open("/dev/null", O_RDWR), second = open("/dev/null", O_RDWR);
    EXPECT(second == first + 1);
    close(first);
    EXPECT(dup(second) == first);
    EXPECT(dup2(second, 100) == 100 && close(100) == 0);
    EXPECT(fcntl(second, F_DUPFD, 50) == 50 && close(50) == 0);
    EXPECT(dup2(second, second) == second);
    close(first), close(second);
    EXPECT_ERROR(close(second), EBADF);
    EXPECT_ERROR(read(second, &first, 1), EBADF);
    EXPECT_ERROR(write(-1, "", 1), EBADF);
    EXPECT_ERROR(dup(FD_MAX), EBADF);
    EXPECT_ERROR(dup2(1, FD_MAX), EBADF);
    EXPECT_ERROR(lseek(12345, 0, SEEK_SET), EBADF);
}

static void shared_position(void)
{
    char data[2];
    int fd = open("/tmp/shared", O_RDWR | O_CREAT | O_TRUNC, 0644);
    int copy = dup(fd), other = open("/tmp/shared", O_RDONLY);
    EXPECT(write(fd, "abcd", 4) == 4 && lseek(copy, 0, SEEK_CUR) == 4);
    EXPECT(lseek(fd, 1, SEEK_SET) == 1 && read(copy, data, 1) == 1 && data[0] == 'b');
    EXPECT(read(fd, data, 1) == 1 && data[0] == 'c');
    EXPECT(read(other, data, 1) == 1 && data[0] == 'a');
    close(fd);
    EXPECT(read(copy, data, 2) == 1 && data[0] == 'd');
    close(copy), close(other);
    unlink("/tmp/shared");
}

static void all_of_them(void)
{
    int fds[FD_MAX], count = 0;
    while (count < FD_MAX && (fds[count] = open("/dev/null", O_RDONLY)) >= 0)
        count++;
    EXPECT(errno == EMFILE && count >= FD_MAX - 16);
    while (count > 0)
        close(fds[--count]);
}

static void console(void)
{
    struct stat info;
    EXPECT(isatty(1) == 1 && fstat(1, &info) == 0 && S_ISCHR(info.st_mode));
    EXPECT_ERROR(lseek(1, 0, SEEK_SET), ESPIPE);
    int fd = open("/dev/null", O_RDWR);
    EXPECT(isatty(fd) == 0 && errno == ENOTTY);
    struct pollfd fds[] = {{.fd = fd, .events = POLLIN | POLLOUT}, {.fd = -1}, {.fd = 200}};
    EXPECT(poll(fds, 3, 1000) == 2 && fds[0].revents == (POLLIN | POLLOUT));
    EXPECT(fds[1].revents == 0 && fds[2].revents == POLLNVAL);
    close(fd);
}

static void clocks(void)
{
    struct timespec before, after, pause = {.tv_nsec = 20000000};
    struct timeval day;
    EXPECT(clock_gettime(CLOCK_MONOTONIC, &before) == 0);
    EXPECT(nanosleep(&pause, NULL) == 0 && usleep(1000) == 0);
    EXPECT(clock_gettime(CLOCK_MONOTONIC, &after) == 0);
    long passed_ms =
        (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
    EXPECT(passed_ms >= 20);
    EXPECT(gettimeofday(&day, NULL) == 0 && day.tv_sec >= after.tv_sec);
    pause.tv_nsec = 1000000000;
    EXPECT_ERROR(nanosleep(&pause, NULL), EINVAL);
    EXPECT_ERROR(clock_gettime((clockid_t)99, &before), EINVAL);
    EXPECT(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before) == 0);
    EXPECT(getpid() > 0);
}

void test_descriptors(void)
{
    numbers();
    shared_position();
    all_of_them();
    console();
    clocks();
}

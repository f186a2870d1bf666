// SPDX-License-Identifier: MIT
// Modes and times of files. Servers keep no modes, as there are no users: all may do everything,
// and a change of what nobody looks at succeeds. Times are those of the last write, and cannot be
// set.
#include <posix/fd.h>

#include <errno.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <utime.h>

int chmod(const char *path, mode_t mode)
{
    struct stat info;
    (void)mode;
    return stat(path, &info);
}

int fchmod(int fd, mode_t mode)
{
    struct stat info;
    (void)mode;
    return fstat(fd, &info);
}

static int fixed_times(void)
{
    return (int)posix_result(-ENOSYS);
}

int utime(const char *path, const struct utimbuf *times)
{
    (void)path, (void)times;
    return fixed_times();
}

int utimes(const char *path, const struct timeval *times)
{
    (void)path, (void)times;
    return fixed_times();
}

int futimens(int fd, const struct timespec *times)
{
    (void)fd, (void)times;
    return fixed_times();
}

// SPDX-License-Identifier: MIT
// Permissions, owners and times that one asks for: there are none to set (docs/posix.md). Programs
// that copy them from file to file go on: the calls look whether the file is there, and change
// nothing.
#include <errno.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

static int check_path(const char *path)
{
    struct stat info;
    return stat(path, &info);
}

static int check_file(int fd)
{
    struct stat info;
    return fstat(fd, &info);
}

// Everything is user 0's. Nothing can be given to somebody else.
static int check_owner(int found, uid_t owner, gid_t group)
{
    if (found == 0 && ((owner != 0 && owner != (uid_t)-1) || (group != 0 && group != (gid_t)-1))) {
        errno = EPERM;
        return -1;
    }
    return found;
}

int chmod(const char *path, mode_t mode)
{
    (void)mode;
    return check_path(path);
}

int fchmod(int fd, mode_t mode)
{
    (void)mode;
    return check_file(fd);
}

int chown(const char *path, uid_t owner, gid_t group)
{
    return check_owner(check_path(path), owner, group);
}

int fchown(int fd, uid_t owner, gid_t group)
{
    return check_owner(check_file(fd), owner, group);
}

int utime(const char *path, const struct utimbuf *times)
{
    (void)times;
    return check_path(path);
}

// Times are a pointer in one newlib's headers, and an array of two in another's.
#pragma GCC diagnostic ignored "-Warray-parameter"

int utimes(const char *path, const struct timeval *times)
{
    (void)times;
    return check_path(path);
}

int futimens(int fd, const struct timespec *times)
{
    (void)times;
    return check_file(fd);
}

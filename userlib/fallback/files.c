// SPDX-License-Identifier: MIT
// What newlib needs of files, for programs without the posix library: standard output is the
// console, and there is nothing else.
#include <errno.h>
#include <orrery/process.h>
#include <orrery/sys.h>
#include <orrery/user.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#include <user/scheduler.h>

#define CONSOLE_BYTES 512 // at most at a time

static int fail(int error)
{
    errno = error;
    return -1;
}

ssize_t write(int file, const void *buffer, size_t count)
{
    if (file != STDOUT_FILENO && file != STDERR_FILENO)
        return fail(EBADF);
    size_t done = 0;
    while (done < count) {
        size_t part = count - done < CONSOLE_BYTES ? count - done : CONSOLE_BYTES;
        if (sys_console_write((const char *)buffer + done, part) < 0)
            return done ? (ssize_t)done : fail(EIO);
        done += part;
    }
    return (ssize_t)count;
}

ssize_t read(int file, void *buffer, size_t count)
{
    (void)buffer, (void)count;
    return file == STDIN_FILENO ? 0 : fail(EBADF);
}

off_t lseek(int file, off_t offset, int whence)
{
    (void)file, (void)offset, (void)whence;
    return fail(ESPIPE);
}

int close(int file)
{
    (void)file;
    return fail(EBADF);
}

int fstat(int file, struct stat *stat)
{
    if (file < STDIN_FILENO || file > STDERR_FILENO)
        return fail(EBADF);
    *stat = (struct stat){.st_mode = S_IFCHR};
    return 0;
}

int isatty(int file)
{
    return file >= STDIN_FILENO && file <= STDERR_FILENO ? 1 : fail(ENOTTY) + 1;
}

pid_t getpid(void)
{
    return (pid_t)user_page(user_cpu())->pid;
}

int kill(pid_t pid, int signal)
{
    if (pid == getpid())
        sys_exit(128 + signal);
    return fail(EPERM);
}

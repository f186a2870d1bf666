// SPDX-License-Identifier: MIT
// Processes in POSIX's words. There is no fork and no exec: posix/spawn.h starts programs.
#include "file.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <user/process.h>
#include <user/thread.h>

pid_t getpid(void)
{
    return (pid_t)sys_process_pid(0);
}

// Signals only end processes, with the status that shells give them.
int kill(pid_t pid, int signal)
{
    if (pid <= 0 || signal < 0 || signal >= NSIG) {
        errno = EINVAL;
        return -1;
    }
    s64 status = signal == 0 ? 0 : sys_process_kill((u32)pid, 128 + signal);
    if (status == E_NOENT) {
        errno = ESRCH;
        return -1;
    }
    return (int)posix_result(-posix_errno(status));
}

// newlib's status word: exit code << 8, or what ended it: a signal. Processes ended by an exception
// count as ended by SIGSEGV.
static int status_word(s32 status)
{
    return (status & STATUS_KILLED(0)) != 0 ? SIGSEGV : (status & 0xff) << 8;
}

pid_t waitpid(pid_t pid, int *status, int options)
{
    s32 ended = 0;
    s64 result =
        process_wait(pid > 0 ? (u32)pid : 0, &ended, (options & WNOHANG) != 0 ? 0 : THREAD_FOREVER);
    if (result == E_TIMEOUT)
        return 0;
    if (result == E_NOENT) {
        errno = ECHILD;
        return -1;
    }
    if (result > 0 && status != NULL)
        *status = status_word(ended);
    return (pid_t)posix_result(result < 0 ? -posix_errno(result) : result);
}

pid_t wait(int *status)
{
    return waitpid(-1, status, 0);
}

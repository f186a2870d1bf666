// SPDX-License-Identifier: MIT
// newlib's state of a thread: errno, strtok, …; and the process's end.
#include "scheduler.h"

#include <orrery/process.h>
#include <reent.h>
#include <unistd.h>

struct _reent *__getreent(void)
{
    const struct thread *thread = thread_current();
    return thread ? thread->reent : _GLOBAL_REENT;
}

void posix_finish(void) __attribute__((weak)); // userlib/posix: closes what is open

void _exit(int status)
{
    if (posix_finish)
        posix_finish();
    sys_exit(status);
}

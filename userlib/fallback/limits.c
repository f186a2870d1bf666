// SPDX-License-Identifier: MIT
// Facts about the machine under their POSIX names.
#include <errno.h>
#include <limits.h>
#include <time.h>
#include <unistd.h>
#include <user/scheduler.h>
#include <user/thread.h>

long sysconf(int name)
{
    switch (name) {
    case _SC_CLK_TCK: // newlib's clock() takes times() for its own unit
        return CLOCKS_PER_SEC;
    case _SC_OPEN_MAX:
        return 256; // FD_MAX of posix/fd.h
    case _SC_IOV_MAX:
        return IOV_MAX;
    case _SC_PAGESIZE:
        return 4096;
    case _SC_NPROCESSORS_CONF:
    case _SC_NPROCESSORS_ONLN:
        return user_cpu_count();
    case _SC_THREADS:
    case _SC_SEMAPHORES:
    case _SC_MONOTONIC_CLOCK:
        return 200809L;
    case _SC_THREAD_KEYS_MAX:
        return 128; // PTHREAD_KEYS_MAX of userlib/pthread
    case _SC_THREAD_STACK_MIN:
        return THREAD_STACK_MIN;
    default:
        errno = EINVAL;
        return -1;
    }
}

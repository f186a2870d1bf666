// SPDX-License-Identifier: MIT
// Facts about the machine under their POSIX names.
#include <errno.h>
#include <limits.h>
#include <time.h>
#include <unistd.h>
#include <user/scheduler.h>

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
    default:
        errno = EINVAL;
        return -1;
    }
}

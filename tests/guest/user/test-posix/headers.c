// SPDX-License-Identifier: MIT
// Headers that other systems' programs may include first, each before all others somewhere. That
// this compiles is the test.
#include <regex.h>
#include <utime.h>
#include <threads.h>
#include <sys/un.h>

#include <sys/socket.h>

#include "rows.h"

#include <stddef.h>
#include <string.h>

long headers_hold(void)
{
    mtx_t mutex;
    regmatch_t match = {.rm_so = 1, .rm_eo = 2};
    struct utimbuf times = {.actime = 4, .modtime = 5};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (mtx_init(&mutex, mtx_plain) != thrd_success)
        return -1;
    mtx_destroy(&mutex);
    strcpy(address.sun_path, "abcd");
    return (long)(match.rm_eo + times.actime) + (long)strlen(address.sun_path);
}

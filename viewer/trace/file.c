// SPDX-License-Identifier: MIT
// Reads at a place of a file.
#include "trace/file.h"

#include <errno.h>
#include <unistd.h>

s64 file_read(int fd, void *into, size_t bytes, u64 offset)
{
    size_t done = 0;
    if (offset > INT64_MAX - bytes)
        return 0;
    while (done < bytes) {
        ssize_t more = pread(fd, (u8 *)into + done, bytes - done, (off_t)(offset + done));
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0)
            return -1;
        if (more == 0)
            break;
        done += (size_t)more;
    }
    return (s64)done;
}

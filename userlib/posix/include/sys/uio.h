// SPDX-License-Identifier: MIT
// Reading and writing in several pieces.
#ifndef _SYS_UIO_H
#define _SYS_UIO_H

#include <sys/types.h>

struct iovec {
    void *iov_base;
    size_t iov_len;
};

// One read or write for all pieces, at most IOV_MAX. EINVAL; ENOMEM: a copy of several pieces needs
// as much memory.
ssize_t readv(int fd, const struct iovec *pieces, int count);
ssize_t writev(int fd, const struct iovec *pieces, int count);
// The same at an offset; the file's position stays.
ssize_t preadv(int fd, const struct iovec *pieces, int count, off_t offset);
ssize_t pwritev(int fd, const struct iovec *pieces, int count, off_t offset);

#endif

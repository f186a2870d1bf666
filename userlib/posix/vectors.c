// SPDX-License-Identifier: MIT
// Reading and writing in several pieces, by one read or write: what waits, waits once, and what a
// pipe takes whole is whole.
#include <posix/fd.h>

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

// Returns the bytes of all pieces, or -EINVAL.
static s64 total_of(const struct iovec *pieces, int count)
{
    u64 total = 0;
    if (count <= 0 || count > IOV_MAX)
        return -EINVAL;
    for (int i = 0; i < count; i++) {
        if (__builtin_add_overflow(total, pieces[i].iov_len, &total) || total > INT64_MAX)
            return -EINVAL;
    }
    return (s64)total;
}

static void scatter(const struct iovec *pieces, const char *from, u64 bytes)
{
    for (; bytes > 0; pieces++) {
        u64 part = bytes < pieces->iov_len ? bytes : pieces->iov_len;
        memcpy(pieces->iov_base, from, part);
        from += part;
        bytes -= part;
    }
}

static void gather(const struct iovec *pieces, int count, char *to)
{
    for (int i = 0; i < count; i++) {
        memcpy(to, pieces[i].iov_base, pieces[i].iov_len);
        to += pieces[i].iov_len;
    }
}

// offset: where the file is read, or FD_AT_POSITION.
static ssize_t read_piece(int fd, void *to, u64 bytes, s64 offset)
{
    return offset == FD_AT_POSITION ? read(fd, to, bytes) : pread(fd, to, bytes, offset);
}

static ssize_t write_piece(int fd, const void *from, u64 bytes, s64 offset)
{
    return offset == FD_AT_POSITION ? write(fd, from, bytes) : pwrite(fd, from, bytes, offset);
}

static ssize_t read_pieces(int fd, const struct iovec *pieces, int count, s64 offset)
{
    s64 total = total_of(pieces, count);
    if (total < 0)
        return posix_result(total);
    if (count == 1)
        return read_piece(fd, pieces->iov_base, pieces->iov_len, offset);
    char *bytes = malloc((u64)total + 1);
    if (bytes == NULL)
        return -1;
    ssize_t done = read_piece(fd, bytes, (u64)total, offset);
    if (done > 0)
        scatter(pieces, bytes, (u64)done);
    free(bytes);
    return done;
}

static ssize_t write_pieces(int fd, const struct iovec *pieces, int count, s64 offset)
{
    s64 total = total_of(pieces, count);
    if (total < 0)
        return posix_result(total);
    if (count == 1)
        return write_piece(fd, pieces->iov_base, pieces->iov_len, offset);
    char *bytes = malloc((u64)total + 1);
    if (bytes == NULL)
        return -1;
    gather(pieces, count, bytes);
    ssize_t done = write_piece(fd, bytes, (u64)total, offset);
    free(bytes);
    return done;
}

ssize_t readv(int fd, const struct iovec *pieces, int count)
{
    return read_pieces(fd, pieces, count, FD_AT_POSITION);
}

ssize_t writev(int fd, const struct iovec *pieces, int count)
{
    return write_pieces(fd, pieces, count, FD_AT_POSITION);
}

ssize_t preadv(int fd, const struct iovec *pieces, int count, off_t offset)
{
    return offset < 0 ? posix_result(-EINVAL) : read_pieces(fd, pieces, count, offset);
}

ssize_t pwritev(int fd, const struct iovec *pieces, int count, off_t offset)
{
    return offset < 0 ? posix_result(-EINVAL) : write_pieces(fd, pieces, count, offset);
}

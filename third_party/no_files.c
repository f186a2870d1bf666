// SPDX-License-Identifier: MIT
// What newlib's FILE functions call. From newlib 4.3 on, snprintf's initial state names the
// standard streams and so links these functions in; the kernel has no files,
// and nothing calls them.
#include <errno.h>
#include <sys/types.h>
#include <unistd.h>

static int no_files(void)
{
    errno = ENOSYS;
    return -1;
}

_READ_WRITE_RETURN_TYPE read(int file, void *buffer, size_t count)
{
    (void)file, (void)buffer, (void)count;
    return no_files();
}

_READ_WRITE_RETURN_TYPE write(int file, const void *buffer, size_t count)
{
    (void)file, (void)buffer, (void)count;
    return no_files();
}

off_t lseek(int file, off_t offset, int whence)
{
    (void)file, (void)offset, (void)whence;
    return no_files();
}

int close(int file)
{
    (void)file;
    return no_files();
}

// SPDX-License-Identifier: MIT
// How calls fail: errors.def.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rows.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

#define PAGE 4096
#define CLOSED 77 // a descriptor that nobody has
#define PORT 6100

static char long_name[300], long_path[5000], some[64];
static char *hole; // a page that is not mapped, behind one that is
static int file, only_read, only_write, dir, ends[2], listener, bound;
static struct stat info;
static struct termios terminal;
static fd_set set;
static struct iovec piece = {some, sizeof(some)};
static sem_t semaphore;
static int too_few = -1; // the compiler would see it

static int socket_at(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((in_port_t)port)};
    int one = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (one >= 0 && bind(one, (struct sockaddr *)&address, sizeof(address)) == 0)
        return one;
    int error = errno;
    close(one);
    errno = error;
    return -1;
}

static int port_of(int fd)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof(address);
    getsockname(fd, (struct sockaddr *)&address, &length);
    return ntohs(address.sin_port);
}

static void prepare_sockets(void)
{
    listener = socket_at(0);
    listen(listener, 1);
    bound = socket_at(0);
}

void rows_prepare(void)
{
    memset(long_name, 'n', sizeof(long_name) - 1);
    for (size_t i = 0; i + 2 < sizeof(long_path); i += 2)
        memcpy(long_path + i, "./", 3);
    file = open("file", O_RDWR | O_CREAT, 0644);
    only_read = open("file", O_RDONLY);
    only_write = open("file", O_WRONLY);
    mkdir("dir", 0755);
    mkdir("full", 0755);
    mkdir("full/inside", 0755);
    dir = open("dir", O_RDONLY | O_DIRECTORY);
    pipe(ends);
    hole = mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    hole += PAGE;
    munmap(hole, PAGE);
    sem_init(&semaphore, 0, 0);
    prepare_sockets();
    values_prepare();
}

static long mapping(size_t bytes, int prot, int flags, int fd)
{
    return mmap(NULL, bytes, prot, flags, fd, 0) == MAP_FAILED ? -1 : 0;
}

static long temporary(const char *pattern)
{
    strcpy(some, pattern);
    return mkdtemp(some) == NULL ? -1 : 0;
}

static long resolved(const char *path)
{
    char *found = realpath(path, NULL);
    free(found);
    return found == NULL ? -1 : 0;
}

static long select_of(int fd)
{
    FD_ZERO(&set);
    FD_SET(fd, &set);
    return select(fd + 1, &set, NULL, NULL, &(struct timeval){0});
}

static long option(int level, int name)
{
    int value;
    socklen_t length = sizeof(value);
    return getsockopt(bound, level, name, &value, &length);
}

static long locked(int fd, int command, int type, int whence, long start, long bytes)
{
    return fcntl(
        fd, command,
        &(struct flock){
            .l_type = (short)type, .l_whence = (short)whence, .l_start = start, .l_len = bytes});
}

static long directory_of(const char *path)
{
    DIR *found = opendir(path);
    return found == NULL ? -1 : closedir(found);
}

// ---- the table ----------------------------------------------------------------------------------

#define ROW(expression, number)                                                                    \
    static long ROW_CALL(__LINE__)(void)                                                           \
    {                                                                                              \
        return (long)(expression);                                                                 \
    }
#include "errors.def"
#undef ROW

#define ROW(expression, number) {#expression, ROW_CALL(__LINE__), ROW_ANY, number},
const struct row error_rows[] = {
#include "errors.def"
};
const unsigned error_row_count = sizeof(error_rows) / sizeof(error_rows[0]);

bool row_holds(const struct row *row, char why[ROW_TEXT_BYTES])
{
    errno = 0;
    long value = row->call();
    int error = value == -1 ? errno : 0;
    snprintf(why, ROW_TEXT_BYTES, "%s: %ld, errno %d, and not %d", row->text, value, error,
             row->error);
    if (row->value == ROW_ANY)
        return error == row->error && (error != 0 || value >= 0);
    return value == row->value;
}

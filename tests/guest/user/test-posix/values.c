// SPDX-License-Identifier: MIT
// What calls return: values.def.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rows.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <glob.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <regex.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096
#define NOT_BLOCKING 16 // stands for O_NONBLOCK, which differs

static int file; // "value", open for reading and writing

// ---- flags --------------------------------------------------------------------------------------

static long flags_and_close(int fd)
{
    int flags = fcntl(fd, F_GETFD);
    close(fd);
    return flags;
}

static long flags_of_new(int how)
{
    return flags_and_close(open("value", how | O_CREAT, 0644));
}

static long kept_flag(int flag)
{
    int fd = dup(file);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fcntl(fd, F_SETFD, flag) == 0 ? flags_and_close(fd) : -2;
}

static long flag_of_copy(int command)
{
    int fd = open("value", O_RDWR | O_CLOEXEC), copy = fcntl(fd, command, 40);
    close(fd);
    return copy >= 40 ? flags_and_close(copy) : -2;
}

// Who gets the number of one that had the flag, has none.
static long flag_of_reused(void)
{
    int fd = open("value", O_RDWR | O_CLOEXEC);
    close(fd);
    int again = dup(file);
    return again == fd ? flags_and_close(again) : -2;
}

static long flag_of_dup3(int flags)
{
    int fd = open("value", O_RDWR | O_CLOEXEC);
    return dup3(file, fd, flags) == fd ? flags_and_close(fd) : -2;
}

static long flags_of_pipe(int flags)
{
    int ends[2];
    if (pipe2(ends, flags) != 0)
        return -2;
    int waits = (fcntl(ends[0], F_GETFL) & O_NONBLOCK) != 0 ? NOT_BLOCKING : 0;
    close(ends[0]);
    return flags_and_close(ends[1]) | waits;
}

static int status_flags(int how)
{
    int fd = open("value", how, 0644), flags = fcntl(fd, F_GETFL);
    close(fd);
    return flags & (O_ACCMODE | O_APPEND | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK);
}

static long not_blocking(void)
{
    int fd = open("value", O_RDWR), on = 1, off = 0;
    ioctl(fd, FIONBIO, &on);
    bool was_on = (fcntl(fd, F_GETFL) & O_NONBLOCK) != 0;
    ioctl(fd, FIONBIO, &off);
    bool was_off = (fcntl(fd, F_GETFL) & O_NONBLOCK) == 0;
    close(fd);
    return was_on && was_off;
}

// ---- sockets ------------------------------------------------------------------------------------

static long address_of(const char *text)
{
    struct in_addr address;
    return inet_aton(text, &address) ? (long)ntohl(address.s_addr) : -1;
}

static long strict_address_of(const char *text)
{
    struct in_addr address;
    return inet_pton(AF_INET, text, &address);
}

// value -1: it is not set before.
static long kept_option(int level, int option, int value)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0), got = -1;
    socklen_t length = sizeof(got);
    if (value >= 0 && setsockopt(fd, level, option, &value, sizeof(value)) != 0)
        got = -2;
    else if (getsockopt(fd, level, option, &got, &length) != 0 || length != sizeof(got))
        got = -3;
    close(fd);
    return got;
}

// Returns milliseconds.
static long kept_time(int option)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct timeval time = {3, 0};
    socklen_t length = sizeof(time);
    int failed = setsockopt(fd, SOL_SOCKET, option, &time, sizeof(time));
    time = (struct timeval){0};
    failed |= getsockopt(fd, SOL_SOCKET, option, &time, &length);
    close(fd);
    return failed != 0 ? -2 : time.tv_sec * 1000 + time.tv_usec / 1000;
}

static long kept_linger(int on)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct linger linger = {on, 0};
    socklen_t length = sizeof(linger);
    int failed = setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
    linger = (struct linger){7, 7};
    failed |= getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &length);
    close(fd);
    return failed != 0 || linger.l_linger != 0 ? -2 : linger.l_onoff;
}

// ---- names and lines ----------------------------------------------------------------------------

static long part(char *(*of)(char *path), const char *path, const char *expected)
{
    char text[32];
    strcpy(text, path);
    return strcmp(of(text), expected) == 0;
}

// expected: below the working directory.
static long resolved(const char *path, const char *expected)
{
    char here[1024], wanted[1100], given[4096];
    if (getcwd(here, sizeof(here)) == NULL || realpath(path, given) != given)
        return -2;
    snprintf(wanted, sizeof(wanted), "%s/%s", here, expected);
    char *found = realpath(path, NULL);
    bool same = found != NULL && strcmp(found, wanted) == 0 && strcmp(given, wanted) == 0;
    free(found);
    return same;
}

static long line_of(const char *text, int end)
{
    FILE *stream = fopen("value", "w+");
    char *line = NULL;
    size_t room = 0;
    fputs(text, stream);
    rewind(stream);
    long bytes = end == '\n' ? getline(&line, &room, stream) : getdelim(&line, &room, end, stream);
    bool same = bytes < 0 || (strncmp(line, text, (size_t)bytes) == 0 && line[bytes] == '\0');
    free(line);
    fclose(stream);
    return same ? bytes : -2;
}

static long temporaries_differ(void)
{
    char first[] = "aXXXXXX.c", second[] = "aXXXXXX.c";
    int one = mkstemps(first, 2), two = mkostemps(second, 2, O_CLOEXEC);
    bool good = one >= 0 && two >= 0 && strcmp(first, second) != 0 && first[0] == 'a' &&
                strcmp(first + 7, ".c") == 0 && fcntl(two, F_GETFD) == FD_CLOEXEC;
    close(one);
    close(two);
    return good && unlink(first) == 0 && unlink(second) == 0;
}

// ---- bytes --------------------------------------------------------------------------------------

static bool vectors(int to, int from)
{
    char start[3], none[1], rest[10];
    struct iovec out[] = {{"ab", 2}, {NULL, 0}, {"cdefg", 5}};
    struct iovec in[] = {{start, 3}, {none, 0}, {rest, 10}};
    bool good = writev(to, out, 3) == 7;
    if (to == from)
        lseek(from, 0, SEEK_SET);
    return good && readv(from, in, 3) == 7 && memcmp(start, "abc", 3) == 0 &&
           memcmp(rest, "defg", 4) == 0;
}

static long pieces(void)
{
    int fd = open("value", O_RDWR | O_TRUNC);
    bool good = vectors(fd, fd);
    close(fd);
    return good;
}

// The position stays.
static long pieces_at(off_t offset)
{
    char first[2], second[4];
    struct iovec out[] = {{"ab", 2}, {"cdef", 4}}, in[] = {{first, 2}, {second, 4}};
    int fd = open("value", O_RDWR | O_TRUNC);
    bool good = pwritev(fd, out, 2, offset) == 6 && preadv(fd, in, 2, offset) == 6 &&
                memcmp(first, "ab", 2) == 0 && memcmp(second, "cdef", 4) == 0 &&
                preadv(fd, out, 2, offset + 6) == 0 && lseek(fd, 0, SEEK_CUR) == 0 &&
                lseek(fd, 0, SEEK_END) == offset + 6;
    close(fd);
    return good;
}

// A pipe has less than is asked for, and is not waited for.
static long piped_pieces(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        return -2;
    bool good = vectors(ends[1], ends[0]);
    close(ends[0]);
    close(ends[1]);
    return good;
}

static int select_ends(const int ends[2], fd_set *reading, fd_set *writing)
{
    FD_ZERO(reading);
    FD_ZERO(writing);
    FD_SET(ends[0], reading);
    FD_SET(ends[1], writing);
    return select((ends[0] > ends[1] ? ends[0] : ends[1]) + 1, reading, writing, NULL,
                  &(struct timeval){0});
}

static long selected(void)
{
    fd_set reading, writing;
    int ends[2];
    if (pipe(ends) != 0)
        return -2;
    bool good = select_ends(ends, &reading, &writing) == 1 && !FD_ISSET(ends[0], &reading) &&
                FD_ISSET(ends[1], &writing);
    good = good && write(ends[1], "x", 1) == 1 && select_ends(ends, &reading, &writing) == 2 &&
           FD_ISSET(ends[0], &reading) && FD_ISSET(ends[1], &writing);
    close(ends[1]);
    close(ends[0]);
    return good;
}

// ---- memory, time, semaphores -------------------------------------------------------------------

static long aligned(size_t alignment)
{
    void *memory = NULL;
    int result = posix_memalign(&memory, alignment, 100);
    if (result == 0 && (memory == NULL || (unsigned long)memory % alignment != 0))
        result = -2;
    free(memory);
    return result;
}

// The last page of a mapping goes, and can be mapped again; the first stays.
static long end_unmapped(void)
{
    char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return -2;
    pages[0] = pages[PAGE] = 'x';
    if (munmap(pages + PAGE, PAGE) != 0)
        return -3;
    char *again = mmap(pages + PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool good = again == pages + PAGE && again[0] == 0 && pages[0] == 'x';
    return good && munmap(pages, 2 * PAGE) == 0 && mprotect(pages, PAGE, PROT_READ) == -1;
}

// Two mappings side by side, at once.
static long several_protected(void)
{
    char *pages = mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(pages + PAGE, PAGE);
    char *second = mmap(pages + PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (second != pages + PAGE || mprotect(pages, 2 * PAGE, PROT_READ | PROT_WRITE) != 0)
        return -2;
    pages[0] = pages[PAGE] = 'x';
    return munmap(pages, 2 * PAGE) == 0;
}

static long microseconds(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return -1;
    return usage.ru_utime.tv_sec * 1000000 + usage.ru_utime.tv_usec;
}

static long cpu_time_grows(void)
{
    long before = microseconds();
    while (before >= 0 && microseconds() == before)
        ;
    return before >= 0 && microseconds() > before;
}

static long semaphore_value(void)
{
    sem_t semaphore;
    int value = -1;
    sem_init(&semaphore, 0, 1);
    bool good = sem_post(&semaphore) == 0 && sem_wait(&semaphore) == 0 &&
                sem_getvalue(&semaphore, &value) == 0 && value == 1 &&
                sem_trywait(&semaphore) == 0 && sem_trywait(&semaphore) == -1;
    sem_destroy(&semaphore);
    return good;
}

// ---- the table ----------------------------------------------------------------------------------

void values_prepare(void)
{
    file = open("value", O_RDWR | O_CREAT, 0644);
    setenv("HELD", "value", 1);
    patterns_prepare();
    characters_prepare();
}

#define ROW(expression, value)                                                                     \
    static long ROW_CALL(__LINE__)(void)                                                           \
    {                                                                                              \
        return (long)(expression);                                                                 \
    }
#include "values.def"
#undef ROW

#define ROW(expression, value) {#expression, ROW_CALL(__LINE__), value, 0},
const struct row value_rows[] = {
#include "values.def"
};
const unsigned value_row_count = sizeof(value_rows) / sizeof(value_rows[0]);

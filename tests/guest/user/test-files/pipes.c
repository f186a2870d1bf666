// SPDX-License-Identifier: MIT
// Pipes: order, waiting on both ends, ends that close, many waiting at once.
#include "tests.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <user/thread.h>

#define MUCH 200000 // many times what a pipe holds
#define READERS 100 // more than a server has threads

static void simple(bool at_server)
{
    char data[16];
    struct stat info;
    int fds[2];
    EXPECT(pipe(fds) == 0);
    if (at_server)
        give_to_server(fds[1]);
    EXPECT(fstat(fds[0], &info) == 0 && S_ISFIFO(info.st_mode));
    EXPECT(write(fds[1], "hello", 5) == 5);
    EXPECT(read(fds[0], data, 2) == 2 && read(fds[0], data + 2, 14) == 3);
    EXPECT(memcmp(data, "hello", 5) == 0);
    EXPECT_ERROR(lseek(fds[0], 0, SEEK_SET), ESPIPE);
    EXPECT_ERROR(read(fds[1], data, 1), EBADF);
    EXPECT_ERROR(write(fds[0], data, 1), EBADF);
    EXPECT(fcntl(fds[0], F_SETFL, O_NONBLOCK) == 0);
    EXPECT_ERROR(read(fds[0], data, 1), EAGAIN);
    struct pollfd poll_fds[] = {{.fd = fds[0], .events = POLLIN},
                                {.fd = fds[1], .events = POLLOUT}};
    EXPECT(poll(poll_fds, 1, 20) == 0 && poll(poll_fds, 2, 20) == 1);
    EXPECT(write(fds[1], "x", 1) == 1 && poll(poll_fds, 2, 20) == 2);
    close(fds[1]);
    EXPECT(read(fds[0], data, 16) == 1 && read(fds[0], data, 16) == 0);
    close(fds[0]);
    EXPECT(pipe(fds) == 0);
    close(fds[0]);
    EXPECT_ERROR(write(fds[1], "x", 1), EPIPE);
    close(fds[1]);
}

static s64 write_much(void *argument)
{
    unsigned char data[1000];
    int fd = *(int *)argument;
    for (unsigned at = 0; at < MUCH; at += sizeof(data)) {
        for (unsigned i = 0; i < sizeof(data); i++)
            data[i] = (unsigned char)((at + i) * 31 >> 4);
        if (write(fd, data, sizeof(data)) != sizeof(data))
            return 1;
    }
    close(fd);
    return 0;
}

// at_server: the bytes are not in this process.
static void streams(bool at_server)
{
    unsigned char data[777];
    unsigned at = 0;
    int fds[2], good = 1;
    struct thread *writer;
    s64 result;
    EXPECT(pipe(fds) == 0);
    if (at_server)
        give_to_server(fds[0]);
    EXPECT(thread_create(&writer, NULL, write_much, &fds[1]) == 0);
    for (ssize_t bytes; (bytes = read(fds[0], data, sizeof(data))) > 0;) {
        for (ssize_t i = 0; i < bytes; i++, at++)
            good &= data[i] == (unsigned char)(at * 31 >> 4);
    }
    EXPECT(thread_join(writer, &result) == 0 && result == 0);
    EXPECT(good && at == MUCH);
    close(fds[0]);
}

static s64 read_one(void *argument)
{
    char byte = 0;
    ssize_t bytes = read(*(int *)argument, &byte, 1);
    return bytes == 1 ? byte : (s64)bytes;
}

// All of them wait at once (beyond what a pipe's queue at the server takes they get an error,
// and none gets lost).
static void many_readers(bool at_server)
{
    static struct thread *threads[READERS];
    int fds[2], bytes = 0, refused = 0;
    EXPECT(pipe(fds) == 0);
    if (at_server)
        give_to_server(fds[0]);
    for (int i = 0; i < READERS; i++)
        EXPECT(thread_create(&threads[i], NULL, read_one, &fds[0]) == 0);
    thread_sleep_us(200000);
    for (int i = 0; i < READERS / 2; i++)
        EXPECT(write(fds[1], "b", 1) == 1);
    thread_sleep_us(50000);
    close(fds[1]);
    for (int i = 0; i < READERS; i++) {
        s64 result = -2;
        thread_join(threads[i], &result);
        bytes += result == 'b';
        refused += result < 0;
    }
    EXPECT(bytes == READERS / 2);
    EXPECT(refused <= (at_server ? READERS - 64 : 0));
    close(fds[0]);
}

void test_pipes(void)
{
    for (int at_server = 0; at_server < 2; at_server++) {
        simple(at_server);
        streams(at_server);
        many_readers(at_server);
    }
}

// SPDX-License-Identifier: MIT
// Pipes whose bytes are in this process until an end is lent or closed. When that happens nothing
// gets lost, torn or out of order, whoever reads, writes or waits at that moment.
#include "tests.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <user/scheduler.h>
#include <user/thread.h>

#define PIPE_BYTES 16384
#define RECORD 3000 // no divisor of what a pipe holds; at most 4,096, so that none is torn
#define RECORDS 40  // a writer
#define WRITERS 4
#define MUCH 100000
#define ROUNDS 60
#define KILLS 20

static unsigned char block[PIPE_BYTES];

static unsigned char expected(u64 at)
{
    return (unsigned char)(at * 31 >> 4);
}

static void fill(u64 from, u64 bytes)
{
    for (u64 i = 0; i < bytes; i++)
        block[i] = expected(from + i);
}

static void start_thread(struct thread **thread, u32 number, s64 (*function)(void *),
                         void *argument)
{
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    attributes.cpu = number % user_cpu_count();
    EXPECT(thread_create(thread, &attributes, function, argument) == 0);
}

// To the end: how many bytes, or -1 if one is not what it should be.
static s64 read_all(int fd, u64 piece)
{
    unsigned char data[4096];
    u64 at = 0;
    for (;;) {
        ssize_t bytes = read(fd, data, piece);
        if (bytes <= 0)
            return bytes == 0 ? (s64)at : -1;
        for (ssize_t i = 0; i < bytes; i++, at++) {
            if (data[i] != expected(at))
                return -1;
        }
    }
}

// ---- bytes in the pipe when it goes to the server -----------------------------------------------

static void closed_writer(void)
{
    struct stat info;
    int fds[2];
    EXPECT(pipe(fds) == 0);
    fill(0, PIPE_BYTES);
    EXPECT(write(fds[1], block, 5000) == 5000 && read(fds[0], block, 5000) == 5000);
    fill(0, PIPE_BYTES);
    EXPECT(write(fds[1], block, PIPE_BYTES) == PIPE_BYTES); // around the ring's end
    EXPECT(fstat(fds[0], &info) == 0 && info.st_size == PIPE_BYTES);
    close(fds[1]);
    EXPECT(fstat(fds[0], &info) == 0 && info.st_size == PIPE_BYTES);
    EXPECT(read_all(fds[0], 777) == PIPE_BYTES);
    close(fds[0]);
}

static void lent_reader(void)
{
    char data[16] = {0};
    int in[2], out[2];
    EXPECT(pipe(in) == 0 && pipe(out) == 0);
    EXPECT(write(in[1], "abc", 3) == 3);
    const struct posix_spawn_fd fds[] = {{0, in[0]}, {1, out[1]}};
    s64 pid = child_start("copy", "", fds, 2);
    EXPECT(pid > 0);
    close(in[0]), close(out[1]);
    EXPECT(write(in[1], "XYZ", 3) == 3);
    close(in[1]);
    u64 done = 0;
    for (ssize_t bytes; (bytes = read(out[0], data + done, sizeof(data) - done)) > 0;)
        done += (u64)bytes;
    EXPECT(done == 6 && memcmp(data, "ABCxyz", 6) == 0);
    EXPECT(child_status(pid) == 0);
    close(out[0]);
}

static void closed_reader(void)
{
    int fds[2], copy = -1;
    EXPECT(pipe(fds) == 0 && (copy = dup(fds[0])) >= 0);
    EXPECT(write(fds[1], "x", 1) == 1);
    close(fds[0]);
    EXPECT(write(fds[1], "y", 1) == 1); // there still is the copy
    close(copy);
    EXPECT_ERROR(write(fds[1], "z", 1), EPIPE);
    close(fds[1]);
}

// ---- threads that wait when it goes to the server -----------------------------------------------

static s64 read_byte(void *argument)
{
    char byte = 0;
    return read(*(int *)argument, &byte, 1) == 1 ? byte : -1;
}

static void lent_under_a_reader(void)
{
    struct thread *thread;
    s64 result = 0;
    int fds[2];
    EXPECT(pipe(fds) == 0);
    start_thread(&thread, 1, read_byte, &fds[0]);
    thread_sleep_us(10000);
    const struct posix_spawn_fd with = {.child = 5, .parent = fds[1]};
    EXPECT(child_status(child_start("write", "w", &with, 1)) == 0);
    EXPECT(thread_join(thread, &result) == 0 && result == 'w');
    close(fds[1]);
    EXPECT(read_byte(&fds[0]) == -1); // the end
    close(fds[0]);
}

static s64 write_much(void *argument)
{
    int fd = *(int *)argument;
    unsigned char data[1000];
    for (u64 at = 0; at < MUCH; at += sizeof(data)) {
        for (u64 i = 0; i < sizeof(data); i++)
            data[i] = expected(at + i);
        if (write(fd, data, sizeof(data)) != sizeof(data))
            return 1;
    }
    return close(fd);
}

static void given_over_under_a_writer(void)
{
    struct thread *thread;
    s64 result = -1;
    int fds[2];
    EXPECT(pipe(fds) == 0);
    start_thread(&thread, 1, write_much, &fds[1]);
    thread_sleep_us(10000); // it is full
    give_to_server(fds[0]);
    EXPECT(read_all(fds[0], 1234) == MUCH);
    EXPECT(thread_join(thread, &result) == 0 && result == 0);
    close(fds[0]);
}

struct race {
    int fds[2];
    u64 bytes;
};

static s64 write_and_close(void *argument)
{
    struct race *race = argument;
    for (u64 at = 0; at < race->bytes; at++) {
        unsigned char byte = expected(at);
        if (write(race->fds[1], &byte, 1) != 1)
            return 1;
    }
    return close(race->fds[1]);
}

static s64 read_to_end(void *argument)
{
    struct race *race = argument;
    return read_all(race->fds[0], 1 + race->bytes % 7) == (s64)race->bytes ? 0 : 1;
}

// It goes to the server at another moment in each round, by the writer's end or by us.
static void races(void)
{
    bool good = true;
    for (u32 round = 0; round < ROUNDS; round++) {
        struct race race = {.bytes = round * 9};
        struct thread *threads[2];
        s64 results[2] = {-1, -1};
        good &= pipe(race.fds) == 0;
        start_thread(&threads[0], round, read_to_end, &race);
        start_thread(&threads[1], round + 1, write_and_close, &race);
        thread_sleep_us(round % 4 * 50);
        if (round % 2 == 0)
            give_to_server(race.fds[0]);
        for (u32 i = 0; i < 2; i++)
            good &= thread_join(threads[i], &results[i]) == 0 && results[i] == 0;
        close(race.fds[0]);
    }
    EXPECT(good);
}

// ---- whole writes ------------------------------------------------------------------------------

static int shared_writer;

static s64 write_records(void *letter)
{
    char record[RECORD];
    memset(record, (int)(u64)letter, sizeof(record));
    for (u32 i = 0; i < RECORDS; i++) {
        if (write(shared_writer, record, sizeof(record)) != sizeof(record))
            return 1;
    }
    return 0;
}

static bool read_record(int fd, char *record)
{
    for (u64 done = 0; done < RECORD;) {
        ssize_t bytes = read(fd, record + done, RECORD - done);
        if (bytes <= 0)
            return false;
        done += (u64)bytes;
    }
    return memcmp(record, record + 1, RECORD - 1) == 0;
}

static void whole_writes(bool at_server)
{
    static char record[RECORD];
    struct thread *threads[WRITERS];
    int fds[2], counts[WRITERS] = {0};
    bool good = true;
    EXPECT(pipe(fds) == 0);
    if (at_server)
        give_to_server(fds[0]);
    shared_writer = fds[1];
    for (u32 i = 0; i < WRITERS; i++)
        start_thread(&threads[i], i, write_records, (void *)(u64)('a' + i));
    for (u32 i = 0; i < WRITERS * RECORDS; i++) {
        good &= read_record(fds[0], record);
        if (record[0] >= 'a' && record[0] < 'a' + WRITERS)
            counts[record[0] - 'a']++;
    }
    EXPECT(good);
    for (u32 i = 0; i < WRITERS; i++) {
        s64 result = -1;
        EXPECT(thread_join(threads[i], &result) == 0 && result == 0);
        EXPECT(counts[i] == RECORDS);
    }
    close(fds[0]), close(fds[1]);
}

// Whole or not at all, also when nobody waits; and poll promises no more than that.
static void without_waiting(bool at_server)
{
    int fds[2];
    EXPECT(pipe(fds) == 0);
    if (at_server)
        give_to_server(fds[0]);
    struct pollfd room = {.fd = fds[1], .events = POLLOUT};
    EXPECT(fcntl(fds[1], F_SETFL, O_NONBLOCK) == 0 && fcntl(fds[0], F_SETFL, O_NONBLOCK) == 0);
    for (u32 i = 0; i < PIPE_BYTES / RECORD; i++)
        EXPECT(poll(&room, 1, 0) == 1 && write(fds[1], block, RECORD) == RECORD);
    EXPECT_ERROR(write(fds[1], block, RECORD), EAGAIN);
    EXPECT(poll(&room, 1, 0) == 0);
    EXPECT(write(fds[1], block, PIPE_BYTES) == PIPE_BYTES % RECORD); // a long one: what goes in
    EXPECT_ERROR(write(fds[1], block, PIPE_BYTES), EAGAIN);
    EXPECT_ERROR(write(fds[1], block, 1), EAGAIN);
    EXPECT(read(fds[0], block, 4096) == 4096 && poll(&room, 1, 0) == 1);
    EXPECT(write(fds[1], block, 4096) == 4096);
    for (u64 left = PIPE_BYTES; left > 0;) {
        ssize_t bytes = read(fds[0], block, left);
        EXPECT(bytes > 0);
        left -= bytes > 0 ? (u64)bytes : left;
    }
    EXPECT_ERROR(read(fds[0], block, 1), EAGAIN);
    close(fds[0]), close(fds[1]);
}

// ---- a writer that is killed --------------------------------------------------------------------

// Records on 5, until it is killed.
int child_records(void)
{
    fill(0, RECORD);
    while (write(5, block, RECORD) == RECORD)
        ;
    return 1;
}

// Whenever it dies, its last record is there as a whole or not at all, and then the pipe ends.
static void killed_writer(u64 records)
{
    unsigned char record[RECORD] = {0};
    int fds[2];
    u64 bytes = 0;

    EXPECT(pipe(fds) == 0);
    const struct posix_spawn_fd with = {.child = 5, .parent = fds[1]};
    s64 pid = child_start("records", "", &with, 1);
    EXPECT(pid > 0);
    close(fds[1]);
    fill(0, RECORD);
    for (ssize_t got; (got = read(fds[0], record + bytes % RECORD, RECORD - bytes % RECORD)) > 0;) {
        bytes += (u64)got;
        if (bytes % RECORD == 0)
            EXPECT(memcmp(record, block, RECORD) == 0);
        if (bytes / RECORD >= records)
            kill((pid_t)pid, SIGKILL);
    }
    EXPECT(bytes % RECORD == 0 && bytes / RECORD >= records);
    EXPECT(child_status(pid) == 128 + SIGKILL);
    close(fds[0]);
}

void test_own_pipes(void)
{
    for (u64 records = 0; records < KILLS; records++)
        killed_writer(records);
    closed_writer();
    lent_reader();
    closed_reader();
    lent_under_a_reader();
    given_over_under_a_writer();
    races();
    for (u32 at_server = 0; at_server < 2; at_server++) {
        whole_writes(at_server);
        without_waiting(at_server);
    }
}

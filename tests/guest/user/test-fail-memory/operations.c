// SPDX-License-Identifier: MIT
// Operations with memory, processes, files and calls.
#include "operations.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <orrery/errors.h>
#include <orrery/memory.h>
#include <orrery/process.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <user/ipc.h>
#include <user/process.h>
#include <user/thread.h>

#define PAGE 4096UL
#define PAGES 4
#define BULK 6000
#define FAR_OUT 40000 // in a file
#define PORT 7919
#define SOON_MS 5000
#define RW (PROT_R | PROT_W)

s64 unless(bool done)
{
    return done ? 0 : errno == ENOMEM ? E_NOMEM : errno == EAGAIN ? E_TIMEOUT : E_IO;
}

// ---- memory -------------------------------------------------------------------------------------

static s64 commit(void)
{
    struct sys_region region = {.bytes = PAGES * PAGE, .kind = REGION_COMMIT, .prot = RW};
    s64 error = sys_region_create(0, &region);

    if (error != 0)
        return error;
    error = sys_region_commit(region.address, PAGES * PAGE, RW);
    if (error == 0)
        error = sys_region_protect(region.address, PAGE, PROT_R);
    if (error == 0)
        error = sys_region_resize(region.address, 2 * PAGES * PAGE);
    if (error == 0)
        error = sys_region_decommit(region.address, PAGE);
    s64 destroyed = sys_region_destroy(region.address);
    return error != 0 ? error : destroyed;
}

// Whoever touches a page that is not to be had ends.
static s64 touch(void)
{
    struct sys_region region = {.bytes = PAGES * PAGE, .kind = REGION_ANONYMOUS, .prot = RW};
    s64 error = sys_region_create(0, &region);

    if (error != 0)
        return error;
    for (u64 page = 0; page < PAGES; page++)
        *(volatile u8 *)(region.address + page * PAGE) = 1;
    return sys_region_destroy(region.address);
}

static s64 map_shared(cap_t memory)
{
    struct sys_region region = {
        .bytes = PAGES * PAGE, .kind = REGION_SHARED, .prot = RW, .memory = memory};
    s64 error = sys_region_create(0, &region);

    if (error != 0)
        return error;
    *(volatile u8 *)region.address = 1;
    return sys_region_destroy(region.address);
}

static s64 share(void)
{
    s64 memory = sys_memory_new("shared", PAGES * PAGE);

    if (memory < 0)
        return memory;
    s64 error = map_shared((cap_t)memory);
    s64 readable = error == 0 ? sys_memory_readable((cap_t)memory) : error;
    s64 copy = readable < 0 ? readable : sys_cap_copy((cap_t)readable);
    if (copy > 0)
        sys_cap_drop((cap_t)copy);
    if (readable > 0)
        sys_cap_drop((cap_t)readable);
    s64 dropped = sys_cap_drop((cap_t)memory);
    return copy < 0 ? copy : dropped;
}

// ---- processes ----------------------------------------------------------------------------------

static s64 process(void)
{
    const char *const argv[] = {"true", NULL};
    struct process_spawn how = PROCESS_SPAWN;
    s32 status = 1;

    how.path = "/bin/true";
    how.argv = argv;
    s64 pid = process_spawn(&how);
    if (pid > 0)
        pid = process_wait((u32)pid, &status, THREAD_FOREVER);
    return pid < 0 ? pid : status == 0 ? 0 : E_PEER;
}

static s64 end_at_once(void *argument)
{
    (void)argument;
    return 0;
}

static s64 thread_here_or(u32 cpu)
{
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    struct thread *thread;

    attributes.cpu = cpu;
    s64 error = thread_create(&thread, &attributes, end_at_once, NULL);
    return error != 0 ? error : thread_join(thread, NULL);
}

static s64 thread(void)
{
    s64 error = thread_here_or(0);

    return error != 0 ? error : thread_here_or(THREAD_HERE);
}

// ---- calls --------------------------------------------------------------------------------------

static s64 answer(struct ipc_request *request)
{
    request->reply_data = request->data;
    request->reply_bytes = request->bytes;
    return request->bytes == BULK ? 0 : E_PROTO;
}

static s64 call(void)
{
    static u8 bulk[BULK];
    s64 endpoint = ipc_endpoint(answer, NULL);
    struct ipc_message message = {
        .send = bulk, .send_bytes = BULK, .receive = bulk, .receive_max = BULK};

    if (endpoint < 0)
        return endpoint;
    s64 error = ipc_call((cap_t)endpoint, &message);
    ipc_endpoint_close((cap_t)endpoint);
    return error;
}

// ---- files and sockets --------------------------------------------------------------------------

static s64 use_file(int fd)
{
    char data[100] = "x";
    bool done = write(fd, data, sizeof(data)) == sizeof(data) &&
                lseek(fd, FAR_OUT, SEEK_SET) == FAR_OUT &&
                write(fd, data, sizeof(data)) == sizeof(data) && lseek(fd, 0, SEEK_SET) == 0 &&
                read(fd, data, sizeof(data)) == sizeof(data) && data[0] == 'x';
    return unless(done);
}

s64 use_a_file(void)
{
    int fd = open("/tmp/fail-memory", O_RDWR | O_CREAT | O_TRUNC, 0666);

    if (fd < 0)
        return unless(false);
    s64 error = use_file(fd);
    close(fd);
    unlink("/tmp/fail-memory");
    return error;
}

static s64 pipe_bytes(void)
{
    int ends[2];
    char data[10] = "0123";

    if (pipe(ends) != 0)
        return unless(false);
    s64 error = unless(write(ends[1], data, sizeof(data)) == sizeof(data) &&
                       read(ends[0], data, sizeof(data)) == sizeof(data));
    close(ends[0]);
    close(ends[1]);
    return error;
}

static struct sockaddr_in loopback(void)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons(PORT),
                                .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
}

// A connection, or bytes of one, may be lost with what has failed.
static bool something_comes(int fd)
{
    struct pollfd wanted = {.fd = fd, .events = POLLIN};

    if (poll(&wanted, 1, SOON_MS) == 1)
        return true;
    errno = EIO;
    return false;
}

static s64 say_something(int listener)
{
    struct sockaddr_in to = loopback();
    char data[10] = "0123";
    int peer = -1, client = socket(AF_INET, SOCK_STREAM, 0);
    bool done = client >= 0 && connect(client, (struct sockaddr *)&to, sizeof(to)) == 0 &&
                something_comes(listener) && (peer = accept(listener, NULL, NULL)) >= 0 &&
                send(client, data, sizeof(data), 0) == sizeof(data) && something_comes(peer) &&
                recv(peer, data, sizeof(data), 0) == sizeof(data);
    s64 error = unless(done);

    if (peer >= 0)
        close(peer);
    if (client >= 0)
        close(client);
    return error;
}

s64 use_a_stream(void)
{
    struct sockaddr_in at = loopback();
    int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;

    if (listener < 0)
        return unless(false);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    s64 error =
        unless(bind(listener, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(listener, 4) == 0);
    if (error == 0)
        error = say_something(listener);
    close(listener);
    return error;
}

const struct operation operations[] = {
    {.name = "commit", .run = commit},       {.name = "touch", .run = touch},
    {.name = "share", .run = share},         {.name = "process", .run = process},
    {.name = "thread", .run = thread},       {.name = "call", .run = call},
    {.name = "file", .run = use_a_file},     {.name = "pipe", .run = pipe_bytes},
    {.name = "socket", .run = use_a_stream},
};
const u32 operation_count = ARRAY_SIZE(operations);

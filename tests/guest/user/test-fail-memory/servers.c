// SPDX-License-Identifier: MIT
// Operations that servers do for a process, while the servers' memory fails.
#include "operations.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ipc/names.h>
#include <orrery/errors.h>
#include <orrery/process.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <user/ipc.h>

#define PAGE 4096
#define HUNG_S 100 // a server that lives answers sooner
#define DCI_PORT 4242
#define DCI_VERSION 2
#define TOKEN_MAX 64
#define FRAME_MAX 65536

// ---- fs -----------------------------------------------------------------------------------------

static s64 look_into(const char *path, const char *wanted)
{
    DIR *directory = opendir(path);
    const struct dirent *entry;
    bool found = false;

    if (directory == NULL)
        return unless(false);
    while ((entry = readdir(directory)) != NULL)
        found = found || strcmp(entry->d_name, wanted) == 0;
    s64 error = found ? 0 : unless(false);
    closedir(directory);
    return error;
}

static s64 names(void)
{
    struct stat info;
    int fd;
    bool done = (mkdir("/tmp/fm", 0777) == 0 || errno == EEXIST) &&
                (fd = open("/tmp/fm/a", O_RDWR | O_CREAT, 0666)) >= 0 && close(fd) == 0 &&
                rename("/tmp/fm/a", "/tmp/fm/b") == 0 && stat("/tmp/fm/b", &info) == 0;
    s64 error = done ? look_into("/tmp/fm", "b") : unless(false);

    unlink("/tmp/fm/a");
    unlink("/tmp/fm/b");
    rmdir("/tmp/fm");
    return error;
}

// Written by way of the file, read by way of the map. A page that the server cannot give ends the
// process.
static s64 use_map(int fd)
{
    if (ftruncate(fd, 2 * PAGE) != 0 || pwrite(fd, "x", 1, PAGE) != 1)
        return unless(false);
    char *map = mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return unless(false);
    s64 error = ((volatile char *)map)[PAGE] == 'x' ? 0 : E_IO;
    munmap(map, 2 * PAGE);
    return error;
}

static s64 map(void)
{
    int fd = open("/tmp/fail-map", O_RDWR | O_CREAT | O_TRUNC, 0666);

    if (fd < 0)
        return unless(false);
    s64 error = use_map(fd);
    close(fd);
    unlink("/tmp/fail-map");
    return error;
}

// ---- proc ---------------------------------------------------------------------------------------

static s64 read_all(const char *path)
{
    char data[512];
    ssize_t bytes;
    int fd = open(path, O_RDONLY);

    if (fd < 0)
        return unless(false);
    while ((bytes = read(fd, data, sizeof(data))) > 0)
        ;
    s64 error = unless(bytes == 0);
    close(fd);
    return error;
}

static s64 proc(void)
{
    char path[40], pid[12];

    snprintf(pid, sizeof(pid), "%d", (int)getpid());
    s64 error = look_into("/proc", pid);
    snprintf(path, sizeof(path), "/proc/%s/status", pid);
    return error != 0 ? error : read_all(path);
}

// ---- dci ----------------------------------------------------------------------------------------

static bool receive_all(int fd, void *buffer, u64 bytes)
{
    for (u64 at = 0; at < bytes;) {
        ssize_t got = recv(fd, (char *)buffer + at, bytes - at, 0);
        if (got == 0)
            errno = ECONNRESET;
        if (got <= 0)
            return false;
        at += (u64)got;
    }
    return true;
}

// Sends a request and takes the first frame of the answer.
static bool asks(int fd, const u8 *request, u8 bytes)
{
    static u8 answer[FRAME_MAX];
    u8 length[4] = {0, 0, 0, bytes};
    u32 count;

    if (send(fd, length, sizeof(length), 0) != sizeof(length) ||
        send(fd, request, bytes, 0) != bytes || !receive_all(fd, length, sizeof(length)))
        return false;
    memcpy(&count, length, sizeof(count));
    count = ntohl(count);
    return count <= sizeof(answer) && receive_all(fd, answer, count);
}

// Protocol buffers by hand (proto/dci.proto): Request {id, hello {version, token}}, and Request
// {id, classes {}}.
static bool greet_and_ask(int fd)
{
    static const u8 classes[] = {0x08, 2, 0x82, 0x01, 0};
    char token[TOKEN_MAX + 1];
    u8 hello[8 + TOKEN_MAX] = {0x08, 1, 0x12, 0, 0x08, DCI_VERSION, 0x12, 0};

    if (sys_option("observer", token, sizeof(token)) < 0)
        return false;
    u8 bytes = (u8)strlen(token);
    hello[3] = (u8)(4 + bytes);
    hello[7] = bytes;
    memcpy(hello + 8, token, bytes);
    return asks(fd, hello, (u8)(8 + bytes)) && asks(fd, classes, sizeof(classes));
}

static s64 dci(void)
{
    const struct timeval hung = {.tv_sec = HUNG_S};
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons(DCI_PORT),
                                   .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    if (fd < 0)
        return unless(false);
    bool done = setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &hung, sizeof(hung)) == 0 &&
                connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0 && greet_and_ask(fd);
    s64 error = unless(done);
    close(fd);
    return error;
}

// ---- init ---------------------------------------------------------------------------------------

static s64 never(struct ipc_request *request)
{
    (void)request;
    return E_INVAL;
}

static s64 use_name(s64 endpoint)
{
    cap_t found = 0;
    s64 error = names_register(CAP_NAMES, "fail-memory", (cap_t)endpoint);

    if (error != 0)
        return error;
    error = names_lookup(CAP_NAMES, "fail-memory", &found);
    if (error == 0)
        sys_cap_drop(found);
    s64 taken_back = names_unregister(CAP_NAMES, "fail-memory");
    return error != 0 ? error : taken_back;
}

static s64 name(void)
{
    s64 endpoint = ipc_endpoint(never, NULL);

    if (endpoint < 0)
        return endpoint;
    s64 error = use_name(endpoint);
    ipc_endpoint_close((cap_t)endpoint);
    return error;
}

const struct operation serving[] = {
    {.name = "fs-file", .run = use_a_file, .server = "fs"},
    {.name = "fs-names", .run = names, .server = "fs"},
    {.name = "fs-map", .run = map, .server = "fs"},
    {.name = "proc", .run = proc, .server = "proc"},
    {.name = "net", .run = use_a_stream, .server = "net"},
    {.name = "dci", .run = dci, .server = "dci"},
    {.name = "init", .run = name, .server = "init"},
};
const u32 serving_count = ARRAY_SIZE(serving);

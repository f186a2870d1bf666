// SPDX-License-Identifier: MIT
// A small web server: a connection a request, for a file of 4 KB. A thread serves, another asks.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <user/thread.h>

#include "bench.h"

#define CONNECTIONS 64 // a batch
#define PORT 8080
#define FILE_BYTES 4096
#define FOLDER "/tmp"
#define NAME "/bench-web"

static struct sockaddr_in address;
static int listener;
static u32 wrong; // answers that were not as long as they should be

static void serve_one(int connection)
{
    static char answer[128 + FILE_BYTES];
    char request[256], path[64];

    ssize_t length = read(connection, request, sizeof(request) - 1);
    request[length > 0 ? length : 0] = '\0';
    char *name = request + strlen("GET ");
    name[strcspn(name, " ")] = '\0';
    snprintf(path, sizeof(path), FOLDER "%s", name);
    int head = snprintf(answer, 128, "HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n", FILE_BYTES);
    int file = open(path, O_RDONLY);
    ssize_t bytes = read(file, answer + head, FILE_BYTES);
    close(file);
    write(connection, answer, (size_t)(head + bytes));
    close(connection);
}

static s64 serve(void *unused)
{
    (void)unused;
    for (u32 i = 0; i < BATCHES * CONNECTIONS + 1; i++) {
        int connection = accept(listener, NULL, NULL);
        if (connection < 0)
            return -1;
        serve_one(connection);
    }
    return 0;
}

static void ask(void)
{
    static char answer[FILE_BYTES + 128];
    u64 taken = 0;
    int here = socket(AF_INET, SOCK_STREAM, 0);

    connect(here, (struct sockaddr *)&address, sizeof(address));
    write(here, "GET " NAME " HTTP/1.0\r\n\r\n", strlen("GET " NAME " HTTP/1.0\r\n\r\n"));
    for (ssize_t bytes = 1; bytes > 0; taken += (u64)bytes) {
        bytes = read(here, answer, sizeof(answer));
        if (bytes < 0)
            break;
    }
    close(here);
    wrong += taken < FILE_BYTES;
}

static bool make_file(void)
{
    char text[FILE_BYTES];
    int file = open(FOLDER NAME, O_WRONLY | O_CREAT | O_TRUNC, 0644);

    memset(text, 'x', sizeof(text));
    bool made = file >= 0 && write(file, text, sizeof(text)) == FILE_BYTES;
    close(file);
    return made;
}

bool bench_web(void)
{
    struct thread *thread;

    address = (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    listener = socket(AF_INET, SOCK_STREAM, 0);
    if (!make_file() || bind(listener, (struct sockaddr *)&address, sizeof(address)) != 0 ||
        listen(listener, 4) != 0 || thread_create(&thread, NULL, serve, NULL) != 0)
        return false;
    measure("net.web_request", CONNECTIONS, ask);
    thread_join(thread, NULL);
    unlink(FOLDER NAME);
    close(listener);
    return wrong == 0;
}

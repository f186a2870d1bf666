// SPDX-License-Identifier: MIT
// Processes that end with open sockets, and a net server that ends under its clients.
#include "tests.h"

#include <errno.h>
#include <orrery/ipc.h>
#include <posix/spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <user/process.h>
#include <user/thread.h>
#include <user/time.h>

#define PORT 6400
#define CHILDREN 70 // more than sessions there can be at once
#define SERVER_KILLS 2

// "hold": connects, sends a byte, and waits to be ended.
int child_main(int argc, char **argv)
{
    (void)argc, (void)argv;
    int file = connect_to(PORT);
    if (file < 0 || send(file, "x", 1, 0) != 1)
        return 1;
    for (;;)
        thread_sleep_us(1000000);
}

static u32 start_child(void)
{
    static const char *const arguments[] = {"test-net", "hold", NULL};
    struct process_spawn spawn = PROCESS_SPAWN;
    cap_t process;

    spawn.path = "/bin/test-net";
    spawn.argv = arguments;
    spawn.rights = 0;
    s64 pid = posix_spawn_program(&spawn, NULL, 0, &process);
    EXPECT(pid > 0);
    sys_cap_drop(process);
    return (u32)pid;
}

// Its end is seen as the connection's end, and its session is free again.
static void a_killed_process_lets_go(void)
{
    int listener = listen_on(PORT);

    for (int i = 0; i < CHILDREN; i++) {
        s32 status;
        char byte = 0;
        u32 pid = start_child();
        int peer = accept_one(listener);
        bool came = recv(peer, &byte, 1, 0) == 1 && byte == 'x';
        sys_process_kill(pid, 9);
        bool ended = recv(peer, &byte, 1, 0) == 0;
        close(peer);
        process_wait(pid, &status, THREAD_FOREVER);
        if (!came || !ended)
            EXPECT(!"a child's connection did not end");
    }
    EXPECT(true);
    close(listener);
}

// Both sides have ended, and the process still has the sockets: lwIP's connections are free for new
// ones, which the late close must not touch.
static void late_closes_end_nobody_elses_connection(void)
{
    int old[2], fresh[2];
    char byte;

    connect_pair(PORT + 2, old);
    for (int i = 0; i < 2; i++)
        EXPECT(shutdown(old[i], SHUT_WR) == 0);
    for (int i = 0; i < 2; i++)
        EXPECT(recv(old[i], &byte, 1, 0) == 0);
    connect_pair(PORT + 2, fresh);
    EXPECT(send_pattern(fresh[0], 100, 3) && receive_pattern(fresh[1], 100, 3));
    close(old[0]);
    close(old[1]);
    EXPECT(send_pattern(fresh[1], 100, 4) && receive_pattern(fresh[0], 100, 4));
    close(fresh[0]);
    close(fresh[1]);
}

static u32 find_process(const char *name)
{
    struct sys_process_info infos[64];
    u64 cursor = 0;
    s64 got;

    while ((got = sys_process_list(&cursor, infos, sizeof(infos))) > 0)
        for (u64 i = 0; i < (u64)got / sizeof(infos[0]); i++)
            if (strncmp(infos[i].name, name, PROCESS_NAME_MAX) == 0 &&
                infos[i].state == PROCESS_LIVE)
                return infos[i].pid;
    return 0;
}

static s64 wait_for_bytes(void *argument)
{
    char byte;
    ssize_t got = recv(*(int *)argument, &byte, 1, 0);
    return got == -1 && errno == ECONNRESET;
}

// Who waits gets an error, and new sockets work as soon as the server is back.
static void a_killed_server_is_an_error(void)
{
    struct thread *waiting;
    s64 right = 0;
    int ends[2];

    connect_pair(PORT + 1, ends);
    EXPECT(thread_create(&waiting, NULL, wait_for_bytes, &ends[0]) == 0);
    thread_sleep_us(20000);
    u32 server = find_process("net");
    EXPECT(server != 0 && sys_process_kill(server, 1) == 0);
    EXPECT(thread_join(waiting, &right) == 0 && right == 1);
    EXPECT(send(ends[1], "x", 1, 0) == -1 && errno == ECONNRESET);
    EXPECT(accept_one(ends[1]) == -1);
    close(ends[0]);
    close(ends[1]);
    connect_pair(PORT + 1, ends); // waits for the server's return
    EXPECT(send_pattern(ends[0], 20000, 5) && receive_pattern(ends[1], 20000, 5));
    close(ends[0]);
    close(ends[1]);
}

void test_ends(void)
{
    a_killed_process_lets_go();
    late_closes_end_nobody_elses_connection();
    for (int i = 0; i < SERVER_KILLS; i++)
        a_killed_server_is_an_error();
}

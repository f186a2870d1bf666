// SPDX-License-Identifier: MIT
// Who is told what, when both ends of a connection are in one process. What a thread's call does to
// its own process's sockets comes with the call's answer, and others wait for it.
#include "tests.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

#define PORT 6500
#define ROUNDS 20
#define LONGER_THAN_A_TIMER_US 600000 // lwIP says every quarter of a second what it has put off

// A connection that goes before it is accepted is not there any more, and the next one is.
static void one_that_went_is_not_accepted(void)
{
    const struct linger reset = {.l_onoff = 1, .l_linger = 0};
    int listener = listen_on(PORT);

    EXPECT(fcntl(listener, F_SETFL, O_NONBLOCK) == 0);
    for (int round = 0; round < ROUNDS; round++) {
        struct pollfd poll_listener = {.fd = listener, .events = POLLIN};
        int gone = connect_to(PORT), stays = round % 2 != 0 ? connect_to(PORT) : -1;
        EXPECT(setsockopt(gone, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)) == 0);
        close(gone);
        EXPECT(poll(&poll_listener, 1, 0) == round % 2);
        int accepted = accept(listener, NULL, NULL);
        EXPECT(round % 2 != 0 ? accepted >= 0 : accepted < 0 && errno == EAGAIN);
        EXPECT(poll(&poll_listener, 1, 0) == 0);
        if (stays < 0)
            continue;
        EXPECT(send_pattern(stays, 100, 3) && receive_pattern(accepted, 100, 3));
        close(stays);
        close(accepted);
    }
    close(listener);
}

static u32 taken_count;

// Takes connections, and counts the bytes of each until its end.
static s64 serve(void *argument)
{
    const int *listener = argument;
    s64 bytes = 0;

    for (int round = 0; round < ROUNDS; round++) {
        char byte;
        int taken = accept(*listener, NULL, NULL);
        __atomic_add_fetch(&taken_count, 1, __ATOMIC_RELEASE);
        while (read(taken, &byte, 1) == 1)
            bytes++;
        close(taken);
    }
    return bytes;
}

// Its waits end by calls of this thread alone: connect, and close, shutdown or a reset.
static void a_threads_calls_wake_another(void)
{
    const struct linger reset = {.l_onoff = 1, .l_linger = 0};
    struct thread *server;
    s64 bytes = 0;
    int listener = listen_on(PORT + 1);

    EXPECT(thread_create(&server, NULL, serve, &listener) == 0);
    for (int round = 0; round < ROUNDS; round++) {
        char byte;
        int here = connect_to(PORT + 1);
        EXPECT(here >= 0);
        EXPECT(WAIT_FOR(__atomic_load_n(&taken_count, __ATOMIC_ACQUIRE) == (u32)round + 1));
        thread_sleep_us(1000); // the server waits for what comes
        if (round % 3 == 0)
            EXPECT(write(here, "x", 1) == 1);
        if (round % 3 == 1) {
            EXPECT(shutdown(here, SHUT_WR) == 0);
            EXPECT(read(here, &byte, 1) == 0);
        }
        if (round % 3 == 2)
            EXPECT(setsockopt(here, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)) == 0);
        close(here);
    }
    EXPECT(thread_join(server, &bytes) == 0);
    EXPECT(bytes == (ROUNDS + 2) / 3);
    close(listener);
}

// Neither the end of one side nor the answer to it, which may wait for company, stops the other.
static void an_end_leaves_the_other_way_open(void)
{
    int ends[2];
    char byte;

    connect_pair(PORT + 2, ends);
    EXPECT(send_pattern(ends[0], 5000, 1) && shutdown(ends[0], SHUT_WR) == 0);
    EXPECT(receive_pattern(ends[1], 5000, 1) && read(ends[1], &byte, 1) == 0);
    EXPECT(send_pattern(ends[1], 3000, 2) && receive_pattern(ends[0], 3000, 2));
    thread_sleep_us(LONGER_THAN_A_TIMER_US);
    EXPECT(send_pattern(ends[1], 100000, 3) && receive_pattern(ends[0], 100000, 3));
    close(ends[1]);
    EXPECT(read(ends[0], &byte, 1) == 0);
    close(ends[0]);
}

void test_wakes(void)
{
    one_that_went_is_not_accepted();
    a_threads_calls_wake_another();
    an_end_leaves_the_other_way_open();
}

// SPDX-License-Identifier: MIT
// Bytes: all of them, in order, and then the end.
#include "tests.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <user/thread.h>

#define PORT 6100
#define MUCH (3u << 20)
#define EARLY_PORT 6150
#define RESET_PORT 6151
#define EARLY_US 2000

struct transfer {
    int file;
    size_t count;
    unsigned seed;
};

static s64 send_in_thread(void *argument)
{
    const struct transfer *transfer = argument;
    bool good = send_pattern(transfer->file, transfer->count, transfer->seed);
    shutdown(transfer->file, SHUT_WR);
    return good;
}

// Both directions at once, each by two threads.
static void much_both_ways(void)
{
    struct thread *senders[2];
    char byte;
    int ends[2];

    connect_pair(PORT, ends);
    struct transfer transfers[2] = {{ends[0], MUCH, 1}, {ends[1], MUCH, 2}};
    for (int i = 0; i < 2; i++)
        EXPECT(thread_create(&senders[i], NULL, send_in_thread, &transfers[i]) == 0);
    EXPECT(receive_pattern(ends[1], MUCH, 1));
    EXPECT(receive_pattern(ends[0], MUCH, 2));
    for (int i = 0; i < 2; i++) {
        s64 good = 0;
        EXPECT(thread_join(senders[i], &good) == 0 && good);
        EXPECT(recv(ends[i], &byte, 1, 0) == 0); // the end, as often as asked
        EXPECT(recv(ends[i], &byte, 1, 0) == 0);
        close(ends[i]);
    }
}

static void one_side_ends_first(void)
{
    char text[32] = "";
    int ends[2];

    connect_pair(PORT + 1, ends);
    EXPECT(send(ends[0], "question", 8, 0) == 8);
    EXPECT(shutdown(ends[0], SHUT_WR) == 0);
    EXPECT(send(ends[0], "x", 1, 0) == -1 && errno == EPIPE);
    EXPECT(recv(ends[1], text, sizeof(text), MSG_WAITALL) == 8);
    EXPECT(memcmp(text, "question", 8) == 0);
    EXPECT(send(ends[1], "answer", 6, 0) == 6);
    EXPECT(close(ends[1]) == 0);
    EXPECT(recv(ends[0], text, sizeof(text), MSG_WAITALL) == 6);
    EXPECT(memcmp(text, "answer", 6) == 0);
    close(ends[0]);
}

static void what_was_sent_arrives_after_close(void)
{
    int ends[2];

    connect_pair(PORT + 2, ends);
    EXPECT(send_pattern(ends[0], 100000, 3)); // less than a ring: nobody reads yet
    EXPECT(close(ends[0]) == 0);
    EXPECT(receive_pattern(ends[1], 100000, 3));
    close(ends[1]);
}

static void peeking_and_waiting_for_all(void)
{
    char text[8] = "";
    int ends[2];

    connect_pair(PORT + 3, ends);
    EXPECT(send(ends[0], "abcdef", 6, 0) == 6);
    EXPECT(recv(ends[1], text, 3, MSG_PEEK | MSG_WAITALL) > 0 && text[0] == 'a');
    EXPECT(recv(ends[1], text, 6, MSG_WAITALL) == 6);
    EXPECT(memcmp(text, "abcdef", 6) == 0);
    close(ends[0]);
    close(ends[1]);
}

static void a_reset_is_an_error(void)
{
    struct linger at_once = {1, 0};
    char byte;
    int ends[2];

    connect_pair(PORT + 4, ends);
    EXPECT(setsockopt(ends[0], SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)) == 0);
    EXPECT(close(ends[0]) == 0);
    EXPECT(recv(ends[1], &byte, 1, 0) == -1 && errno == ECONNRESET);
    EXPECT(send(ends[1], &byte, 1, 0) == -1 && errno == EPIPE); // the reset was told
    EXPECT(recv(ends[1], &byte, 1, 0) == 0);
    close(ends[1]);
}

// Small messages back and forth: nobody waits for more than there is.
static void questions_and_answers(void)
{
    char byte;
    int ends[2];

    connect_pair(PORT + 5, ends);
    for (int i = 0; i < 500; i++) {
        bool good = send(ends[0], &(char){(char)i}, 1, 0) == 1 && recv(ends[1], &byte, 1, 0) == 1 &&
                    byte == (char)i && send(ends[1], &byte, 1, 0) == 1 &&
                    recv(ends[0], &byte, 1, 0) == 1 && byte == (char)i;
        if (!good)
            EXPECT(!"a byte was lost");
    }
    EXPECT(true);
    close(ends[0]);
    close(ends[1]);
}

// Sends less, as much, and more than the server holds of a connection that nobody has accepted yet,
// with and without the sender's end behind it. Then leaves connections that go unaccepted.
static void bytes_before_the_accept(void)
{
    static const size_t counts[] = {1, 1023, 1024, 1025, 20000};
    int listener = listen_on(EARLY_PORT);

    for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
        for (int ended = 0; ended < 2; ended++) {
            int sender = connect_to(EARLY_PORT);
            EXPECT(send_pattern(sender, counts[i], 1) && send_pattern(sender, 10, 2));
            if (ended)
                EXPECT(shutdown(sender, SHUT_WR) == 0);
            thread_sleep_us(EARLY_US);
            int taker = accept_one(listener);
            EXPECT(receive_pattern(taker, counts[i], 1) && receive_pattern(taker, 10, 2));
            EXPECT(send_pattern(taker, 5000, 3) && receive_pattern(sender, 5000, 3));
            close(taker);
            close(sender);
        }
    for (int i = 0; i < 20; i++) {
        int sender = connect_to(EARLY_PORT);
        EXPECT(send_pattern(sender, 100, 1));
        close(sender);
    }
    close(listener);
}

// A connection that its client has reset before it is accepted is an error to who accepts it, or is
// not there any more; the next one is whole.
static void resets_before_the_accept(void)
{
    static const size_t counts[] = {0, 1, 1024, 1025, 20000};
    struct linger at_once = {1, 0};
    int listener = listen_on(RESET_PORT);

    for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
        for (u64 pause = 0; pause <= EARLY_US; pause += EARLY_US) {
            int gone = connect_to(RESET_PORT), taker;
            EXPECT(send_pattern(gone, counts[i], 1));
            EXPECT(setsockopt(gone, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)) == 0);
            thread_sleep_us(pause);
            EXPECT(close(gone) == 0);
            int sender = connect_to(RESET_PORT);
            EXPECT(send_pattern(sender, 3000, 2));
            while (!receive_pattern(taker = accept_one(listener), 3000, 2)) {
                EXPECT(errno == ECONNRESET || counts[i] != 0);
                close(taker);
            }
            EXPECT(send_pattern(taker, 3000, 3) && receive_pattern(sender, 3000, 3));
            close(taker);
            close(sender);
        }
    close(listener);
}

void test_streams(void)
{
    bytes_before_the_accept();
    resets_before_the_accept();
    much_both_ways();
    one_side_ends_first();
    what_was_sent_arrives_after_close();
    peeking_and_waiting_for_all();
    a_reset_is_an_error();
    questions_and_answers();
}

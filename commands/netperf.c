// SPDX-License-Identifier: MIT
// Measures TCP. One side sends for some seconds, the other receives; both report their rate.
#include "common.h"
#include "internet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <user/time.h>

#define BUFFER_BYTES 65536
#define SECOND_US 1000000

static char buffer[BUFFER_BYTES];

static void report(const char *what, u64 bytes, u64 ticks)
{
    u64 us = time_to_us(ticks);
    u64 rate = us == 0 ? 0 : bytes * 100 / us; // in units of 10 KB a second

    printf("%s %lu bytes in %lu.%03lu s: %lu.%02lu MB/s\n", what, bytes, us / SECOND_US,
           us / 1000 % 1000, rate / 100, rate % 100);
    fflush(stdout);
}

static int send_for(int file, u64 seconds)
{
    u64 start = time_now(), end = start + time_from_us(seconds * SECOND_US);
    u64 bytes = 0;

    while (time_now() < end) {
        ssize_t sent = write(file, buffer, sizeof(buffer));
        if (sent < 0 && (errno == ECONNRESET || errno == EPIPE))
            break; // the other side has had enough
        if (sent < 0)
            return complain("send");
        bytes += (u64)sent;
    }
    report("sent", bytes, time_now() - start);
    return 0;
}

// Measures from the first byte to the end.
static int receive_all(int file)
{
    u64 bytes = 0, start = 0;
    ssize_t got;

    while ((got = read(file, buffer, sizeof(buffer))) > 0) {
        if (bytes == 0)
            start = time_now();
        bytes += (u64)got;
    }
    if (got < 0 && errno != ECONNRESET)
        return complain("receive");
    report("received", bytes, bytes == 0 ? 0 : time_now() - start);
    return 0;
}

// Sends back everything that comes.
static int echo_all(int file)
{
    u64 bytes = 0, start = time_now();
    ssize_t got;

    while ((got = read(file, buffer, sizeof(buffer))) > 0) {
        if (write(file, buffer, (size_t)got) != got)
            return complain("send");
        bytes += (u64)got;
    }
    report("echoed", bytes, time_now() - start);
    return got < 0 ? complain("receive") : 0;
}

static int serve(const char *mode, int file, u64 seconds)
{
    if (mode[0] == 's')
        return send_for(file, seconds);
    return mode[0] == 'r' ? receive_all(file) : echo_all(file);
}

static bool good_mode(const char *mode)
{
    return strcmp(mode, "send") == 0 || strcmp(mode, "receive") == 0 || strcmp(mode, "echo") == 0;
}

int main(int argc, char **argv)
{
    u64 seconds = 5;
    bool listening = false;

    command_begin(argc, argv,
                  "netperf [-t SECONDS] send|receive|echo HOST PORT\n"
                  "       netperf [-t SECONDS] -l send|receive|echo PORT\n"
                  "sends for some seconds (5), takes all that comes, or returns it, and tells how "
                  "fast that went;\n-l: to whoever connects first");
    for (int option; (option = getopt(argc, argv, "t:l")) != -1;) {
        listening |= option == 'l';
        if (option == '?' || (option == 't' && !parse_number(optarg, 100000, &seconds)))
            return command_usage();
    }
    if (argc - optind != (listening ? 2 : 3) || !good_mode(argv[optind]))
        return command_usage();
    int file;
    if (listening) {
        int listener = internet_listen(argv[optind + 1]);
        file = listener < 0 ? -1 : internet_accept(listener);
    } else {
        file = internet_connect(argv[optind + 1], argv[optind + 2]);
    }
    return file < 0 ? 1 : serve(argv[optind], file, seconds);
}

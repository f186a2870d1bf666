// SPDX-License-Identifier: MIT
#include "common.h"
#include "internet.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <user/thread.h>

static int connection;
static char to_output[12288];

// Runs in its own thread: input may never end.
static s64 send_input(void *argument)
{
    (void)argument;
    copy_bytes(0, connection, "input");
    shutdown(connection, SHUT_WR);
    return 0;
}

static int print_received(void)
{
    for (;;) {
        ssize_t got = read(connection, to_output, sizeof(to_output));
        if (got == 0)
            return 0;
        if (got < 0)
            return complain("connection");
        if (write(1, to_output, (size_t)got) != got)
            return complain("output");
    }
}

int main(int argc, char **argv)
{
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    struct thread *sender;

    command_begin(
        argc, argv,
        "tcp HOST PORT\n       tcp -l PORT\nconnects, or waits for a connection; sends its "
        "input, prints what comes");
    if (argc != 3)
        return command_usage();
    int listener = strcmp(argv[1], "-l") == 0 ? internet_listen(argv[2]) : -1;
    if (strcmp(argv[1], "-l") != 0)
        connection = internet_connect(argv[1], argv[2]);
    else
        connection = listener < 0 ? -1 : internet_accept(listener);
    if (connection < 0)
        return 1;
    attributes.detached = true;
    s64 error = thread_create(&sender, &attributes, send_input, NULL);
    if (error != 0)
        return complain_error("thread", error);
    return print_received();
}

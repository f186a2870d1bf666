// SPDX-License-Identifier: MIT
#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <orrery/errors.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COPY_BYTES 12288 // what one read or write of a file moves at most

static const char *command_name = "?";
static const char *command_text = "";

void command_begin(int argc, char **argv, const char *usage)
{
    if (argc > 0) {
        const char *slash = strrchr(argv[0], '/');
        command_name = slash == NULL ? argv[0] : slash + 1;
    }
    command_text = usage;
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        printf("usage: %s\n", usage);
        exit(0);
    }
}

int command_usage(void)
{
    fprintf(stderr, "usage: %s\n", command_text);
    return 2;
}

int complain_text(const char *what, const char *why)
{
    fflush(stdout);
    fprintf(stderr, "%s: %s: %s\n", command_name, what, why);
    return 1;
}

int complain(const char *what)
{
    return complain_text(what, strerror(errno));
}

int complain_error(const char *what, s64 error)
{
    return complain_text(what, orrery_strerror(error));
}

bool parse_number(const char *text, u64 limit, u64 *number)
{
    char *end;

    errno = 0;
    *number = strtoul(text, &end, 10);
    return end != text && *end == 0 && text[0] != '-' && errno == 0 && *number <= limit;
}

int copy_bytes(int from, int to, const char *name)
{
    static char buffer[COPY_BYTES];

    for (;;) {
        ssize_t got = read(from, buffer, sizeof(buffer));
        if (got == 0)
            return 0;
        if (got < 0)
            return complain(name);
        for (ssize_t done = 0; done < got;) {
            ssize_t put = write(to, buffer + done, (size_t)(got - done));
            if (put < 0)
                return complain(name);
            done += put;
        }
    }
}

int each_file(int argc, char **argv, int first, int (*function)(int file, const char *name))
{
    int status = 0;

    if (first >= argc)
        return function(0, "standard input");
    for (int i = first; i < argc; i++) {
        if (strcmp(argv[i], "-") == 0) {
            status |= function(0, "standard input");
            continue;
        }
        int file = open(argv[i], O_RDONLY);
        if (file < 0) {
            status = complain(argv[i]);
            continue;
        }
        status |= function(file, argv[i]);
        close(file);
    }
    return status;
}

bool sync_files(void)
{
    int fd = open("/", O_RDONLY); // any file of the server that has /data
    bool done = fd >= 0 && fsync(fd) == 0;
    int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    return done;
}

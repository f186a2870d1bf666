// SPDX-License-Identifier: MIT
#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES 4096

static bool silent;

// Reads as many bytes as there are, up to READ_BYTES. Returns -1 after it has reported an error.
static ssize_t read_all(int file, char *buffer, const char *name)
{
    ssize_t bytes = 0, got;

    while (bytes < READ_BYTES &&
           (got = read(file, buffer + bytes, READ_BYTES - (size_t)bytes)) != 0) {
        if (got < 0) {
            complain(name);
            return -1;
        }
        bytes += got;
    }
    return bytes;
}

// Returns 0: the same, 1: different, 2: an error.
static int compare(const int files[2], const char *const names[2])
{
    char buffers[2][READ_BYTES];
    u64 byte = 1, line = 1;

    for (;;) {
        ssize_t first = read_all(files[0], buffers[0], names[0]);
        ssize_t second = read_all(files[1], buffers[1], names[1]);
        if (first < 0 || second < 0)
            return 2;
        ssize_t both = first < second ? first : second;
        for (ssize_t i = 0; i < both; i++, byte++) {
            if (buffers[0][i] != buffers[1][i]) {
                if (!silent)
                    printf("%s %s differ: byte %lu, line %lu\n", names[0], names[1], byte, line);
                return 1;
            }
            line += buffers[0][i] == '\n';
        }
        if (first != second && !silent)
            fprintf(stderr, "cmp: end of %s after byte %lu\n", names[first > second], byte - 1);
        if (first != second)
            return 1;
        if (first == 0)
            return 0;
    }
}

int main(int argc, char **argv)
{
    command_begin(argc, argv,
                  "cmp [-s] FILE FILE\ncompares two files, and tells where they differ: status 1; "
                  "-s: by its status alone");
    for (int option; (option = getopt(argc, argv, "s")) != -1;) {
        if (option == '?')
            return command_usage();
        silent = true;
    }
    if (argc - optind != 2)
        return command_usage();
    const char *const names[2] = {argv[optind], argv[optind + 1]};
    int files[2];
    for (u32 i = 0; i < 2; i++) {
        files[i] = strcmp(names[i], "-") == 0 ? STDIN_FILENO : open(names[i], O_RDONLY);
        if (files[i] < 0) {
            complain(names[i]);
            return 2;
        }
    }
    return compare(files, names);
}

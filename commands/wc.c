// SPDX-License-Identifier: MIT
#include "common.h"

#include <ctype.h>
#include <stdio.h>
#include <unistd.h>

#define READ_BYTES 4096

static bool lines_only, words_only, bytes_only;

static void show(u64 lines, u64 words, u64 bytes, const char *name)
{
    bool all = !lines_only && !words_only && !bytes_only;

    if (all || lines_only)
        printf("%8lu", lines);
    if (all || words_only)
        printf("%8lu", words);
    if (all || bytes_only)
        printf("%8lu", bytes);
    printf(" %s\n", name);
}

static int count(int file, const char *name)
{
    u64 lines = 0, words = 0, bytes = 0;
    bool in_word = false;
    char buffer[READ_BYTES];
    ssize_t got;

    while ((got = read(file, buffer, sizeof(buffer))) > 0) {
        bytes += (u64)got;
        for (ssize_t i = 0; i < got; i++) {
            bool blank = isspace((unsigned char)buffer[i]) != 0;
            lines += buffer[i] == '\n';
            words += !blank && !in_word;
            in_word = !blank;
        }
    }
    if (got < 0)
        return complain(name);
    show(lines, words, bytes, file == 0 ? "" : name);
    return 0;
}

int main(int argc, char **argv)
{
    command_begin(argc, argv, "wc [-l] [-w] [-c] [FILE …]\ncounts lines, words and bytes");
    for (int option; (option = getopt(argc, argv, "lwc")) != -1;) {
        if (option == '?')
            return command_usage();
        lines_only |= option == 'l';
        words_only |= option == 'w';
        bytes_only |= option == 'c';
    }
    return each_file(argc, argv, optind, count);
}

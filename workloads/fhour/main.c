// SPDX-License-Identifier: MIT
// fhour [--profile PERIOD] [MOVES]
// Solves a position of connect-four and prints how many positions a second it has visited, as the
// Fhourstones benchmark does (S001 §5.1).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <user/time.h>

#include "hot.h"
#include "search.h"

#define POSITION "44444426" // won, after 2.5 million positions
#define TABLE_BITS 19       // pairs of positions: 8 MB

struct options {
    u64 period; // 0: no profile
    const char *moves;
};

static bool read_options(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; i++) {
        char *end = "";
        if (strcmp(argv[i], "--profile") == 0 && i + 1 < argc) {
            options->period = strtoul(argv[++i], &end, 10);
            if (*end != '\0' || options->period == 0)
                return false;
        } else if (argv[i][0] != '-') {
            options->moves = argv[i];
        } else {
            return false;
        }
    }
    return true;
}

static const char *meaning(enum value value)
{
    return value == VALUE_WIN ? "won" : value == VALUE_DRAW ? "drawn" : "lost";
}

static void print_found(const char *moves, const struct found *found, u64 us)
{
    printf("fhour: %s is %s: %lu positions in %lu.%03lu s, %lu kpos/s\n", moves,
           meaning(found->value), found->positions, us / 1000000, us / 1000 % 1000,
           found->positions * 1000 / (us != 0 ? us : 1));
}

int main(int argc, char **argv)
{
    struct options options = {.moves = POSITION};
    struct board board;

    if (!read_options(argc, argv, &options)) {
        fprintf(stderr, "usage: fhour [--profile PERIOD] [MOVES]\n");
        return 2;
    }
    if (!board_play(&board, options.moves)) {
        fprintf(stderr, "fhour: %s: not a game that goes on\n", options.moves);
        return 2;
    }
    if (!table_make(TABLE_BITS)) {
        fprintf(stderr, "fhour: no memory for the table\n");
        return 1;
    }
    if (options.period != 0 && !hot_start(options.period))
        return 1;
    u64 begin = time_now();
    struct found found = search(&board);
    u64 us = time_to_us(time_now() - begin);
    print_found(options.moves, &found, us);
    if (options.period != 0)
        hot_print();
    return 0;
}

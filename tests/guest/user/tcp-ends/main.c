// SPDX-License-Identifier: MIT
// A table of how connections end. Each row is a sequence of acts of the side that connected (a) and
// of the side that accepted (b). A line a row says what each act gave.
//   tcp-ends PORT                  both sides over 127.0.0.1
//   tcp-ends serve PORT CONTROL    side b: acts as side a asks over the connection CONTROL
//   tcp-ends drive PORT CONTROL    side a, connecting to 127.0.0.1
#include "ends.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define OWN "127.0.0.1"
#define ANY "0.0.0.0"
#define SETTLE_MS 15
#define SETTLE_FAR_MS 60 // through the emulator's network
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const char *const rows[] = {
    // both open
    "ap bp aw bp br bp bw ar",
    // close: reading gives the end, the first write still goes, the second does not
    "ac bp br bp bw bp bw bp br be",
    "ac bw bp bw bw br bp",
    "ac br br bw be bw bp bs",
    "ac bw be be bw br",
    "bc ap ar aw ap aw ar ap",
    "aw ac bp br br bw br bw",
    "aw ac bt bw bw br br",
    "ac bs bp br bw bc",
    "ac bc",
    // close with data that nobody has read: a reset
    "bw ac bp br br bw bp",
    "bw ac bw bw br bp be",
    "bw ac be bp br bw bp",
    "bw aw ac bp br br br bw",
    "bw bw at ac bp br bp",
    "bw ar ac bp br bw bp",
    "bw bs ac bp br",
    "bw bs ar ac bp br",
    "aw bc ap ar aw ap",
    "aw bw bc ap ar ar ar",
    // half-close
    "as bp br bw ar ap bc ap ar ap",
    "as aw ap bw ar bs ap ar bp br",
    "as bs ap bp aw bw ar br ac bc",
    "as bw ar ac bp bw bp bw",
    "as ac bp bw bp bw bp",
    "as bw ac bp br bw bp",
    "as bw bc ar ar ap",
    "ad ap ar bw ar ap aw br",
    "ad bw ac bp br bp",
    "ad ac bp br bw bw",
    "ax ap ar aw bp br bw bp bw ap",
    "ax bc ap ar aw",
    "ax bw ae ap ar",
    "ad as bw bp ap ae",
    "as ad bw bp bw",
    // reset
    "al bp br br bw bp",
    "al bw bw be bp",
    "al be be br bw",
    "al bp be bp br bw",
    "aw al br br br bw",
    "aw al bp bt br br",
    "bw al bp br",
    "as al bp br bw",
    "bs al bp br br",
    "al bs bd bx bc",
    "bl ap ar ar aw ap",
    "bl aw ar ae",
};

// ---- the other side ----------------------------------------------------------------------------

static int control = -1;  // to the process that is side b; -1: this one
static int listener = -1; // of this process's side b
static int taken = -1;    // its connection

static void ask(char act, char *text)
{
    size_t have = 0;

    if (send(control, &act, 1, 0) != 1)
        exit(1);
    do {
        ssize_t got = recv(control, text + have, ENDS_TEXT - have, 0);
        if (got <= 0)
            exit(1);
        have += (size_t)got;
    } while (text[have - 1] != '\n');
    text[have - 1] = '\0';
}

static void serve_act(char act, char *text)
{
    strcpy(text, "0");
    if (act == 'n')
        taken = ends_accept(listener);
    else if (act == 'o' && taken >= 0)
        ends_act('c', &taken, text);
    else if (act != 'o')
        ends_act(act, &taken, text);
}

static void other_side(char act, char *text)
{
    if (control >= 0)
        ask(act, text);
    else
        serve_act(act, text);
}

static int serve(void)
{
    char act, text[ENDS_TEXT + 1];

    while (recv(control, &act, 1, 0) == 1) {
        serve_act(act, text);
        strcat(text, "\n");
        if (send(control, text, strlen(text), 0) < 0)
            return 1;
    }
    return 0;
}

// ---- the table ---------------------------------------------------------------------------------

static void play(const char *row, int port)
{
    char text[ENDS_TEXT + 1];
    int own = ends_connect(OWN, port);

    other_side('n', text); // takes the new connection
    ends_settle(control >= 0 ? SETTLE_FAR_MS : SETTLE_MS);
    for (const char *at = row; at[0] != '\0'; at += at[2] == ' ' ? 3 : 2) {
        if (at[0] == 'a')
            ends_act(at[1], &own, text);
        else
            other_side(at[1], text);
        printf("%s%.2s=%s", at == row ? "ends: " : " ", at, text);
        ends_settle(control >= 0 ? SETTLE_FAR_MS : SETTLE_MS);
    }
    printf("\n");
    fflush(stdout);
    if (own >= 0)
        close(own);
    other_side('o', text); // closes what is open
    ends_settle(control >= 0 ? SETTLE_FAR_MS : SETTLE_MS);
}

static int play_all(int port)
{
    for (size_t i = 0; i < LENGTH(rows); i++)
        play(rows[i], port);
    printf("ends: all\n");
    return 0;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 3 ? argv[1] : "";
    int port = argc > 1 ? atoi(argv[argc > 3 ? 2 : 1]) : 0;

    if (strcmp(mode, "drive") == 0) {
        control = ends_connect(OWN, atoi(argv[3]));
        return play_all(port);
    }
    listener = ends_listen(mode[0] != '\0' ? ANY : OWN, port);
    if (strcmp(mode, "serve") != 0)
        return play_all(port);
    int waiting = ends_listen(ANY, atoi(argv[3]));
    printf("ends: ready\n");
    fflush(stdout);
    control = ends_accept(waiting);
    return serve();
}

// SPDX-License-Identifier: MIT
// What a link holds, for the files of this room. Each of them keeps one part of it.
#ifndef KOV_LINK_STATE_H
#define KOV_LINK_STATE_H

#include "wire/dci.h"
#include "wire/frame.h"
#include "wire/link.h"
#include "wire/resume.h"
#include "wire/through.h"
#include "wire/token.h"

#include <stdatomic.h>

#define REFUSAL_BYTES 2048

// Kept by dci.c.
struct connection {
    int fd;    // -1: not open. Another thread may have the number of one that was closed.
    bool lost; // it ended or is silent, so a new one may be better; not after an error in what came
    double heard; // when something last came
    u32 silences; // questions asked since
    u32 last_id;
    struct frame_input input;
    dci_event_handler *event_handler;
    void *event_context;
    dci_event_handler *run_handler;
    void *run_context;
    dci_tap *tap;
    void *tap_context;
    dci_request_tap *request_tap;
    void *request_context;
    char refusal[REFUSAL_BYTES];
};

// Kept by patience.c. Times are those of clock_now(), in seconds.
struct patience {
    double end;  // outside of windows
    double left; // at the begin of the window
    double window_end;
    bool in_window;
    bool reconnecting;
    double reconnect_begin, reconnect_end;
    double reconnect_cost; // of all reconnects so far, outside of windows
};

// Kept by resume.c.
struct resumption {
    resume_handler *handler;
    void *context;
    bool under_way;
    struct resume_account account;
};

struct link {
    char *host; // NULL: the machine that the settings name
    u64 port;
    char *token;                  // NULL: none was given
    char found_token[TOKEN_TEXT]; // kept by token.c
    atomic_bool over;
    int over_fd, wake_fd; // eventfds: readable when the link is over, when there is a wake-up; -1:
                          // none
    const struct link_through *through; // answers in place of a socket; NULL: none
    void *through_context;
    struct connection connection;
    struct patience patience;
    struct resumption resumption;
    Orrery__Dci__HelloReply *hello; // kept by session.c
};

// Returns this thread's link. Never NULL.
struct link *link_now(void);
const char *link_token(void); // NULL: none was given
// Returns what a wait on the link's socket `fd` waits for. With `wakes` a wake-up ends it, too.
struct frame_socket link_socket(int fd, bool wakes);
// Takes a wake-up. Returns whether there was one.
bool link_take_wake(void);
// Prints that the link is over. Returns KOV_CONNECTION.
int link_fail_over(void);
// Sleeps for at most `seconds` and at most 1000 s. A signal or the end of the link wakes it.
void link_sleep(double seconds);
// Connects to the link's machine within the time limit, and makes *fd non-blocking (connect.c).
// Returns KOV_OK, or KOV_CONNECTION with a message printed. It does not see link_end while it looks
// up the address of a name.
int connect_socket(int *fd);

#endif

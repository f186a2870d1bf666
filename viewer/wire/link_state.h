// SPDX-License-Identifier: MIT
// What a link holds. For the files of this room, each of which keeps a part of it.
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

// Of dci.c.
struct connection {
    int fd;    // -1: not open. Another thread may have the number of one that was closed.
    bool lost; // it ended or is silent: a new one may be better. What is wrong in it is no reason.
    double heard; // when something came last
    u32 silences; // questions since
    u32 last_id;
    struct frame_input input;
    dci_event_handler *event_handler;
    void *event_context;
    dci_tap *tap;
    void *tap_context;
    dci_request_tap *request_tap;
    void *request_context;
    char refusal[REFUSAL_BYTES];
};

// Of patience.c; times of clock_now(), seconds.
struct patience {
    double end;  // outside of windows
    double left; // at the window's begin
    double window_end;
    bool in_window;
    bool reconnecting;
    double reconnect_begin, reconnect_end;
    double reconnect_cost; // of all times so far, outside of windows
};

// Of resume.c.
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
    char found_token[TOKEN_TEXT]; // of token.c
    atomic_bool over;
    int over_fd, wish_fd; // eventfds, readable when it is over and when there is a wish; -1: none
    const struct link_through *through; // in place of a socket; NULL: none
    void *through_context;
    struct connection connection;
    struct patience patience;
    struct resumption resumption;
    Orrery__Dci__HelloReply *hello; // of session.c
};

// This thread's. Never NULL.
struct link *link_now(void);
const char *link_token(void); // NULL: none was given
// What a wait on the link's socket `fd` waits for; with `wishes` also for these.
struct frame_socket link_socket(int fd, bool wishes);
// Whether there was a wish, which is taken.
bool link_take_wish(void);
// KOV_CONNECTION, with the message that the link is over.
int link_fail_over(void);
// Sleeps, until a signal comes or the link is over.
void link_sleep(double seconds);

#endif

// SPDX-License-Identifier: MIT
// Clients that are made up, for the test of shared sessions: their places, the room that they have,
// and their mail, decoded.
#ifndef TESTS_DCI_SHARED_CLIENTS_H
#define TESTS_DCI_SHARED_CLIENTS_H

#include "shared_session.h"

#include <host/dci.pb-c.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define CLIENTS 6
#define MAILS_MAX 64

enum mail_kind { MAIL_BEGAN, MAIL_ENDED, MAIL_MISSED, MAIL_PACKET };

struct mail {
    enum mail_kind kind;
    u32 number; // of the session's begin, of packets at its end, or of the packet
    u32 reason, successor;
    bool more, has_share;
    u64 given, missed;
};

struct mails {
    u32 count;
    struct mail mails[MAILS_MAX];
};

// In slots at both ends of the table. Number 0: the place is free.
extern struct client clients[CLIENTS];
extern bool has_room[CLIENTS];
// What came for each client, and what is due to it.
extern struct mails got[CLIENTS], due[CLIENTS];

void client_changes_room(u32 index);
// Decodes what came for the client, into `got`.
void client_takes_mail(u32 index);

#endif

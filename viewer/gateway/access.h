// SPDX-License-Identifier: MIT
// Who may talk to the gateway: tokens, made anew at each start, and the values that Host and Origin
// must have.
#ifndef KOV_ACCESS_H
#define KOV_ACCESS_H

#include <orrery/types.h>

#define ACCESS_TOKEN_TEXT 33 // 128 bits in hexadecimal, and a 0

enum access_role { ROLE_STRANGER, ROLE_OBSERVER, ROLE_CONTROLLER };

struct access {
    char observer[ACCESS_TOKEN_TEXT], controller[ACCESS_TOKEN_TEXT];
    char metrics[ACCESS_TOKEN_TEXT]; // reads /metrics and nothing else; "": nobody does
    char host[32];                   // as in a request: "127.0.0.1:8420"
    char origin[40];                 // "http://" and the host
};

// Makes tokens. Returns an exit code, with a message when the system has no random numbers.
int access_init(struct access *access);
// Makes the token for /metrics. Returns an exit code, as access_init does.
int access_open_metrics(struct access *access);
void access_set_port(struct access *access, int port);
// Returns the role of a token. Its time does not tell how much of the token was right.
enum access_role access_role_of(const struct access *access, const char *token);
const char *access_role_name(enum access_role role);
// Return whether a browser's Host or Origin is, byte for byte, that of the printed links.
bool access_host_is_ours(const struct access *access, const char *host);
bool access_origin_is_ours(const struct access *access, const char *origin);
// Returns whether an Authorization is that of who may read /metrics: "Bearer " and its token.
bool access_reads_metrics(const struct access *access, const char *authorization);

#endif

// SPDX-License-Identifier: MIT
// What requests were answered on a tape that is played: of each request the last answer, for those
// who ask the same.
#ifndef KOV_GATEWAY_PLAYER_ANSWERS_H
#define KOV_GATEWAY_PLAYER_ANSWERS_H

#include "wire/dci.h"

#define ANSWERS_KEPT_MAX 64            // requests that differ; the oldest goes
#define ANSWERS_BYTES_MAX (64u << 20)  // of all
#define EXCHANGE_BYTES_MAX (16u << 20) // of one; what is larger is left out

struct exchange {
    u32 kind;             // body case of the request
    struct bytes request; // without an id
    struct bytes answers; // ServerFrames, each behind its length (wire/frame.h)
    double asked;         // by clock_now(), as it is played
};

struct answers {
    struct exchange open;                   // kind 0: none. Its answers are yet to come
    struct exchange kept[ANSWERS_KEPT_MAX]; // in order of their last answers
    u32 count;
    // What is given now, and to which request; id 0: nothing. NULL: there is no such exchange.
    u32 given_id;
    const struct exchange *given;
    size_t given_bytes;
};

// A request of the tape; false: it is none. An exchange that is open has no more answers.
bool answers_begin(struct answers *answers, const struct bytes *request, double asked);
// An answer to it. The exchange, when that was the last one; else NULL, as without an open one.
const struct exchange *answers_add(struct answers *answers, const struct bytes *frame, bool last);
bool answers_open(const struct answers *answers);
// The one of that kind that was answered last, or NULL.
const struct exchange *answers_latest(const struct answers *answers, u32 kind);
// From here on the same request's answers are given, or an error if there are none.
void answers_find(struct answers *answers, const dci_request *request);
// The next frame of these; false: no more.
bool answers_give(struct answers *answers, struct bytes *payload);
void answers_free(struct answers *answers);

// To be freed by the caller.
dci_request *exchange_request(const struct exchange *exchange);
dci_frame *exchange_answer(const struct exchange *exchange); // the first

#endif

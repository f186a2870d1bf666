// SPDX-License-Identifier: MIT
// The answers to requests on a tape that is played. It keeps the last answer of each request, for
// whoever asks the same.
#ifndef KOV_GATEWAY_PLAYER_ANSWERS_H
#define KOV_GATEWAY_PLAYER_ANSWERS_H

#include "wire/dci.h"

#define ANSWERS_KEPT_MAX 64            // different requests; the oldest goes
#define ANSWERS_BYTES_MAX (64u << 20)  // of all exchanges together
#define EXCHANGE_BYTES_MAX (16u << 20) // of one exchange; a larger one is left out

struct exchange {
    u32 kind;             // body case of the request
    struct bytes request; // without an id
    struct bytes answers; // ServerFrames, each after its length (wire/frame.h)
    double asked;         // by clock_now(), as it is played
};

struct answers {
    struct exchange open;                   // its answers are not complete; kind 0: none
    struct exchange kept[ANSWERS_KEPT_MAX]; // in the order of their last answers
    u32 count;
    // What is being given, and to which request; id 0: nothing. given NULL: there is no such
    // exchange.
    u32 given_id;
    const struct exchange *given;
    size_t given_bytes;
};

// Takes a request of the tape. Returns false if it is none. An open exchange gets no more answers.
bool answers_begin(struct answers *answers, const struct bytes *request, double asked);
// Takes an answer to it. Returns the exchange if that was the last answer. Else returns NULL, as
// without an open exchange.
const struct exchange *answers_add(struct answers *answers, const struct bytes *frame, bool last);
bool answers_open(const struct answers *answers);
// Returns the exchange of that kind that was answered last, or NULL.
const struct exchange *answers_latest(const struct answers *answers, u32 kind);
// Gives the same request's answers from here on, or an error if there are none.
void answers_find(struct answers *answers, const dci_request *request);
// Gives the next frame of these. Returns false if there are no more.
bool answers_give(struct answers *answers, struct bytes *payload);
void answers_free(struct answers *answers);

// The caller frees what these return.
dci_request *exchange_request(const struct exchange *exchange);
dci_frame *exchange_answer(const struct exchange *exchange); // the first answer

#endif

// SPDX-License-Identifier: MIT
// The answers to requests on a tape that is played.
#include "gateway/player_answers.h"
#include "wire/frame.h"

#include <orrery/errors.h>
#include <stdlib.h>
#include <string.h>

static void free_exchange(struct exchange *exchange)
{
    bytes_free(&exchange->request);
    bytes_free(&exchange->answers);
    *exchange = (struct exchange){0};
}

void answers_free(struct answers *answers)
{
    free_exchange(&answers->open);
    for (u32 i = 0; i < answers->count; i++)
        free_exchange(&answers->kept[i]);
    *answers = (struct answers){0};
}

// ---- from the tape -----------------------------------------------------------------------------

bool answers_begin(struct answers *answers, const struct bytes *request, double asked)
{
    free_exchange(&answers->open);
    dci_request *message = orrery__dci__request__unpack(NULL, request->size, request->data);
    if (message == NULL)
        return false;
    struct exchange *open = &answers->open;
    open->kind = message->body_case;
    open->asked = asked;
    bytes_append(&open->request, request->data, request->size);
    orrery__dci__request__free_unpacked(message, NULL);
    return open->kind != 0;
}

bool answers_open(const struct answers *answers)
{
    return answers->open.kind != 0;
}

static bool is_of(const struct exchange *exchange, const void *request, size_t size)
{
    return exchange->request.size == size && memcmp(exchange->request.data, request, size) == 0;
}

static void forget(struct answers *answers, u32 i)
{
    free_exchange(&answers->kept[i]);
    answers->count--;
    memmove(&answers->kept[i], &answers->kept[i + 1],
            (answers->count - i) * sizeof(answers->kept[0]));
}

static size_t bytes_kept(const struct answers *answers)
{
    size_t bytes = 0;
    for (u32 i = 0; i < answers->count; i++)
        bytes += answers->kept[i].answers.size + answers->kept[i].request.size;
    return bytes;
}

static const struct exchange *keep(struct answers *answers)
{
    struct exchange *open = &answers->open;
    answers->given_id = 0; // it may be one of those that go
    for (u32 i = answers->count; i-- > 0;)
        if (is_of(&answers->kept[i], open->request.data, open->request.size))
            forget(answers, i);
    while (answers->count == ANSWERS_KEPT_MAX ||
           (answers->count > 0 && bytes_kept(answers) + open->answers.size > ANSWERS_BYTES_MAX))
        forget(answers, 0);
    struct exchange *kept = &answers->kept[answers->count++];
    *kept = *open;
    *open = (struct exchange){0};
    return kept;
}

const struct exchange *answers_add(struct answers *answers, const struct bytes *frame, bool last)
{
    struct exchange *open = &answers->open;
    u8 length[FRAME_HEADER_BYTES];
    if (!answers_open(answers))
        return NULL;
    frame_encode_length(length, (u32)frame->size);
    bytes_append(&open->answers, length, sizeof(length));
    bytes_append(&open->answers, frame->data, frame->size);
    if (open->answers.size > EXCHANGE_BYTES_MAX)
        free_exchange(open);
    return last && answers_open(answers) ? keep(answers) : NULL;
}

// ---- to who asks -------------------------------------------------------------------------------

const struct exchange *answers_latest(const struct answers *answers, u32 kind)
{
    for (u32 i = answers->count; i-- > 0;)
        if (answers->kept[i].kind == kind)
            return &answers->kept[i];
    return NULL;
}

void answers_find(struct answers *answers, const dci_request *request)
{
    dci_request nameless = *request;
    nameless.id = 0;
    u8 *packed = memory_get(orrery__dci__request__get_packed_size(&nameless) + 1);
    size_t size = orrery__dci__request__pack(&nameless, packed);
    answers->given_id = request->id;
    answers->given = NULL;
    answers->given_bytes = 0;
    for (u32 i = 0; i < answers->count; i++)
        if (is_of(&answers->kept[i], packed, size))
            answers->given = &answers->kept[i];
    free(packed);
}

static void put_answer(struct bytes *payload, dci_response *response)
{
    dci_frame frame = ORRERY__DCI__SERVER_FRAME__INIT;
    frame.frame_case = ORRERY__DCI__SERVER_FRAME__FRAME_RESPONSE;
    frame.response = response;
    payload->size = 0;
    u8 *place = bytes_reserve(payload, orrery__dci__server_frame__get_packed_size(&frame));
    payload->size = orrery__dci__server_frame__pack(&frame, place);
}

static dci_frame *frame_at(const struct exchange *exchange, size_t at, size_t *end)
{
    const u8 *place = exchange->answers.data + at;
    u32 length = frame_decode_length(place);
    *end = at + FRAME_HEADER_BYTES + length;
    return orrery__dci__server_frame__unpack(NULL, length, place + FRAME_HEADER_BYTES);
}

bool answers_give(struct answers *answers, struct bytes *payload)
{
    u32 id = answers->given_id;
    if (id == 0)
        return false;
    dci_frame *frame = answers->given == NULL
                           ? NULL
                           : frame_at(answers->given, answers->given_bytes, &answers->given_bytes);
    if (frame == NULL) {
        answers->given_id = 0;
        dci_response response = ORRERY__DCI__RESPONSE__INIT;
        response.id = id;
        response.error = E_NOENT;
        response.message = (char *)"the recording has no answer to this";
        put_answer(payload, &response);
        return true;
    }
    if (answers->given_bytes == answers->given->answers.size)
        answers->given_id = 0;
    frame->response->id = id;
    put_answer(payload, frame->response);
    orrery__dci__server_frame__free_unpacked(frame, NULL);
    return true;
}

dci_request *exchange_request(const struct exchange *exchange)
{
    return orrery__dci__request__unpack(NULL, exchange->request.size, exchange->request.data);
}

dci_frame *exchange_answer(const struct exchange *exchange)
{
    size_t end;
    return frame_at(exchange, 0, &end);
}

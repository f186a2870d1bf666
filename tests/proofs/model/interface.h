// SPDX-License-Identifier: MIT
// Drives the generated code of an interface, and what it is made of (ipc/src/packet.c): requests of
// any content into its dispatch, and any answers to its client's calls. A harness defines INTERFACE
// and includes the generated code.
#ifndef TESTS_PROOFS_MODEL_INTERFACE_H
#define TESTS_PROOFS_MODEL_INTERFACE_H

#include <ipc/packet.h>
#include <string.h>

#include "model/proof.h"

#define SERVER 1
#define SMALL_ROOM 8 // bytes of a caller's, at most

struct proof_method {
    void (*call)(void);
    u64 number;         // an interface's methods count up from its first
    u32 in, in_limit;   // strings and buffers in, and the greatest limit of one
    u32 out, out_limit; // and out
    u32 out_structs;    // bytes
};

// ---- lengths of strings ------------------------------------------------------------------------
// What a string's length turns out to be: as the harness plans, one for all strings of a message.

enum text { TEXT_PLANNED, TEXT_FITS, TEXT_HAS_NO_END };
static enum text text_kind;
static u64 text_planned;

static u64 planned_strnlen(const char *at, u64 most)
{
    //@ check in_memory: most == 0 || \valid_read(at + (0 .. most - 1));
    if (text_kind == TEXT_PLANNED)
        return text_planned < most ? text_planned : most;
    return text_kind == TEXT_FITS && most > 0 ? most - 1 : most;
}
#define strnlen planned_strnlen

#include "ipc/src/packet.c"

// ---- a server ----------------------------------------------------------------------------------

static void string_is_there(const char *string)
{
    //@ check string_is_there: \valid_read(string);
}

static void bytes_are_there(const void *bytes, u64 count)
{
    const u8 *at = bytes;
    //@ check bytes_are_there: count == 0 || \valid_read(at + (0 .. count - 1));
}

static void any_bytes(void *to, u64 count)
{
    u8 *at = to;
    //@ check room_is_there: count == 0 || \valid(at + (0 .. count - 1));
    if (count > 0)
        Frama_C_make_unknown(to, count);
}

static u64 any_word(void)
{
    return ANY_U64(0, UINT64_MAX);
}

// A server may say that it has written more than there is room: that is its defect,
// not the memory's.
static u64 any_length(u64 room)
{
    return EITHER() ? ANY_U64(0, room) : ANY_U64(0, UINT64_MAX);
}

static s64 any_status(void)
{
    return EITHER() ? 0 : ANY_S64(INT64_MIN, INT64_MAX);
}

// ---- a client ----------------------------------------------------------------------------------

static char caller_text[MESSAGE_BYTES + 1];
static u8 caller_bytes[MESSAGE_BYTES];
static u64 caller_length;
static u8 caller_store[SMALL_ROOM];
static u8 *caller_memory; // its last caller_room bytes
static u64 caller_room;
static u64 answered_bytes, answered_word; // what the server says

static void answer_was_taken(void)
{
    //@ check reached_answer: \false;
}

s64 ipc_exchange(cap_t server, struct ipc_packet *packet)
{
    (void)server;
    if (packet->error != 0)
        return packet->error;
    const u8 *bulk = packet->bulk, *more = packet->more;
    //@ check request_is_there: packet->bytes == 0 || \valid_read(bulk + (0 .. packet->bytes - 1));
    /*@ check more_is_there: packet->more_bytes == 0 ||
            \valid_read(more + (0 .. packet->more_bytes - 1)); */
    if (packet->receive != NULL) {
        packet->bulk = packet->receive;
        packet->room = packet->receive_room;
    }
    if (answered_bytes > packet->room)
        packet->error = E_PROTO;
    packet->bytes = answered_bytes <= packet->room ? (u32)answered_bytes : 0;
    any_bytes(packet->bulk, packet->bytes);
    for (u32 i = 0; i < MESSAGE_WORDS; i++)
        packet->words[i] = answered_word;
    packet->cap = EITHER();
    return any_status();
}

void ipc_drop(cap_t cap)
{
    //@ check there_is_one: cap != 0;
}

s64 ipc_answer_packet(u64 call, s64 status, struct ipc_packet *packet)
{
    (void)call;
    const u8 *bulk = packet->bulk;
    if (status == 0 && packet->error == 0) {
        /*@ check answer_is_there: packet->bytes == 0 ||
                \valid_read(bulk + (0 .. packet->bytes - 1)); */
    }
    return 0;
}

// ---- requests ----------------------------------------------------------------------------------

typedef s64 (*proof_dispatch)(struct ipc_caller *, struct ipc_packet *, struct ipc_packet *);

static u64 request_memory[MESSAGE_BYTES / sizeof(u64)], reply_memory[MESSAGE_BYTES / sizeof(u64)];

// A request at the very end of its memory, with any content but for its first length.
static void request_of(proof_dispatch dispatch, u64 method, u32 bytes, u64 first)
{
    u8 *bulk = (u8 *)request_memory + sizeof(request_memory) - bytes;
    struct ipc_packet request = {.bulk = bulk, .bytes = bytes, .room = bytes, .cap = EITHER()};
    struct ipc_packet reply;
    struct ipc_caller caller = {.pid = 1};

    any_bytes(bulk, bytes);
    if (bytes >= sizeof(first))
        memcpy(bulk, &first, sizeof(first));
    any_bytes(request.words, sizeof(request.words));
    request.words[0] = method;
    ipc_packet_init(&reply, reply_memory, sizeof(reply_memory), 0);
    s64 status = dispatch(&caller, &request, &reply);
    if (status == 0) {
        const u8 *answer = reply.bulk;
        //@ check answer_is_there: reply.bytes == 0 || \valid_read(answer + (0 .. reply.bytes - 1));
        //@ check reached_answer: \false;
    } else {
        //@ check reached_refusal: \false;
    }
}

static void request_of_any_text(proof_dispatch dispatch, u64 method, u32 bytes, u64 first)
{
    for (text_kind = TEXT_FITS; text_kind <= TEXT_HAS_NO_END; text_kind++)
        request_of(dispatch, method, bytes, first);
}

// Around multiples of a word: what comes behind a string or buffer begins at one.
static void small_requests(proof_dispatch dispatch, u64 method)
{
    const u32 sizes[] = {0, 1, 7, 8, 9, 10, 15, 16, 17, 18, 24, 25, 26};

    for (u32 i = 0; i < ARRAY_SIZE(sizes); i++) {
        u32 bytes = sizes[i];
        for (u64 first = 0; first <= bytes; first++)
            request_of_any_text(dispatch, method, bytes, first);
        request_of_any_text(dispatch, method, bytes, ANY_U64(bytes + 1, UINT64_MAX));
    }
}

// Around what the longest request, and the longest string or buffer, can be.
static void large_requests(proof_dispatch dispatch, u64 method, u32 limit)
{
    const u32 sizes[] = {limit + 7, limit + 8, limit + 9, MESSAGE_BYTES - 1, MESSAGE_BYTES};

    for (u32 i = 0; i < ARRAY_SIZE(sizes); i++) {
        u32 bytes = sizes[i];
        const u64 firsts[] = {0, limit - 1, limit, limit + 1, bytes - 9, bytes - 8, bytes};
        for (u32 j = 0; j < ARRAY_SIZE(firsts); j++)
            request_of_any_text(dispatch, method, bytes, firsts[j]);
    }
}

static void any_request(proof_dispatch dispatch, const struct proof_method *methods, u64 count)
{
    const u64 first = methods[0].number, last = methods[count - 1].number;
    for (u64 i = 0; i < count; i++) {
        const struct proof_method *one = &methods[i];
        if (one->in > 0) {
            small_requests(dispatch, one->number);
            large_requests(dispatch, one->number, one->in_limit);
        } else {
            text_kind = TEXT_FITS;
            request_of(dispatch, one->number, 0, 0);
            request_of(dispatch, one->number, 9, ANY_U64(0, UINT64_MAX));
        }
    }
    request_of(dispatch, ANY_U64(0, first - 1), 8, ANY_U64(0, UINT64_MAX));
    request_of(dispatch, ANY_U64(last + 1, UINT64_MAX), 8, ANY_U64(0, UINT64_MAX));
}

// ---- answers -----------------------------------------------------------------------------------

static void call_with_room(const struct proof_method *method, u64 room)
{
    caller_room = room;
    caller_memory = caller_store + sizeof(caller_store) - room;
    method->call();
}

// Texts and buffers of the caller's, of all small lengths and around the limit.
static void any_argument(const struct proof_method *method)
{
    const u64 limit = method->in_limit;
    const u64 lengths[] = {0, 1, 6, 7, 8, limit - 1, limit, limit + 1};

    text_kind = TEXT_PLANNED;
    answered_bytes = method->out_structs;
    answered_word = 0;
    for (u32 i = 0; i < ARRAY_SIZE(lengths); i++) {
        text_planned = caller_length = lengths[i];
        call_with_room(method, 1);
    }
    caller_length = ANY_U64(limit + 1, UINT64_MAX);
    call_with_room(method, 1);
}

static void any_answer_of(const struct proof_method *method, u64 room, u64 bytes)
{
    answered_bytes = bytes;
    for (u64 word = 0; word <= room + 1; word++) {
        answered_word = word;
        for (text_kind = TEXT_FITS; text_kind <= TEXT_HAS_NO_END; text_kind++)
            call_with_room(method, room);
    }
    answered_word = ANY_U64(room + 2, UINT64_MAX);
    call_with_room(method, room);
}

static void any_answer(const struct proof_method *method)
{
    text_planned = caller_length = 0;
    if (method->out == 0) {
        for (u64 bytes = 0; bytes <= method->out_structs + 1; bytes++)
            any_answer_of(method, 0, bytes);
        return;
    }
    for (u64 room = 0; room <= SMALL_ROOM; room = room < 3 ? room + 1 : room + 5) {
        for (u64 bytes = 0; bytes <= room + 1; bytes++)
            any_answer_of(method, room, bytes);
    }
}

static void any_call(const struct proof_method *methods, u64 count)
{
    for (u64 i = 0; i < count; i++) {
        any_argument(&methods[i]);
        any_answer(&methods[i]);
    }
}

#endif

// SPDX-License-Identifier: MIT
// Messages made and taken apart, every length checked (ipc/packet.h).
#include <ipc/packet.h>

#include <string.h>

#define LENGTH_BYTES sizeof(u64)

// ---- making ------------------------------------------------------------------------------------

// Returns the next bytes of the bulk, with zeros up to a multiple of 8 behind them, or NULL if they
// do not fit.
static u8 *extend(struct ipc_packet *packet, u64 bytes)
{
    u64 whole = ALIGN_UP(bytes, 8UL);
    if (packet->error != 0)
        return NULL;
    if (bytes > MESSAGE_BYTES || whole > packet->room - packet->bytes) {
        ipc_fail(packet, E_INVAL);
        return NULL;
    }
    u8 *at = packet->bulk + packet->bytes;
    packet->bytes += (u32)whole;
    if (whole != bytes)
        memset(at + bytes, 0, whole - bytes);
    return at;
}

void ipc_put_struct(struct ipc_packet *packet, const void *from, u64 bytes)
{
    u8 *at = extend(packet, bytes);
    if (at != NULL)
        memcpy(at, from, bytes);
}

// Puts a length. Returns room behind it for that many bytes and `more`, or NULL.
static u8 *extend_variable(struct ipc_packet *packet, u64 bytes, u64 more, u64 limit)
{
    if (bytes > limit) {
        ipc_fail(packet, E_INVAL);
        return NULL;
    }
    u8 *at = extend(packet, LENGTH_BYTES + bytes + more);
    if (at == NULL)
        return NULL;
    memcpy(at, &bytes, LENGTH_BYTES);
    return at + LENGTH_BYTES;
}

void ipc_put_string(struct ipc_packet *packet, const char *string, u64 limit)
{
    u64 length = strnlen(string, limit + 1);
    u8 *at = extend_variable(packet, length, 1, limit);
    if (at != NULL)
        memcpy(at, string, length + 1);
}

void ipc_put_bytes(struct ipc_packet *packet, const void *from, u64 bytes, u64 limit)
{
    u8 *at = extend_variable(packet, bytes, 0, limit);
    if (at != NULL && bytes > 0)
        memcpy(at, from, bytes);
}

void ipc_put_last(struct ipc_packet *packet, const void *from, u64 bytes, u64 limit)
{
    if (bytes > limit) {
        ipc_fail(packet, E_INVAL);
        return;
    }
    ipc_put_struct(packet, &bytes, LENGTH_BYTES);
    packet->more = from;
    packet->more_bytes = (u32)bytes;
}

void ipc_put_behind(struct ipc_packet *packet, u32 word, const void *from, u64 bytes, u64 limit)
{
    if (bytes > limit) {
        ipc_fail(packet, E_INVAL);
        return;
    }
    packet->words[word] = bytes;
    packet->more = from;
    packet->more_bytes = (u32)bytes;
}

void ipc_placed_string(struct ipc_packet *packet, u32 word, u64 room)
{
    const char *string = (const char *)packet->bulk + packet->bytes;
    u64 length = strnlen(string, room);
    if (length == room) {
        ipc_fail(packet, E_INVAL);
        return;
    }
    packet->words[word] = length;
    packet->bytes += (u32)length + 1;
}

// Without structs before it the data need not move.
static void answer_with(struct ipc_packet *packet, const void *from, u64 bytes)
{
    if (packet->bytes == 0)
        packet->bulk = (u8 *)(uintptr_t)from;
    else if (bytes <= packet->room - packet->bytes)
        memcpy(packet->bulk + packet->bytes, from, bytes);
    else
        ipc_fail(packet, E_INVAL);
    packet->bytes += (u32)bytes;
}

void ipc_answer_string(struct ipc_packet *packet, u32 word, const char *string, u64 limit)
{
    u64 length = strnlen(string, limit + 1);
    if (length > limit) {
        ipc_fail(packet, E_INVAL);
        return;
    }
    packet->words[word] = length;
    answer_with(packet, string, length + 1);
}

void ipc_answer_bytes(struct ipc_packet *packet, u32 word, const void *from, u64 bytes, u64 limit)
{
    if (bytes > limit) {
        ipc_fail(packet, E_INVAL);
        return;
    }
    packet->words[word] = bytes;
    answer_with(packet, from, bytes);
}

// ---- taking apart ------------------------------------------------------------------------------

s64 ipc_get_signed(struct ipc_packet *packet, u32 word, u32 bits)
{
    s64 value = (s64)packet->words[word];
    s64 highest = (s64)(UINT64_MAX >> (65 - bits));
    if (value > highest || value < -highest - 1)
        ipc_fail(packet, E_PROTO);
    return value;
}

cap_t ipc_get_cap(struct ipc_packet *packet)
{
    packet->cap_got = 1;
    return packet->cap;
}

// Returns the next bytes of what was received, or NULL if they are not there. What comes last need
// not be padded.
static const u8 *take(struct ipc_packet *packet, u64 bytes)
{
    u64 whole = ALIGN_UP(bytes, 8UL), left = packet->bytes - packet->taken;
    if (packet->error != 0)
        return NULL;
    if (bytes > left) {
        ipc_fail(packet, E_PROTO);
        return NULL;
    }
    const u8 *at = packet->bulk + packet->taken;
    packet->taken += (u32)(whole < left ? whole : left);
    return at;
}

void ipc_get_struct(struct ipc_packet *packet, void *to, u64 bytes)
{
    const u8 *at = take(packet, bytes);
    if (at != NULL)
        memcpy(to, at, bytes);
}

// Returns what a length announces, with `more` bytes behind it, or NULL.
static const u8 *take_variable(struct ipc_packet *packet, u64 *bytes, u64 more, u64 limit)
{
    *bytes = 0;
    const u8 *length_at = take(packet, LENGTH_BYTES);
    if (length_at == NULL)
        return NULL;
    u64 length;
    memcpy(&length, length_at, LENGTH_BYTES);
    if (length > limit) {
        ipc_fail(packet, E_PROTO);
        return NULL;
    }
    const u8 *at = take(packet, length + more);
    if (at != NULL)
        *bytes = length;
    return at;
}

const char *ipc_get_string(struct ipc_packet *packet, u64 limit)
{
    u64 length;
    const char *at = (const char *)take_variable(packet, &length, 1, limit);
    if (at == NULL)
        return "";
    if (strnlen(at, length + 1) != length) {
        ipc_fail(packet, E_PROTO);
        return "";
    }
    return at;
}

const void *ipc_get_bytes(struct ipc_packet *packet, u64 *bytes, u64 limit)
{
    return take_variable(packet, bytes, 0, limit);
}

const void *ipc_get_behind(struct ipc_packet *packet, u32 word, u64 *bytes, u64 limit)
{
    u64 length = packet->words[word];
    const u8 *at = NULL;
    if (length > limit)
        ipc_fail(packet, E_PROTO);
    else
        at = take(packet, length);
    *bytes = at != NULL ? length : 0;
    return at;
}

// Returns what an answer's word announces, with `more` bytes behind it, or NULL if it is not there
// or does not fit.
static const u8 *take_answer(struct ipc_packet *packet, u32 word, u64 more, u64 room)
{
    u64 bytes = packet->words[word];
    if (bytes > room || more > room - bytes) {
        ipc_fail(packet, E_PROTO);
        return NULL;
    }
    return take(packet, bytes + more);
}

void ipc_copy_string(struct ipc_packet *packet, u32 word, char *to, u64 room)
{
    u64 length = packet->words[word];
    const char *at = (const char *)take_answer(packet, word, 1, room);
    if (at != NULL && strnlen(at, length + 1) == length) {
        memmove(to, at, length + 1);
        return;
    }
    ipc_fail(packet, E_PROTO);
    if (room > 0)
        to[0] = '\0';
}

u64 ipc_copy_bytes(struct ipc_packet *packet, u32 word, void *to, u64 room)
{
    const u8 *at = take_answer(packet, word, 0, room);
    u64 bytes = at != NULL ? packet->words[word] : 0;
    if (bytes > 0 && at != to)
        memcpy(to, at, bytes);
    return bytes;
}

s64 ipc_finish_wrong(struct ipc_packet *packet)
{
    if (packet->cap != 0)
        ipc_drop(packet->cap);
    return packet->error != 0 ? packet->error : E_PROTO;
}
